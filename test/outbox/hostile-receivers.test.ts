/** Receivers that hold up, flood, mislead or break off. Each is a socket whose answers a test writes down. (Interface 17) */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createWebhook } from '../../src/admin/webhooks.js';
import { createSender, READ_BYTES, type Sender } from '../../src/outbox/webhooks/send.js';
import { checkedLookup } from '../../src/outbox/webhooks/target.js';
import { collectGarbage } from '../support/garbage.js';
import { startGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { ticked } from '../support/ticks.js';
import { until } from '../support/until.js';
import { startReceiver } from './receiver.js';

/** What it says once a request has come. */
type Saying = (socket: Socket) => void;

const TIMEOUT_MS = 400;
const BODY_MS = 150;

let saying: Saying = () => undefined;
let server: Server;
let url: string;
let sender: Sender;
const sockets = new Set<Socket>();
/** Sockets that had a request */
let asked = 0;
beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      if (!bytes.toString('latin1').startsWith('POST ')) return;
      asked += 1;
      saying(socket);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
beforeEach(() => {
  asked = 0;
  sender = createSender(checkedLookup(), TIMEOUT_MS, BODY_MS);
});
afterEach(() => sender.close());
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

async function post(how: Saying, to = sender, signal = new AbortController().signal) {
  saying = how;
  const began = performance.now();
  const request = { url, headers: { 'webhook-id': '1' }, body: '{"a":1}' };
  const [answer, ms] = await ticked(() => to.post(request, new Date(), signal));
  return { ...answer, ms, passedMs: performance.now() - began };
}

const say =
  (...parts: Array<string | Buffer>): Saying =>
  (socket) => {
    for (const part of parts) socket.write(part);
  };

/** Says it, then something else. */
const begin =
  (head: string, next: Saying): Saying =>
  (socket) => {
    socket.write(head);
    next(socket);
  };

/** Says it, then closes. */
const end =
  (text: string): Saying =>
  (socket) =>
    socket.end(text);

/** Writes until nobody listens, as fast as it is read. @returns bytes so far */
function flood(socket: Socket, part: Buffer): { bytes: number } {
  const sent = { bytes: 0 };
  const more = (): void => {
    while (!socket.destroyed) {
      sent.bytes += part.length;
      if (!socket.write(part)) return void socket.once('drain', more);
    }
  };
  more();
  return sent;
}

/** Writes again and again, a little. */
function drip(socket: Socket, part: string, everyMs = 20): void {
  const timer = setInterval(() => socket.write(part), everyMs);
  socket.on('close', () => clearInterval(timer));
}

const FIELDS = Buffer.from('X-A: a\r\n'.repeat(8_192));

describe('Interface 17: answers that are too long', () => {
  test.each([
    ['without a length', 'HTTP/1.1 200 OK\r\n\r\n', Buffer.alloc(65_536, 'a')],
    ['with a length of 1 TB', 'HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\n', Buffer.alloc(65_536, 'a')],
    [
      'in chunks',
      'HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n',
      Buffer.from(`400\r\n${'a'.repeat(1024)}\r\n`),
    ],
  ])('a body without end, %s: 4 KiB of it are read, and the connection is closed', async (_how, head, part) => {
    let sent = { bytes: 0 };
    const { delivery, body, ms } = await post((socket) => {
      socket.write(head);
      sent = flood(socket, part);
    });
    expect(delivery.outcome).toBe(head.includes('200') ? 'delivered' : 'http_error');
    expect(body).toEqual(Buffer.alloc(READ_BYTES, 'a'));
    expect(ms).toBeLessThan(TIMEOUT_MS);
    await until('the connection is closed', () => sockets.size === 0);
    expect(sent.bytes).toBeLessThan(16_000_000); // what the kernel takes by itself
  });

  test('memory stays as it is when many are read', async () => {
    const part = Buffer.alloc(65_536, 'a');
    const endless: Saying = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      flood(socket, part);
    };
    const { signal } = new AbortController(); // as the one of an instance, which lives long
    const used = (): number => {
      collectGarbage();
      return process.memoryUsage().external;
    };
    for (let i = 0; i < 20; i += 1) await post(endless, sender, signal);
    const before = used();
    for (let i = 0; i < 200; i += 1) await post(endless, sender, signal);
    // V8 frees buffers in a thread of its own, some time after they were garbage.
    await until('it is as before, to within 50 kB for each', () => used() - before < 10_000_000);
  });

  test.each([
    ['one field', say(`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`)],
    ['many fields', say(`HTTP/1.1 200 OK\r\n${'X-A: a\r\n'.repeat(20_000)}\r\n`)],
    ['fields without end', begin('HTTP/1.1 200 OK\r\n', (socket) => flood(socket, FIELDS))],
    ['a reason without end', begin('HTTP/1.1 200 ', (socket) => flood(socket, Buffer.alloc(65_536, 'a')))],
  ] satisfies Array<[string, Saying]>)('a head of %s fails', async (_what, how) => {
    const { delivery, body } = await post(how);
    expect(delivery).toEqual({ kind: 'failed', outcome: expect.stringMatching(/^(connection_failed|timeout)$/) });
    expect(body).toHaveLength(0);
  });

  test('a gzip bomb is not decompressed, and compression is not asked for', async () => {
    const bomb = gzipSync(Buffer.alloc(8_000_000));
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
    const { delivery, body } = await post(say(head, bomb));
    expect(delivery.outcome).toBe('delivered');
    expect(body).toEqual(bomb.subarray(0, READ_BYTES));
    const receiver = await startReceiver();
    await sender.post({ url: receiver.url, headers: {}, body: '{}' }, new Date(), new AbortController().signal);
    await receiver.close();
    expect(Object.keys(receiver.received[0]?.headers ?? {}).toSorted()).toEqual([
      ...['connection', 'content-length', 'content-type', 'host', 'user-agent'],
    ]);
  });
});

describe('Interface 17: answers that are too slow', () => {
  test.each([
    ['no answer', () => undefined],
    ['a status line that drips', (socket: Socket) => drip(socket.setNoDelay(), 'H')],
    ['fields that drip', begin('HTTP/1.1 200 OK\r\n', (socket) => drip(socket, 'X-A: a\r\n'))],
    ['early hints without end', (socket: Socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n')],
  ] satisfies Array<[string, Saying]>)('%s: it ends in time', async (_what, how) => {
    const { delivery, ms } = await post(how);
    expect(delivery).toEqual({ kind: 'failed', outcome: expect.stringMatching(/^(connection_failed|timeout)$/) });
    expect(ms).toBeLessThan(TIMEOUT_MS + 2_000);
    await until('the connection is closed', () => sockets.size === 0);
  });

  test('no answer is a timeout', async () => {
    const { delivery, passedMs } = await post(() => undefined);
    expect(delivery).toEqual({ kind: 'failed', outcome: 'timeout' });
    expect(passedMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 10);
  });

  test.each([
    ['HTTP/1.1 200 OK\r\n\r\n', 'a'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n', 'a'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\na\r\n'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'a'], // an extension of a chunk
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'X-A: a\r\n'], // trailers
    ['HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n', ''],
  ])('a body that drips holds the next event only for a moment: %j %j', async (head, part) => {
    const { delivery, ms } = await post(begin(head, (socket) => drip(socket, part)));
    expect(delivery).toEqual({ kind: 'delivered', outcome: 'delivered', status: 200 });
    expect(ms).toBeLessThan(BODY_MS + 2_000);
    await until('the connection is closed', () => sockets.size === 0);
  });

  test('an attempt that the process ends is no answer', async () => {
    const stopping = new AbortController();
    const posted = post(() => stopping.abort(), sender, stopping.signal);
    await expect(posted).rejects.toThrow();
    await expect(post(end('HTTP/1.1 204 No\r\n\r\n'), sender, stopping.signal)).rejects.toThrow();
    expect(asked).toBe(1);
  });

  test('what has been answered stays so when the process ends', async () => {
    const stopping = new AbortController();
    const { delivery } = await post(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n');
        setTimeout(() => stopping.abort(), 50);
      },
      sender,
      stopping.signal,
    );
    expect(delivery.outcome).toBe('delivered');
  });
});

describe('Interface 17: answers that mislead', () => {
  const METADATA = 'http://169.254.169.254/latest/meta-data/';
  test.each([300, 301, 302, 303, 304, 305, 307, 308])('%i is a failure, and nobody goes there', async (status) => {
    const other = await startReceiver();
    for (const location of [METADATA, other.url]) {
      const head = `HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\nRefresh: 0; url=${location}\r\nContent-Length: 0\r\n\r\n`;
      const { delivery } = await post(say(head));
      expect(delivery).toEqual({ kind: 'failed', outcome: 'redirect', status });
    }
    expect(other.received).toEqual([]);
    expect(asked).toBe(2);
    await other.close();
  });

  test.each([
    ['garbage', say('\0\x01\x02 SSH-2.0-OpenSSH_9.6\r\n'.repeat(10))],
    ['another protocol', say('220 mail.example.com ESMTP\r\n')],
    ['HTTP/2', say('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
    ['a version of nothing', say('HTTP/9.9 200 OK\r\n\r\n')],
    ['a status of letters', say('HTTP/1.1 abc OK\r\n\r\n')],
    ['a status of two digits', say('HTTP/1.1 20 OK\r\n\r\n')],
    ['a request', say('POST / HTTP/1.1\r\nHost: a\r\n\r\n')],
    ['two lengths', say('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab')],
    ['a length and chunks', say('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')],
    ['a length of letters', say('HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n')],
    ['a field with a line break', say('HTTP/1.1 200 OK\r\nX-A: a\rb\r\n\r\n')],
    ['100 Continue alone', say('HTTP/1.1 100 Continue\r\n\r\n')],
    ['100 Continue, then 200', say('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')],
    [
      '101 Switching Protocols',
      say('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
    ],
    ['an end', end('')],
    ['half of a head, then an end', end('HTTP/1.1 200 OK\r\nX-A:')],
    ['a reset', (socket: Socket) => socket.resetAndDestroy()],
    ['a reset within the head', (socket: Socket) => void socket.write('HTTP/1.1 200', () => socket.resetAndDestroy())],
  ] satisfies Array<[string, Saying]>)('%s is a connection that failed', async (_what, how) => {
    const { delivery, body } = await post(how);
    expect(delivery).toEqual({ kind: 'failed', outcome: 'connection_failed' });
    expect(body).toHaveLength(0);
    await until('the connection is closed', () => sockets.size === 0);
  });

  test.each([
    ['204 with a body', say('HTTP/1.1 204 No Content\r\n\r\nbody')],
    ['204 with a length', say('HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nbody')],
    ['more than its length', say('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc')],
    ['less than its length', end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\na')],
    ['a chunk that is none', say('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n')],
    [
      'a second answer',
      say('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n'),
    ],
    [
      'a reset within the body',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na');
        setTimeout(() => socket.resetAndDestroy(), 20);
      },
    ],
  ] satisfies Array<[string, Saying]>)('%s: its status has decided', async (_what, how) => {
    const { delivery, body } = await post(how);
    expect(delivery).toMatchObject({ kind: 'delivered', outcome: 'delivered' });
    expect(body.length).toBeLessThanOrEqual(4);
  });

  test('an answer that came too early is not taken for that of the next request', async () => {
    const [ok, forged] = [
      'HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
    ];
    expect((await post(say(ok, forged))).delivery.outcome).toBe('http_error');
    expect((await post(say(ok, forged))).delivery.outcome).not.toBe('delivered');
  });

  test.each([
    [199, 'connection_failed'],
    [200, 'delivered'],
    [299, 'delivered'],
    [400, 'http_error'],
    [401, 'http_error'],
    [410, 'gone'],
    [503, 'http_error'],
    [999, 'http_error'],
  ])('%i is %s', async (status, outcome) => {
    const { delivery } = await post(end(`HTTP/1.1 ${status} A\r\nContent-Length: 0\r\n\r\n`));
    expect(delivery.outcome).toBe(outcome);
  });

  test.each([
    ['Retry-After: 120', 120],
    ['Retry-After: 0', 0],
    ['Retry-After: -1', 0], // V8 reads it as a date of 2001
    ['Retry-After: 1e9', undefined],
    ['Retry-After: 99999999999', undefined],
    ['Retry-After: Infinity', undefined],
    ['Retry-After: 120\r\nRetry-After: 240', undefined],
    ['Retry-After: Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Retry-After: soon', undefined],
  ])('503 with %j asks for a pause of %s seconds', async (field, seconds) => {
    const { delivery } = await post(end(`HTTP/1.1 503 A\r\n${field}\r\nContent-Length: 0\r\n\r\n`));
    expect(delivery.kind === 'failed' && delivery.retryAfterSeconds).toBe(seconds);
  });
});

test('Interface 17: a receiver that is not there is a connection that failed', async () => {
  const gone = await startReceiver();
  await gone.close();
  const { delivery } = await sender.post(
    { url: gone.url, headers: {}, body: '{}' },
    new Date(),
    new AbortController().signal,
  );
  expect(delivery).toEqual({ kind: 'failed', outcome: 'connection_failed' });
});

test('Interface 17: a body that drips does not hold the next events, and nothing of an answer is stored or logged', async () => {
  const MARK = 'answer-of-a-receiver';
  const captured = captureLog();
  const { host } = new URL(url);
  const gateway = await startGateway({ env: { WEBHOOK_HOSTS: host }, log: captured.log, outboxPollMs: 20 });
  try {
    saying = (socket) => {
      const status = asked === 2 ? `500 ${MARK}` : `200 ${MARK}`;
      socket.write(`HTTP/1.1 ${status}\r\nX-A: ${MARK}\r\nSet-Cookie: ${MARK}\r\nContent-Length: 9999\r\n\r\n${MARK}`);
      drip(socket, MARK, 100);
    };
    await createWebhook(gateway.app, COMMAND_LINE, { url });
    await gateway.user();
    await gateway.user();
    const [, ms] = await ticked(() => until('three events were sent', () => asked >= 3));
    expect(ms).toBeLessThan(7_000);
    await until('one has failed', () => captured.text().includes('"outcome":"http_error"'));
    expect(captured.text()).not.toContain(MARK);
    const tables = await gateway.rows<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public'`,
    );
    for (const { name } of tables) {
      const [found] = await gateway.rows(`select count(*)::integer as found from ${name} as t where t::text like $1`, [
        `%${MARK}%`,
      ]);
      expect([name, found]).toEqual([name, { found: 0 }]);
    }
  } finally {
    for (const socket of sockets) socket.destroy();
    await gateway.close();
  }
});
