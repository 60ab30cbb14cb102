/** The load: what it sends and reads, against a real gateway, and against servers that say what it must not take. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { logIn, startGateway } from '../../test/support/gateway/gateway.js';
import { inClosedLoop } from './closed-loop.js';
import { openHttpConnection } from './http-connection.js';
import { post, ROTATIONS, USER_AGENT } from './requests.js';

test('rotates a session on one connection, and fails if a used token is refused', async () => {
  const gateway = await startGateway();
  try {
    const { email } = await gateway.user();
    const { refreshToken: first } = await logIn(gateway, email);
    const { request, successor } = ROTATIONS.cookie;
    const connection = await openHttpConnection(gateway.url);
    const tokens = [first];
    for (const _ of [1, 2, 3]) {
      const { head, body } = await connection.ask(request(tokens.at(-1) ?? ''));
      expect(JSON.parse(body)).toMatchObject({ token_type: 'bearer' });
      tokens.push(successor(head, body) ?? '');
    }
    expect(new Set(tokens).size).toBe(4);
    await expect(connection.ask(request(first))).rejects.toThrow('answered 401');
    connection.close();
  } finally {
    await gateway.close();
  }
});

test('a request has the fields of a browser and says how long it is', () => {
  expect(post('/auth/logout', { cookie: 'a=b' }, 'four')).toBe(
    `POST /auth/logout HTTP/1.1\r\nhost: localhost:3000\r\nuser-agent: ${USER_AGENT}\r\ncookie: a=b\r\ncontent-length: 4\r\n\r\nfour`,
  );
});

/** A server that answers each request with these pieces, and then closes where there is nothing more to say. */
async function answering(pieces: string[], closes: boolean): Promise<{ url: string; close(): void }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', async () => {
      for (const piece of pieces) {
        socket.write(piece);
        await turn(); // each in a packet of its own
      }
      if (closes) socket.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

test.each<[string, string[], boolean, object]>([
  ['in pieces', ['HTTP/1.1 200 OK\r\ncontent-le', 'ngth: 5\r\n\r', '\nab', 'cde'], false, { body: 'abcde' }],
  [
    'in chunks',
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n', '0\r\n\r\n'],
    false,
    { body: '3\r\nabc\r\n0\r\n\r\n' },
  ],
  ['of 503', ['HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'], false, { failed: 'answered 503' }],
  ['without a length', ['HTTP/1.1 200 OK\r\n\r\nabc'], false, { failed: 'an answer has no Content-Length' }],
  ['cut short', ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'], true, { failed: 'the connection was closed' }],
])('an answer %s', async (_what, pieces, closes, expected) => {
  const server = await answering(pieces, closes);
  const connection = await openHttpConnection(server.url);
  const outcome = await connection.ask('POST / HTTP/1.1\r\n\r\n').then(
    ({ body }) => ({ body }),
    (error: Error) => ({ failed: error.message }),
  );
  connection.close();
  server.close();
  expect(outcome).toEqual(expected);
});

const LOOP = { connections: 4, seconds: 3_600, leadInMs: 3_600_000 };

test('the loop ends early where there is nothing more to send, and says when it began and ended', async () => {
  let left = 10;
  let atOnce = 0;
  let mostAtOnce = 0;
  const edges: string[] = [];
  await inClosedLoop(
    LOOP,
    async () => {
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      await turn();
      atOnce -= 1;
      left -= 1;
      return left > 0;
    },
    (edge) => edges.push(edge),
  );
  expect(edges).toEqual(['began', 'ended']);
  expect(mostAtOnce).toBe(4);
});

test('counts each answer between the edges', async () => {
  let answered = 0;
  let isCounting = false;
  const loop = { connections: 2, seconds: 0.2, leadInMs: 1 };
  const { answers, rate, medianMs, p99Ms } = await inClosedLoop(
    loop,
    async () => {
      await turn();
      if (isCounting) answered += 1;
      return true;
    },
    (edge) => {
      isCounting = edge === 'began';
    },
  );
  expect(answers).toBeGreaterThan(0);
  expect(Math.abs(answers - answered)).toBeLessThanOrEqual(loop.connections); // those that are answered in that very turn
  expect(rate).toBeGreaterThan(0);
  expect(p99Ms).toBeGreaterThanOrEqual(medianMs);
});

test('the loop fails with the first request that fails', async () => {
  const failing = inClosedLoop(
    LOOP,
    () => Promise.reject(new Error('answered 503')),
    () => undefined,
  );
  await expect(failing).rejects.toThrow('answered 503');
});
