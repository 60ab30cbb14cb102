/** MAIL=smtp and servers that are slow, hostile or wrong. (Interface 17) */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mail, Mailer } from '../../src/mail/mail.js';
import { createSmtpMailer, LIMITS } from '../../src/mail/smtp.js';
import { freePort } from '../support/programs/redis.js';
import { ticked } from '../support/ticks.js';
import { readMail } from './read-mail.js';
import { type SmtpServer, startSmtpServer } from './smtp-server.js';

/** Shorter than usual, for servers that use them up */
const SHORT = { setup: 400, text: 800, answer: 400 };
const NEVER = new AbortController().signal;

const MAIL: Mail = {
  id: '01900000-0000-7000-8000-000000000000@auth.example.com',
  date: new Date('2026-11-25T12:00:00Z'),
  from: { name: 'Auth', address: 'auth@example.org' },
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'Hello.\n',
  html: '<p>Hello.</p>\n',
};

const mailers: Mailer[] = [];
afterEach(() => {
  for (const mailer of mailers.splice(0)) mailer.close();
});

/** @param limits the usual ones unless given */
function mailerTo(url: string, limits?: typeof SHORT, host = 'auth.example.com'): Mailer {
  const mailer = createSmtpMailer(url, host, limits);
  mailers.push(mailer);
  return mailer;
}

/** Speaks as `speak` does it, on each connection. @returns its port */
async function startSpeaker(speak: (socket: Socket) => void): Promise<{ port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
    speak(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Writes again and again, until the client has gone. */
function repeat(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.on('close', () => clearInterval(timer));
}

test.each<[what: string, speak: (socket: Socket) => void, outcome: string]>([
  ['says nothing', () => undefined, 'timeout'],
  ['greets with a line that does not end', (socket) => repeat(socket, 'x', 20), 'timeout'],
  ['greets without end', (socket) => repeat(socket, '220-hello\r\n', 20), 'timeout'],
  ['greets with megabytes', (socket) => repeat(socket, '220-hello\r\n'.repeat(10_000), 1), 'connection_failed'],
  ['speaks HTTP', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'connection_failed'],
  ['speaks noise', (socket) => socket.write(Buffer.from([0, 255, 10, 0, 254, 13, 10])), 'connection_failed'],
  ['hangs up', (socket) => socket.destroy(), 'connection_failed'],
  ['has no time', (socket) => socket.end('421 too busy\r\n'), 'deferred'],
  ['is no mail server any more', (socket) => socket.end('554 go away\r\n'), 'connection_failed'],
  [
    'answers EHLO byte by byte',
    (socket) => {
      socket.write('220 here\r\n');
      socket.once('data', () => repeat(socket, '2', 20));
    },
    'timeout',
  ],
  ['never answers EHLO', (socket) => socket.write('220 here\r\n'), 'timeout'],
])('Interface 17: a server that %s', async (_what, speak, outcome) => {
  await using speaker = await startSpeaker(speak);
  const mailer = mailerTo(`smtp://127.0.0.1:${speaker.port}`, outcome === 'timeout' ? SHORT : undefined);
  const [delivery, ms] = await ticked(() => mailer.send(MAIL, NEVER));
  expect(delivery).toMatchObject({ kind: 'failed', outcome });
  expect(ms).toBeLessThan(10_000);
});

test('Interface 17: a server that is not there', async () => {
  const mailer = mailerTo(`smtp://127.0.0.1:${await freePort()}`);
  expect(await mailer.send(MAIL, NEVER)).toEqual({ kind: 'failed', outcome: 'connection_failed' });
});

test('Interface 17: smtps means TLS from the start', async () => {
  await using speaker = await startSpeaker((socket) => socket.write('220 here\r\n'));
  expect(await mailerTo(`smtps://127.0.0.1:${speaker.port}`).send(MAIL, NEVER)).toEqual({
    kind: 'failed',
    outcome: 'tls',
  });
});

test('Interface 17: smtp needs STARTTLS unless the server is on this machine, by its name', async () => {
  await using server = await startSmtpServer();
  server.answer((command) => (command === 'STARTTLS' ? '502 not here' : undefined));
  const { port } = new URL(server.url);
  // On Linux this is an address of this machine, and no loopback address by its name.
  expect(await mailerTo(`smtp://0.0.0.0:${port}`).send(MAIL, NEVER)).toMatchObject({ kind: 'failed', outcome: 'tls' });
  expect(server.mails).toEqual([]);
  for (const host of ['127.0.0.1', 'LOCALHOST']) {
    expect(await mailerTo(`smtp://${host}:${port}`).send(MAIL, NEVER)).toMatchObject({ kind: 'delivered' });
  }
});

describe('a server that answers', () => {
  let server: SmtpServer;
  beforeEach(async () => {
    server = await startSmtpServer();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  test.each<[command: RegExp, reply: string, delivery: object]>([
    [/^RCPT/, '550 5.1.1 no such user', { kind: 'dropped', outcome: 'rejected', status: 550 }],
    [/^\.$/, '554 5.7.1 looks like spam', { kind: 'dropped', outcome: 'rejected', status: 554 }],
    [/^DATA/, '552 too much', { kind: 'dropped', outcome: 'rejected', status: 552 }],
    [/^RCPT/, '452 full', { kind: 'failed', outcome: 'deferred', status: 452, isOfEvent: true }],
    [/^\.$/, '451 later', { kind: 'failed', outcome: 'deferred', status: 451 }],
    [/^RCPT/, '503 wrong order', { kind: 'failed', outcome: 'deferred', status: 503 }],
    [/^MAIL/, '421 closing', { kind: 'failed', outcome: 'deferred', status: 421 }],
    [/^MAIL/, '550 5.7.1 not your address', { kind: 'failed', outcome: 'sender_refused', status: 550 }],
    [/^MAIL/, '530 5.7.0 log in first', { kind: 'failed', outcome: 'authentication', status: 530 }],
    [/^RCPT/, '530 5.7.0 log in first', { kind: 'failed', outcome: 'authentication', status: 530 }],
    [/^EHLO/, '550 not you', { kind: 'delivered', outcome: 'delivered', status: 250 }], // HELO is tried then
    [/^(EHLO|HELO)/, '550 not you', { kind: 'failed', outcome: 'connection_failed', status: 550 }],
    [/^\.$/, '', { kind: 'failed', outcome: 'timeout' }],
  ])('Interface 17: %p is answered %s', async (command, reply, delivery) => {
    server.answer((line) => (command.test(line) ? reply : undefined));
    const mailer = mailerTo(server.url, reply === '' ? SHORT : undefined);
    expect(await mailer.send(MAIL, NEVER)).toMatchObject(delivery);
  });

  test('Interface 17: after a refused recipient the next mail is sent', async () => {
    const mailer = mailerTo(server.url);
    server.answer((line) => (/^RCPT.*ada/.test(line) ? '550 no such user' : undefined));
    expect(await mailer.send(MAIL, NEVER)).toMatchObject({ kind: 'dropped' });
    expect(await mailer.send({ ...MAIL, to: 'bob@example.com' }, NEVER)).toMatchObject({ kind: 'delivered' });
  });

  test('Interface 17: a connection that the server has closed meanwhile is replaced', async () => {
    const mailer = mailerTo(server.url);
    await mailer.send(MAIL, NEVER);
    server.closeConnections();
    expect(await mailer.send(MAIL, NEVER)).toMatchObject({ kind: 'delivered' });
  });

  test.each([
    ['the greeting and the text', { setup: 60_000, text: 60_000, answer: 1_000 }, /^(EHLO|MAIL|RCPT|DATA)/],
    ['its answer to the text', { setup: 1_000, text: 1_000, answer: 60_000 }, /^\.$/],
  ])('Interface 17: a server may take long for %s', async (_what, limits, slow) => {
    server.answer(async (line) => {
      if (slow.test(line)) await sleep(1_100); // the short limits are long for a busy machine
      return undefined;
    });
    expect(await mailerTo(server.url, limits).send(MAIL, NEVER)).toMatchObject({ kind: 'delivered' });
  });

  test('Interface 17: the limits are those that the documents give, and an attempt is never longer', () => {
    const { patience } = mailerTo(server.url);
    expect(LIMITS).toEqual({ setup: 60_000, text: 180_000, answer: 600_000 });
    expect((patience?.attemptSeconds ?? 0) * 1000).toBeGreaterThan(LIMITS.text + LIMITS.answer);
  });

  test('Interface 17: a mail whose connection is lost behind its text is not sent again at once', async () => {
    const mailer = mailerTo(server.url);
    await mailer.send(MAIL, NEVER); // so that the connection is used again
    server.answer((line) => {
      if (line === '.') server.closeConnections();
      return undefined;
    });
    expect(await mailer.send(MAIL, NEVER)).toEqual({ kind: 'failed', outcome: 'connection_failed' });
    expect(server.commands.filter((line) => line === '.')).toHaveLength(2);
  });

  test('Interface 17: a login is decoded from the URL, and without one that the server takes nothing is sent', async () => {
    const { host } = new URL(server.url);
    const url = `smtp://mail%40er:p%2F%3A%25%C3%BC@${host}`;
    server.answer((line) => (/^EHLO/.test(line) ? '250-here\r\n250 AUTH PLAIN' : undefined));
    expect(await mailerTo(url).send(MAIL, NEVER)).toMatchObject({ kind: 'delivered' });
    const plain = Buffer.from('\0mail@er\0p/:%ü').toString('base64');
    expect(server.commands).toContain(`AUTH PLAIN ${plain}`);
    server.answer((line) => (/^AUTH/.test(line) ? '535 5.7.8 wrong' : undefined));
    expect(await mailerTo(url).send(MAIL, NEVER)).toEqual({ kind: 'failed', outcome: 'authentication', status: 535 });
    server.answer((line) => (/^AUTH/.test(line) ? '502 what?' : undefined));
    expect(await mailerTo(url).send(MAIL, NEVER)).toEqual({ kind: 'failed', outcome: 'authentication', status: 502 });
    expect(server.mails).toHaveLength(1);
  });

  test('Interface 17: the gateway introduces itself by its public host', async () => {
    await mailerTo(server.url).send(MAIL, NEVER);
    await mailerTo(server.url, undefined, '192.0.2.1').send(MAIL, NEVER);
    expect(server.commands.filter((line) => line.startsWith('EHLO'))).toEqual([
      'EHLO auth.example.com',
      'EHLO [192.0.2.1]',
    ]);
  });

  test('Interface 17: nothing in a mail adds a line or a header field', async () => {
    const mailer = mailerTo(server.url);
    const extra = '\r\nBcc: thief@example.org\r\n\r\n<b>';
    await mailer.send(
      { ...MAIL, subject: `Hello${extra}`, from: { name: `Auth${extra}`, address: 'auth@example.org' } },
      NEVER,
    );
    const [mail] = server.mails;
    expect([...(mail?.headers.keys() ?? [])].toSorted()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ]);
    expect(server.commands.filter((line) => line.startsWith('RCPT'))).toEqual(['RCPT TO:<ada@example.com>']);
    for (const to of [
      `ada@example.com>${extra}`,
      'ada@example.com, thief@example.org',
      `"a\r\nRCPT TO:<thief@example.org>"@example.com`,
    ]) {
      await mailer.send({ ...MAIL, to }, NEVER);
    }
    expect(server.commands.filter((line) => /RCPT.*<thief/.test(line))).toEqual([]);
  });

  test('Interface 17: a stop ends an attempt, which then counts as none', async () => {
    const stop = new AbortController();
    server.answer((line) => (line === '.' ? new Promise(() => undefined) : undefined));
    const sending = mailerTo(server.url).send(MAIL, stop.signal);
    await server.asked(/^\.$/);
    stop.abort();
    await expect(sending).rejects.toThrow(/abort/);
  });

  test('Interface 17: the text arrives as it is', async () => {
    const text = `${'long '.repeat(500)}\n.\n..dots\nFrom here\nÜmläut 😀 = =3D\n\ttab and spaces  \n`;
    await mailerTo(server.url).send({ ...MAIL, text }, NEVER);
    expect(server.mails[0]?.text.trimEnd()).toBe(text.trimEnd());
    expect(readMail(server.mails[0]?.raw ?? '').headers.get('from')).toBe('Auth <auth@example.org>');
  });
});
