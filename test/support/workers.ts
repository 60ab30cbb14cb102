/** A gateway of several worker processes: its log, line by line, and its processes. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Answer, type Instance, type SendOptions, send, type TestGateway } from './gateway.js';
import { type ServerProcess, startProcess } from './server-process.js';
import { until } from './until.js';

export interface WorkersProcess extends ServerProcess, Pick<Instance, 'url' | 'send'> {
  /** Every line of the log so far; the test fails where one is not whole. */
  lines: Array<Record<string, unknown>>;
  /** Numbers of the workers that have answered requests with this outcome */
  answeredBy(outcome: string): Set<unknown>;
  /** Process ids of those that live */
  workers(): number[];
}

/** Starts two workers, and waits until all are ready. */
export async function startWorkers(gateway: TestGateway, env: Record<string, string> = {}): Promise<WorkersProcess> {
  const server = await startProcess(gateway, { WORKERS: '2', TRUST_PROXY: '127.0.0.1', ...env });
  const lines: WorkersProcess['lines'] = [];
  const { stdout, pid } = server.process;
  if (stdout === null || pid === undefined) throw new Error('it has no log');
  createInterface({ input: stdout }).on('line', (line) => lines.push(JSON.parse(line)));
  await until('all workers are ready', () => {
    if (server.process.exitCode !== null) throw new Error(`it has ended: ${server.errors()}`);
    return lines.some(({ msg }) => msg === 'ready');
  });
  return {
    ...server,
    lines,
    send: (method: string, path: string, options?: SendOptions): Promise<Answer> =>
      send(server.url, method, path, options),
    answeredBy: (outcome) => new Set(lines.filter((line) => line['outcome'] === outcome).map(({ worker }) => worker)),
    workers: () => childrenOf(pid).filter((child) => /worker\.js/.test(commandOf(child))),
  };
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** Empty for a process that has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
