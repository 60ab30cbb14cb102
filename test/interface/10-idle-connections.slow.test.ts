/**
 * At a stop, a connection without a request stays open for a second, because a request may be on its way. This second
 * passes in real time: sockets have no clock that a test can move. (Interface 10)
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { listen } from '../../src/http/server/listener.js';
import { FORWARD_AUTH } from '../support/gateway/authz.js';
import { logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { answersIn, open } from '../support/gateway/raw.js';
import { KEEPS_FOR, startForwardAuthProxy } from '../support/programs/forward-auth-proxy.js';
import { startServiceBehind } from '../support/programs/service-behind.js';
import { testWith } from '../support/programs/with-programs.js';
import { until } from '../support/until.js';

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

test('Interface 10: a connection that idles is no slow client, but a slow head on it is', async () => {
  const { port, stop } = await listen(gateway.app, '127.0.0.1', 0, { headersMs: 50, requestMs: 50, checkEveryMs: 20 });
  const idle = await idleConnection(port);
  await after(200);
  const answered = once(idle.socket, 'data');
  idle.socket.write(LIVE);
  await answered;
  idle.socket.write('GET /hea');
  expect(answersIn(await idle.came).map(({ status }) => status)).toEqual([200, 200, 408]);
  await stop();
});

test('Interface 10: beyond three quarters of the room each answer is the last of its connection', async () => {
  const { port, stop } = await listen(gateway.app, '127.0.0.1', 0, { ...LATER, keptConnections: 2 });
  const [one, two] = [await idleConnection(port), await idleConnection(port)];
  const more = await connection(port, LIVE);
  expect(await more.came).toMatch(/^connection: close\r$/im);
  two.socket.write(LIVE); // there is room again
  await once(two.socket, 'data');
  for (const { socket } of [one, two]) socket.destroy();
  for (const { came } of [one, two]) expect(await came).not.toMatch(/^connection: close\r$/im);
  await stop();
});

test('Interface 10: between two requests a connection may idle for longer than a proxy waits, Google among them', async () => {
  const socket = await open(gateway, LIVE);
  const [answer] = await once(socket, 'data');
  socket.destroy();
  expect(String(answer)).toMatch(/^keep-alive: timeout=620\r$/im);
});

/** Between a proxy and a gateway. @returns the port, and who ended each connection that had a question */
async function startRelay(to: number, cleanUp: AsyncDisposableStack) {
  const ends: Array<'proxy' | 'gateway'> = [];
  const relay = createServer({ allowHalfOpen: true }, (proxy) => {
    const upstream = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
    let hasAsked = false;
    let isEnding = false;
    const pass = (from: Socket, other: Socket, name: 'proxy' | 'gateway'): void => {
      const end = (): void => {
        if (!isEnding && hasAsked) ends.push(name);
        isEnding = true;
        other.end();
      };
      from.on('end', end).on('error', end);
      from.on('data', (bytes) => {
        hasAsked ||= bytes.includes('/authz/'); // HAProxy also asks for health
        other.write(bytes);
      });
    };
    pass(proxy, upstream, 'proxy');
    pass(upstream, proxy, 'gateway');
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  cleanUp.defer(() => void relay.close());
  return { port: (relay.address() as AddressInfo).port, ends };
}

describe.each(['nginx', 'haproxy', 'caddy'] as const)('Interface 10: an idle connection of %s', (kind) => {
  for (const [env, first] of [
    [{}, 'proxy'],
    [{ KEEP_ALIVE_SECONDS: '1' }, 'gateway'], // otherwise the test would see nothing
  ] as const) {
    testWith([kind, 'openssl'], `is ended by the ${first} with ${JSON.stringify(env)}`, async () => {
      await using cleanUp = new AsyncDisposableStack();
      const asked = await startGateway({ env: { ...FORWARD_AUTH, ...env } });
      cleanUp.defer(asked.close);
      const { port, ends } = await startRelay(Number(new URL(asked.url).port), cleanUp);
      const service = cleanUp.use(await startServiceBehind());
      const proxy = cleanUp.use(
        await startForwardAuthProxy(kind, { gateway: port, service: service.port }, KEEPS_FOR[kind]('3s')),
      );
      const { answer } = await logIn(asked, (await asked.user()).email);
      const headers = { authorization: `Bearer ${answer.json.access_token}` };
      await until('a question is answered', async () => (await proxy.send('GET', '/', { headers })).status === 200);
      await until('the connection is ended', () => ends.length > 0);
      expect(new Set(ends)).toEqual(new Set([first]));
    });
  }
});
