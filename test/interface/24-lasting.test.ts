/**
 * Answers that last: they may take longer than others, as long as their client takes something.
 * (Interface 24)
 * @jest-environment node
 */
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { jest } from '@jest/globals';
import { lastsLong } from '../../src/http/server/lasting.js';
import { listen } from '../../src/http/server/listener.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { open } from '../support/gateway/raw.js';
import { until } from '../support/until.js';

/** Three of them are longer than a minute, and one is far shorter. */
const A_WHILE_MS = 25_000;
const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const PIECE = Buffer.alloc(100_000, 'x');

let gateway: TestGateway;
let aheadMs = 0;
beforeAll(async () => {
  gateway = await startGateway();
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await gateway.close();
});

/** Writes as fast as the client takes it, for ever. */
function pour(res: ServerResponse): void {
  while (!res.destroyed && res.write(PIECE));
  res.once('drain', () => pour(res));
}

test('Interface 24: an answer that lasts is cut if its client has taken nothing for a minute, not if it takes a little or nothing waits', async () => {
  const answers: ServerResponse[] = [];
  const handle: RequestListener = (_req, res) => {
    lastsLong(res);
    answers.push(res);
    if (answers.length === 3) res.write('silent from now on');
    else pour(res);
  };
  const { port, stop } = await listen({ ...gateway.app, handle }, '127.0.0.1', 0, { checkEveryMs: 5 });
  const ask = async () => {
    const before = answers.length;
    const socket = await open({ url: `http://127.0.0.1:${port}` });
    socket.pause().write(GET);
    await until('the answer has begun', () => answers.length > before);
    return socket;
  };
  const sockets = [await ask(), await ask(), await ask()] as const;
  const [stalled, slow, silent] = answers as [ServerResponse, ServerResponse, ServerResponse];
  await until('nothing more fits between them', () => slow.writableNeedDrain && stalled.writableNeedDrain);
  for (let i = 0; i < 3; i += 1) {
    aheadMs += A_WHILE_MS;
    sockets[1].resume();
    await once(slow, 'drain');
    sockets[1].pause();
  }
  await until('the stalled one is cut', () => stalled.destroyed);
  expect([slow.destroyed, silent.destroyed]).toEqual([false, false]);
  for (const socket of sockets) socket.destroy();
  await stop();
});
