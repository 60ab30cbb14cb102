/**
 * Interface 10: at a stop, a connection without a request stays open for a second, because a request may be on its way.
 * This second passes in real time: sockets have no clock that a test can move.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { listen } from '../../src/http/server/listener.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { answersIn, open } from '../support/gateway/raw.js';

const LIVE = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** When the requests are sent */
const AT_MS = [50, 150, 300, 450, 600, 750, 900];
const AN_HOUR_MS = 3_600_000;
/** What else would end these connections is put off. */
const LATER = { idleMs: AN_HOUR_MS, lastRequestMs: AN_HOUR_MS };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** One more listener, which a test may stop. */
const listening = () => listen(gateway.app, '127.0.0.1', 0, LATER);

interface Watched {
  socket: Socket;
  /** Everything that came, once the connection has ended */
  came: Promise<string>;
}

async function connection(port: number, text = ''): Promise<Watched> {
  const socket = await open({ url: `http://127.0.0.1:${port}` }, text);
  let came = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    came += chunk;
  });
  return { socket, came: once(socket, 'close').then(() => came) };
}

async function idleConnection(port: number): Promise<Watched> {
  const idle = await connection(port, LIVE);
  await once(idle.socket, 'data');
  return idle;
}

/** Sends a request after that time. @returns the time, and the status of each answer */
async function answersOf({ socket, came }: Watched, ms: number): Promise<[ms: number, statuses: number[]]> {
  await after(ms);
  socket.write(LIVE);
  return [ms, answersIn(await came).map(({ status }) => status)];
}

test('Interface 10: a connection that idles answers a request of the next second', async () => {
  const { port, stop } = await listening();
  const idle = await Promise.all(AT_MS.map(() => idleConnection(port)));
  const silent = await idleConnection(port);
  const answers = idle.map((watched, i) => answersOf(watched, AT_MS[i] ?? 0));
  await stop({ graceMs: AN_HOUR_MS });
  expect(await Promise.all(answers)).toEqual(AT_MS.map((ms) => [ms, [200, 200]]));
  expect(answersIn(await silent.came)).toHaveLength(1); // it holds up nothing
});

test('Interface 10: a new connection answers a request of its first second', async () => {
  const { port, stop } = await listening();
  const fresh = AT_MS.map(async (ms) => answersOf(await connection(port), ms));
  const silent = await connection(port);
  await stop({ graceMs: AN_HOUR_MS });
  expect(await Promise.all(fresh)).toEqual(AT_MS.map((ms) => [ms, [200]]));
  expect(await silent.came).toBe('');
});

test('Interface 10: between two requests a connection may idle for longer than the usual 60 s of a proxy', async () => {
  const socket = await open(gateway, LIVE);
  const [answer] = await once(socket, 'data');
  socket.destroy();
  expect(String(answer)).toMatch(/^keep-alive: timeout=65\r$/im);
});
