/** Threads that hash passwords come behind the one that answers. */
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { startProcess } from '../support/gateway/server-process.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

test('every thread of the pool is nicer by ten than the main thread', async () => {
  await using server = await startProcess(gateway);
  const isUp = () =>
    send(server.url, 'GET', '/health/live').then(
      () => true,
      () => false,
    );
  await until('it listens', isUp);
  const { pid } = server.process;
  const nice = new Map<string, Set<number>>();
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const name = readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').trim();
    const kind = name === 'libuv-worker' ? 'pool' : Number(id) === pid ? 'main' : 'other';
    nice.set(kind, (nice.get(kind) ?? new Set()).add(getPriority(Number(id))));
  }
  const own = getPriority();
  expect(nice.get('main')).toEqual(new Set([own]));
  expect(nice.get('pool')).toEqual(new Set([Math.min(own + 10, 19)]));
});
