/**
 * Mail through a real server, with TLS, a login and outages. Needs root, `exim4` and `openssl` (REQUIRE_PROGRAMS=1).
 * (Interface 17)
 */
import tls from 'node:tls';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserEmail, setUserRole } from '../../src/admin/user-changes.js';
import type { TestGateway } from '../support/gateway/gateway.js';
import { type Exim, hasExim, startExim, USER, USER_PASSWORD } from '../support/programs/exim.js';
import { counted, parked, redeem, requestReset, sealedTokens, settled, startMailing } from './mailing.js';
import { readMail } from './read-mail.js';

const withServer = hasExim ? describe : describe.skip;

withServer('with root and Exim (REQUIRE_PROGRAMS=1 makes their absence a failure)', () => {
  let server: Exim;
  let gateway: TestGateway | undefined;
  const authorities = tls.getCACertificates('default');
  beforeAll(async () => {
    server = await startExim();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  afterEach(async () => {
    tls.setDefaultCACertificates(authorities);
    await gateway?.close();
  });

  const start = async (url: string): Promise<TestGateway> => {
    gateway = await startMailing(url);
    return gateway;
  };
  const trust = (): void => tls.setDefaultCACertificates([...authorities, server.ca]);
  const login = `${encodeURIComponent(USER)}:${encodeURIComponent(USER_PASSWORD)}`;

  test.each([
    ['plain, on this machine', () => `smtp://127.0.0.1:${server.plainPort}`],
    ['STARTTLS', () => `smtp://0.0.0.0:${server.starttlsPort}`],
    ['TLS and a login', () => `smtps://${login}@localhost:${server.smtpsPort}`],
  ])('Interface 17: a link arrives and works: %s', async (_how, url) => {
    trust();
    const started = await start(url());
    const before = (await server.mails()).length;
    await requestReset(started, await started.user());
    const mail = readMail((await server.reached(before + 1))[before] ?? '');
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail.headers.get('from')).toBe('Auth <auth@example.org>');
    expect(await redeem(started, mail)).toBe(204);
    await settled(started);
    expect(await sealedTokens(started)).toEqual([null]);
  });

  test.each([
    ['STARTTLS', () => `smtp://localhost:${server.starttlsPort}`],
    ['STARTTLS, for another name', () => `smtp://127.0.0.2:${server.starttlsPort}`],
    ['TLS, for another name', () => `smtps://${login}@127.0.0.2:${server.smtpsPort}`],
  ])('Interface 17: a server on this machine may have any certificate: %s', async (_how, url) => {
    const started = await start(url());
    const before = (await server.mails()).length;
    await requestReset(started, await started.user());
    await server.reached(before + 1);
  });

  test.each([
    ['STARTTLS', () => `smtp://0.0.0.0:${server.starttlsPort}`],
    ['TLS', () => `smtps://${login}@0.0.0.0:${server.smtpsPort}`],
    ['TLS, for another name', () => `smtps://${login}@[::ffff:0.0.0.0]:${server.smtpsPort}`],
  ])(
    'Interface 17: elsewhere a certificate that nobody trusts is refused, and the mail waits: %s',
    async (how, url) => {
      if (how.includes('name')) trust();
      const started = await start(url());
      const before = (await server.mails()).length;
      await requestReset(started, await started.user());
      await counted(started, 'tls');
      expect((await server.mails()).length).toBe(before);
      trust();
      started.clock.advance(10);
      if (how.includes('name')) await counted(started, 'tls', 2);
      else await server.reached(before + 1);
    },
  );

  test('Interface 17 and 21: a notice arrives with its two parts as they were sent, its HTML in 7bit', async () => {
    const started = await startMailing(`smtp://127.0.0.1:${server.plainPort}`, { env: { ACCOUNT: 'on' } });
    gateway = started;
    const before = (await server.mails()).length;
    const user = await started.user({ email: 'ada@example.com' });
    await setUserEmail(started.app, COMMAND_LINE, user.id, 'bob@example.com');
    const mails = (await server.reached(before + 2)).slice(before);
    for (const { headers, html, raw, text } of mails.map(readMail)) {
      expect(headers.get('auto-submitted')).toBe('auto-generated');
      expect(raw).toMatch(/^Content-Type: text\/html; charset=utf-8\r?\nContent-Transfer-Encoding: 7bit/m);
      expect(text).toContain('now has the e-mail bob@example.com.\n');
      expect(html).toContain('now has the e-mail bob@example.com.<br>\n');
      expect(html).toContain('href="https://auth.example.com/account#sessions">auth.example.com</a>');
    }
    const to = mails.map((raw) => readMail(raw).headers.get('to'));
    expect(to.toSorted()).toEqual(['ada@example.com', 'bob@example.com']);
  });

  test('Interface 17: a wrong login is reported, and the mail waits', async () => {
    trust();
    const started = await start(`smtps://${encodeURIComponent(USER)}:wrong@localhost:${server.smtpsPort}`);
    await requestReset(started, await started.user());
    await counted(started, 'authentication');
    await parked(started);
    expect(await started.rows('select attempts from outbox_events where due_at is not null')).toEqual([
      { attempts: 1 },
    ]);
  });

  test('Interface 17: a recipient that the server refuses is dropped, and the next one is mailed', async () => {
    const started = await start(`smtp://127.0.0.1:${server.plainPort}`);
    const before = (await server.mails()).length;
    await requestReset(started, await started.user({ email: 'ada@elsewhere.example' }));
    await counted(started, 'rejected');
    await requestReset(started, await started.user({ email: 'ada@example.com' }));
    const mail = readMail((await server.reached(before + 1))[before] ?? '');
    expect(mail.headers.get('to')).toBe('ada@example.com');
    await settled(started);
    expect(await sealedTokens(started)).toEqual([null, null]);
  });

  test('Interface 17: what happened while the server was away is mailed when it is back, in order', async () => {
    const started = await start(`smtp://127.0.0.1:${server.plainPort}`);
    const before = (await server.mails()).length;
    await server.stop();
    const user = await started.user();
    await requestReset(started, user);
    for (const role of ['analyst', 'viewer', 'analyst'] as const)
      await setUserRole(started.app, COMMAND_LINE, user.id, role);
    await parked(started, 3);
    await server.start();
    started.clock.advance(60);
    await counted(started, 'limited', 2); // one notice of a kind an hour
    const mails = (await server.reached(before + 2)).slice(before).map(readMail);
    const subjects = mails.map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject.startsWith('New password'))).toHaveLength(1);
    expect(subjects.filter((subject) => subject.startsWith('Your role'))).toHaveLength(1);
    const ids = mails.map(({ headers }) => headers.get('message-id'));
    expect(new Set(ids).size).toBe(2);
  });
});
