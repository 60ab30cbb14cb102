/** A real Prometheus for a test, with our rules, which scrapes gateways on this machine. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { send } from '../gateway/gateway.js';
import { until } from '../until.js';
import { freePort } from './redis.js';

/** Of Debian's package `prometheus`, as is `promtool`. */
export const hasPrometheus =
  spawnSync('prometheus', ['--version']).status === 0 || process.env['REQUIRE_PROGRAMS'] === '1';

export interface Sampled {
  metric: Record<string, string>;
  value: number;
}

export interface PrometheusServer extends AsyncDisposable {
  /** What an expression is now. @throws {Error} with its words if it is refused */
  query(expression: string): Promise<Sampled[]>;
  /** What `GET /api/v1/PATH` answers */
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
  api(path: string): Promise<any>;
}

/**
 * Scrapes once a second.
 * @param url where the gateway listens
 * @param rules file with alert rules
 */
export async function startPrometheus(url: string, rules: string): Promise<PrometheusServer> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  const file = join(folder, 'prometheus.json');
  const configuration = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [resolve(rules)],
    scrape_configs: [{ job_name: 'auth-gateway', static_configs: [{ targets: [new URL(url).host] }] }],
  };
  await writeFile(file, JSON.stringify(configuration)); // JSON is YAML
  const address = `127.0.0.1:${port}`;
  const server = spawn(
    'prometheus',
    [`--config.file=${file}`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`],
    { stdio: 'ignore' },
  );
  const exited = once(server, 'exit');
  const get = (path: string) => send(`http://${address}`, 'GET', path);
  await until('Prometheus is ready', async () => {
    if (server.exitCode !== null) throw new Error(`it has ended: ${server.exitCode}`);
    return (await get('/-/ready').catch(() => undefined))?.status === 200;
  });
  const api: PrometheusServer['api'] = async (path) => {
    const { json, text } = await get(`/api/v1/${path}`);
    if (json?.status !== 'success') throw new Error(text);
    return json.data;
  };
  return {
    api,
    query: async (expression) => {
      const { result } = await api(`query?query=${encodeURIComponent(expression)}`);
      return result.map(({ metric, value }: { metric: Record<string, string>; value: [number, string] }) => ({
        metric,
        value: Number(value[1]),
      }));
    },
    [Symbol.asyncDispose]: async () => {
      server.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
