/** Costs and limits of a request for a link. `15-forgot.test.ts` has what is mailed. (Interface 15) */
import { startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { forgot, issueLink, redeem } from '../support/gateway/passwords.js';
import { login } from '../support/gateway/routes.js';
import { auditDuring, wholeState } from '../support/gateway/rows.js';
import { countWork } from '../support/gateway/work.js';
import { whileAway } from '../support/postgres/faults.js';
import { until } from '../support/until.js';

const ANSWER = { detail: 'If this address has an account, a message is on its way' };
/** Nothing reads the requests, so that what the route does stands alone. */
const NEVER_MS = 3_600_000;
const MAILING = { env: { MAIL: 'log', TRUST_PROXY: '127.0.0.1' }, outboxPollMs: NEVER_MS };

const captured = captureLog();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ ...MAILING, log: captured.log });
});
afterAll(() => gateway.close());

const requestsFor = ({ rows }: Pick<TestGateway, 'rows'>, email: string) =>
  rows<{ user_id: string | null }>(
    `select user_id from audit_events where event_type = 'password_reset_requested' and metadata ->> 'email' = $1`,
    [email],
  );

test('Interface 15: each request writes an event, whether the e-mail is known or not, in any spelling', async () => {
  const { id, email } = await gateway.user();
  for (const [asked, userId] of [
    [email, id],
    ['asked@example.com', null],
  ] as const) {
    for (const spelling of [asked, asked.toUpperCase(), ` ${asked}\n`, asked, asked]) {
      expect(await forgot(gateway, spelling)).toMatchObject({ status: 202, json: ANSWER });
    }
    expect(await requestsFor(gateway, asked)).toEqual(Array(5).fill({ user_id: userId }));
  }
});

test('Interface 15: known, deactivated and unknown e-mails run the same statements, and check no password', async () => {
  const [known, inactive] = [await gateway.user(), await gateway.user()];
  await gateway.rows('update users set is_active = false where id = $1', [inactive.id]);
  const work = countWork();
  const { clock, database } = gateway;
  const counted = await startInstance(database, { ...MAILING, clock, passwords: await work.passwords });
  // A turn that is under way would send mails meanwhile, and store that nothing is paused.
  const pause = () => gateway.rows('update outbox_cursors set paused_at = now() where claimed_by is null returning id');
  await until('no mail is being sent, and none will be', async () => (await pause()).length === 1);
  await work.watch(counted.app.db);
  const costs = [];
  for (const email of [known.email, inactive.email, 'costs-nothing@example.com']) {
    const [, done] = await work.during(() => forgot(counted, email));
    const statements = done.statements.filter((sql) => !/outbox_/.test(sql)); // it looks for work now and then
    const { verifications } = done;
    costs.push({ events: statements.filter((sql) => sql.includes('audit_events')), statements, verifications });
  }
  await counted.close();
  await gateway.rows('update outbox_cursors set paused_at = null');
  expect(costs[0]?.events).toHaveLength(1);
  expect(costs[0]?.verifications).toEqual([]);
  expect(costs[1]).toEqual(costs[0]);
  expect(costs[2]).toEqual(costs[0]);
});

test('Interface 15: it makes no link and ends none', async () => {
  const { id, email } = await gateway.user();
  const token = await issueLink(gateway, id);
  await forgot(gateway, email);
  expect(await gateway.rows('select from requested_links where user_id = $1', [id])).toEqual([]);
  expect((await redeem(gateway, token)).status).toBe(204);
});

test('Interface 15: the event has the address and the user agent of who asked', async () => {
  const { id, email } = await gateway.user();
  const headers = { 'x-forwarded-for': '198.51.100.9', 'user-agent': 'Forgetful/1' };
  const [, events] = await auditDuring(gateway, () =>
    gateway.send('POST', '/auth/password/forgot', { headers, body: { email } }),
  );
  expect(events).toMatchObject([
    {
      event_type: 'password_reset_requested',
      entity_type: 'user',
      user_id: id,
      ip_address: '198.51.100.9',
      user_agent: 'Forgetful/1',
      metadata: { email },
    },
  ]);
});

test.each([
  ['another site', { headers: { origin: 'https://evil.example' } }, 403, 'cross_site'],
  ['another content type', { headers: { 'content-type': 'text/plain' }, body: 'x' }, 415, 'unsupported_media_type'],
  ['a large body', { body: { email: 'x'.repeat(20_000) } }, 413, 'body_too_large'],
  ['no body', {}, 422, 'body_invalid'],
  ['no e-mail', { body: { mail: 'ada@example.com' } }, 422, 'body_invalid'],
])('Interface 15: %s is refused and writes nothing', async (_, options, status, reason) => {
  const events = () => gateway.rows("select id from audit_events where event_type = 'password_reset_requested'");
  const before = await events();
  const answer = await gateway.send('POST', '/auth/password/forgot', options);
  expect([answer.status, answer.json.reason]).toEqual([status, reason]);
  expect(await events()).toEqual(before);
});

test.each([
  'ada@example.com\r\nBcc: thief@example.com',
  'ada@example.com\nSubject: hello',
  'ada@example.com\u2028Bcc: thief@example.com',
  'ada@example.com%0d%0aBcc:thief@example.com',
  '<ada@example.com>',
  'Ada <ada@example.com>',
  'ada@example.com,thief@example.com',
  'ada@example.com\0',
])('Interface 15: %j is no e-mail, and is not repeated', async (email) => {
  const answer = await forgot(gateway, email);
  expect([answer.status, answer.json]).toEqual([
    422,
    {
      detail: 'Request body is invalid',
      reason: 'body_invalid',
      errors: [{ field: 'email', message: 'must be an e-mail address' }],
    },
  ]);
});

test('Interface 15: other methods are 405, and GET sends no mail', async () => {
  const before = await wholeState(gateway);
  for (const method of ['GET', 'HEAD', 'PUT']) {
    const answer = await gateway.send(method, '/auth/password/forgot?email=ada@example.com');
    expect([method, answer.status, answer.headers['allow']]).toEqual([method, 405, 'POST']);
  }
  expect(await wholeState(gateway)).toEqual(before);
});

test('Interface 15: it counts for the login limit of the address, with the other routes', async () => {
  const limited = await startGateway({ ...MAILING, env: { ...MAILING.env, LOGIN_RATE_LIMIT: '3' } });
  const from = { 'x-forwarded-for': '192.0.2.1' };
  expect((await forgot(limited, 'one@example.com')).headers['ratelimit']).toBe('"login";r=2;t=900');
  await limited.send('POST', '/auth/password/redeem', { headers: from, body: {} });
  await limited.send('POST', '/auth/login', { headers: from, body: {} });
  const answer = await forgot(limited, 'two@example.com');
  expect([answer.status, answer.json.reason]).toEqual([429, 'login_rate_limited']);
  expect(await requestsFor(limited, 'two@example.com')).toEqual([]);
  await limited.close();
});

test('Interface 14 and 15: each request counts, and the log has no e-mail', async () => {
  captured.clear();
  const counted = async () =>
    (await gateway.app.metrics.resetRequests.get()).values.find(({ labels }) => labels.outcome === 'success')?.value ??
    0;
  const before = await counted();
  for (let i = 0; i < 4; i += 1) await forgot(gateway, 'logged@example.com');
  expect((await counted()) - before).toBe(4);
  expect(captured.lines().flatMap(({ msg, outcome }) => (msg === 'request' ? [outcome] : []))).toEqual(
    Array(4).fill('success'),
  );
  expect(captured.text()).not.toContain('logged@');
  const off = await startInstance(gateway.database, { clock: gateway.clock });
  expect((await off.app.metrics.resetRequests.get()).values).toEqual([]);
  await off.close();
});

test('Interface 15: while the database is away it is 503, known or not', async () => {
  const { email } = await gateway.user();
  for (const asked of [email, 'away@example.com']) {
    const answer = await whileAway(gateway.database, () => forgot(gateway, asked));
    expect([answer.status, answer.json.reason]).toEqual([503, 'unavailable']);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    expect(await requestsFor(gateway, asked)).toEqual([]);
  }
});

test('Interface 15: a locked account is answered as any other, and stays locked', async () => {
  const { id, email } = await gateway.user();
  await gateway.rows(`update users set locked_until = '2100-01-01' where id = $1`, [id]);
  const answer = await forgot(gateway, email);
  expect([answer.status, answer.json]).toEqual([202, ANSWER]);
  expect(await requestsFor(gateway, email)).toEqual([{ user_id: id }]);
  expect((await login(gateway, email)).status).toBe(429);
});
