/** SIGTERM loses no request: the connections of a listener that ends. (Interface 10) */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Listening, listen } from '../../src/http/server/listener.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { answersIn, exchange, open, type RawAnswer } from '../support/gateway/raw.js';
import { until } from '../support/until.js';

const AN_HOUR_MS = 3_600_000;

const passwords = quickPasswords();
let gateway: TestGateway;
let listening: Listening;
let url: string;
/** Requests that have begun to be answered */
let begun = 0;
beforeAll(async () => {
  gateway = await startGateway({ passwords });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  begun = 0;
  const { app } = gateway;
  const handle: typeof app.handle = (req, res) => {
    begun += 1;
    app.handle(req, res);
  };
  const patience = { onItsWayMs: AN_HOUR_MS, lastRequestMs: AN_HOUR_MS };
  listening = await listen({ ...app, handle }, '127.0.0.1', 0, patience);
  url = `http://127.0.0.1:${listening.port}`;
});

const LIVE = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n';
const LOGIN_BODY = JSON.stringify({ email: 'nobody@example.com', password: 'x' });
const LOGIN =
  'POST /auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
  `Content-Length: ${LOGIN_BODY.length}\r\n\r\n${LOGIN_BODY}`;

/** What comes on a connection until it ends. */
async function received(socket: Socket): Promise<RawAnswer[]> {
  let came = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    came += chunk;
  });
  await once(socket, 'close');
  return answersIn(came);
}

const saysLast = ({ head }: RawAnswer): boolean => /^connection: close$/im.test(head);

test('Interface 10: connections that the kernel has taken before the listener closes are answered, each of them', async () => {
  const sockets = Array.from({ length: 20 }, () => connect(listening.port, '127.0.0.1'));
  const answered = sockets.map((socket) => {
    socket.on('error', () => undefined); // it is seen in what has come
    socket.write(LIVE);
    return received(socket);
  });
  await new Promise(process.nextTick); // by now the kernel has been asked to connect
  await listening.stop({ hurry: AbortSignal.abort() });
  const statuses = (await Promise.all(answered)).map((answers) => answers.map(({ status }) => status));
  expect(statuses).toEqual(Array(20).fill([200]));
});

async function isRefused(): Promise<boolean> {
  const socket = connect(listening.port, '127.0.0.1');
  const refused = await once(socket, 'connect').then(
    () => false,
    () => true,
  );
  socket.destroy();
  return refused;
}

test('Interface 10: connections that idle stay a while after the listener has closed, and end with what comes on them', async () => {
  const socket = await open({ url }, LIVE);
  const answers = received(socket);
  await once(socket, 'data');
  const stopped = listening.stop();
  await until('the listener is closed', isRefused);
  socket.write(LIVE);
  expect((await answers).map(({ status }) => status)).toEqual([200, 200]);
  expect((await answers).map(saysLast)).toEqual([false, true]);
  await stopped;
});

test('Interface 10: who is in a hurry does not wait for them', async () => {
  const hurry = new AbortController();
  const answers = received(await open({ url }, LIVE));
  const stopped = listening.stop({ hurry: hurry.signal });
  await until('the listener is closed', isRefused);
  hurry.abort();
  expect((await answers).map(({ status }) => status)).toEqual([200]);
  await stopped;
});

test.each([
  ['the newest of which is unsent', '', '', [401, 401], [false, true]],
  ['the newest of which waits to be sent', LIVE, '', [401, 401, 200], [false, false, false]],
  ['and of one that comes later', LIVE, LIVE, [401, 401, 200, 200], [false, false, false, true]],
])(
  'Interface 10: of answers under way when the end begins, %s, each is sent',
  async (_what, before, after, statuses, last) => {
    using held = passwords.hold();
    const socket = await open({ url }, LOGIN + LOGIN + before);
    const answers = received(socket);
    await held.reached(2);
    await until('those before have begun', () => begun === (before === '' ? 2 : 3));
    listening.drain();
    socket.write(after);
    await until('all have begun', () => begun === statuses.length);
    held.release();
    const stopped = listening.stop({ hurry: AbortSignal.abort() });
    expect((await answers).map(({ status }) => status)).toEqual(statuses);
    expect((await answers).map(saysLast)).toEqual(last);
    await stopped;
  },
);

test('Interface 10: a request that comes after the end has begun has the last answer, and nothing is done for one after it', async () => {
  using held = passwords.hold();
  const socket = await open({ url }, LOGIN);
  const answers = received(socket);
  await held.reached(1);
  listening.drain();
  socket.write(LIVE + LIVE);
  await until('the next has begun', () => begun === 2);
  held.release();
  expect((await answers).map(({ status }) => status)).toEqual([401, 200]);
  expect((await answers).map(saysLast)).toEqual([false, true]);
  expect(begun).toBe(2);
  expect((await exchange({ url }, LIVE)).slice(0, 12)).toBe('HTTP/1.1 200'); // a new connection is still taken
  await listening.stop();
});
