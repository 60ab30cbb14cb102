/** A real redis-server for a test, if the machine has one. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

export interface RedisServer {
  port: number;
  url: string;
  /** Ends the process, by its id. */
  stop(): Promise<void>;
  /** Starts it again on the same port, empty. */
  start(): Promise<void>;
  /** The process says and does nothing any more; its connections stay. */
  freeze(): void;
  thaw(): void;
  /** Gives it a command, such as `replicaof no one`. */
  command(words: string): Promise<unknown>;
  keys(): Promise<string[]>;
  /** Forgets every key. */
  empty(): Promise<unknown>;
}

/**
 * @param settings more words of its command line
 * @param options how it is spoken to
 */
export async function startRedis(
  settings: string[] = [],
  options: Pick<RedisOptions, 'password' | 'tls'> = {},
): Promise<RedisServer> {
  if (!hasRedis) throw new Error('REQUIRE_REDIS is set, and there is no redis-server on the PATH');
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  let server: ChildProcess | undefined;
  const runs = (): boolean => server?.exitCode === null && server.signalCode === null;
  const ask = async <T>(command: (client: Redis) => Promise<T>): Promise<T> => {
    const retryStrategy = (): number | null => (runs() ? 20 : null);
    const client = new Redis(port, '127.0.0.1', { retryStrategy, maxRetriesPerRequest: null, ...options });
    client.on('error', () => undefined); // until it listens
    try {
      return await command(client);
    } finally {
      client.disconnect();
    }
  };
  const ports = options.tls === undefined ? ['--port', String(port)] : ['--port', '0', '--tls-port', String(port)];
  // A replica writes what its master has sent into its folder, and every start reads what lies there.
  const args = [...ports, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const start = async (): Promise<void> => {
    await mkdir(folder, { recursive: true });
    server = spawn('redis-server', [...args, ...settings], { stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    server.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2_000);
    });
    await ask((client) => client.ping()).catch((cause) => {
      throw runs() ? cause : new Error(`redis-server did not start: ${said}`, { cause });
    });
  };
  await start();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    start,
    freeze: () => server?.kill('SIGSTOP'),
    thaw: () => server?.kill('SIGCONT'),
    command: (words) => ask((client) => client.call(...(words.split(' ') as [string, ...string[]]))),
    keys: () => ask((client) => client.keys('*')),
    empty: () => ask((client) => client.flushall()),
    stop: async () => {
      if (server !== undefined && runs()) {
        const ended = once(server, 'exit');
        server.kill('SIGKILL');
        await ended;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A port on which nobody listens, below those that the kernel gives to connections, so that none takes it meanwhile, and above
 * 10080, the last one that `fetch` refuses to ask.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_081, 32_000);
  const probe = createServer().listen(port, '127.0.0.1');
  const isFree = await once(probe, 'listening').then(
    () => true,
    () => false,
  );
  if (!isFree) return freePort();
  probe.close();
  await once(probe, 'close');
  return port;
}
