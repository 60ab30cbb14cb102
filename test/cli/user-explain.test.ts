/** The reason why somebody cannot log in, as `user explain`, `user unlock` and `session explain` report it. (Interface 9) */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../../src/config/config.js';
import { messagesOf, type Ran, runHere } from '../support/gateway/cli.js';
import { logIn, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, refresh, WRONG } from '../support/gateway/routes.js';
import { freePort } from '../support/programs/redis.js';

const LIMIT = 4;
const LOCK = 3;
const OURS = '192.0.2.1';
const ANOTHER = '192.0.2.2';

let gateway: TestGateway;
beforeAll(async () => {
  const limits = { LOGIN_RATE_LIMIT: String(LIMIT), LOGIN_MAX_FAILURES: String(LOCK) };
  gateway = await startGateway({ env: { ...limits, TRUST_PROXY: '127.0.0.1/32' }, passwords: 'argon2' });
});
beforeEach(() => gateway.rows('delete from rate_limits'));
afterAll(() => gateway.close());

/** A shell with the variables of the gateway. */
const cli = (...args: string[]): Promise<Ran> => cliWith({}, ...args);

/** A shell whose own variables differ. */
const cliWith = (own: Partial<Config>, ...args: string[]): Promise<Ran> =>
  runHere(args, () => ({ ...gateway.config, databaseUrl: gateway.database.url, ...own }));

const judge = () => `LOGIN_RATE_LIMIT=${LIMIT} of the gateway at ${gateway.url}`;

interface Explained {
  reasons: Array<{ reason: string; message: string; cure: string | null }>;
  [name: string]: unknown;
}

async function explain(name: string): Promise<Explained> {
  const ran = await cli('user', 'explain', name, '--json');
  expect([ran.code, messagesOf(ran)]).toEqual([0, '']);
  return JSON.parse(ran.stdout);
}

/** The same for a person. */
async function explained(name: string): Promise<string> {
  const { code, stdout } = await cli('user', 'explain', name);
  expect(code).toBe(0);
  return stdout;
}

async function fail(email: string, times: number, address = OURS): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i += 1) {
    gateway.clock.advance(1);
    const headers = { 'x-forwarded-for': address, 'user-agent': 'Phone/1' };
    statuses.push((await login(gateway, email, WRONG, headers)).status);
  }
  return statuses;
}

/** Types the cure of a reason, as the explanation has it. */
async function cure(name: string, reason: string): Promise<void> {
  const words = (await explain(name)).reasons.find((one) => one.reason === reason)?.cure ?? 'no such reason';
  expect(await explained(name)).toContain(` Fix: auth-gateway ${words}\n`);
  expect((await cli(...words.split(' '))).code).toBe(0);
}

test('Interface 9: a user whom nothing keeps from logging in, with the last login and the live sessions', async () => {
  const { email, id } = await gateway.user();
  await fail(email, 1);
  expect(await explain(email)).toEqual({
    name: email,
    id,
    reasons: [],
    is_active: true,
    failed_login_attempts: 1,
    locked_until: null,
    last_login_at: null,
    live_session_count: 0,
    known_device_count: 0,
    second_factor: { kinds: [], recovery_codes: 0, required_by_role: false },
    pending_email: null,
    former_emails: [],
    refused_logins: [
      {
        created_at: gateway.clock.now().toISOString(),
        event_type: 'login_failure',
        ip_address: OURS,
        user_agent: 'Phone/1',
      },
    ],
    limited_addresses: [],
    other_limited_addresses: [],
    login_limit: { attempts: LIMIT, window_seconds: 900, gateway: gateway.url },
  });
  expect(await explain(id)).toEqual(await explain(` ${email.toUpperCase()} `));
  await logIn(gateway, email);
  const text = await explained(id);
  const nothing = `Nothing prevents ${email} from logging in except a wrong password, judged by ${judge()}. Fix: `;
  expect(text).toContain(`${nothing}auth-gateway user reset-link `);
  expect(text).toContain(`Last login: ${gateway.clock.now().toISOString()}; 1 live session.\n`);
  expect(text).toMatch(/\n {2}\S+Z wrong password, or no such active user, from 192\.0\.2\.1 Phone\/1\n$/);
});

test('Interface 9: inactive, locked and limited are reported together, each with a remedy that works', async () => {
  const { email } = await gateway.user();
  expect(await fail(email, LIMIT + 1)).toEqual([401, 401, 401, 429, 429]);
  await cli('user', 'deactivate', email);
  const { reasons, limited_addresses, refused_logins } = await explain(email);
  expect(reasons.map(({ reason }) => reason)).toEqual(['inactive', 'locked', 'address_limited']);
  expect(limited_addresses).toEqual([OURS]);
  expect(refused_logins).toMatchObject([{ event_type: 'account_locked' }, ...Array(LOCK).fill({ ip_address: OURS })]);

  await cure(email, 'inactive');
  await cure(email, 'locked');
  await cure(email, 'address_limited');
  gateway.clock.advance(1); // which the command has waited
  expect((await explain(email)).reasons).toEqual([]);
  expect((await login(gateway, email, PASSWORD, { 'x-forwarded-for': OURS })).status).toBe(200);
});

test.each([
  ['5f4dcc3b5aa765d61d8327deb882cf99', /^The stored password hash is MD5, .* No login can use it\.$/],
  ['', /^The stored password hash is malformed, .* No login can use it\.$/],
  ['$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ', /^The stored password hash is malformed, /],
  [
    `$2b$16$${'a'.repeat(53)}`,
    /^The stored password hash \(bcrypt\) has cost outside 1 to 15\. No login can use it\.$/,
  ],
  [
    `$argon2id$v=19$m=524288,t=2,p=1$c29tZXNhbHQ$${'A'.repeat(43)}`,
    /^The stored password hash \(argon2\) has m outside 1 to 262144\. Only a gateway whose own ARGON2_… are as high can use it\.$/,
  ],
])('Interface 9: a stored hash that no login can use is named, and not shown: %s', async (hash, message) => {
  const { email, id } = await gateway.user();
  await gateway.rows('update users set password_hash = $2 where id = $1', [id, hash]);
  expect((await login(gateway, email)).status).toBe(401);
  const { reasons } = await explain(email);
  expect(reasons).toEqual([
    { reason: 'unusable_hash', message: expect.stringMatching(message), cure: `user reset-link ${email}` },
  ]);
  const text = await explained(email);
  expect(text).not.toContain('Nothing prevents');
  if (hash !== '') expect(text).not.toContain(hash.slice(-20));
});

test('Interface 9: the /48 of a user is reported with its own limit, and its remedy works', async () => {
  const { email } = await gateway.user();
  for (let i = 0; i < 8; i += 1) await fail('anybody@example.com', LIMIT, `2001:db8:1:${i}::1`);
  await gateway.rows(`update rate_limits set points = points - 1 where key like '%/48'`);
  await fail(email, 1, '2001:db8:1:a::1');
  const [reason] = (await explain(email)).reasons;
  expect(reason).toMatchObject({ reason: 'address_limited', cure: 'rate-limit clear --ip 2001:db8:1::/48' });
  expect(reason?.message).toMatch(
    /^By LOGIN_.*, logins of all users from 2001:db8:1::\/48 are refused until .*: 32 were counted, and 32 are allowed\.$/,
  );
  await cure(email, 'address_limited');
  expect((await explain(email)).reasons).toEqual([]);
});

test('Interface 9: an unknown user, and one that was deleted', async () => {
  await fail('nobody@example.com', LIMIT);
  const unknown = await explain('nobody@example.com');
  expect(unknown.reasons.map(({ reason, cure }) => [reason, cure])).toEqual([
    ['unknown', 'user list'],
    ['address_limited', `rate-limit clear --ip ${OURS}`],
  ]);
  expect(unknown).toMatchObject({ id: null, refused_logins: Array(LIMIT).fill({ event_type: 'login_failure' }) });
  expect((await explain('018f3a3e-1111-7000-8000-000000000000')).reasons).toMatchObject([{ reason: 'unknown' }]);

  const { email, id } = await gateway.user();
  await cli('user', 'delete', email, '--yes');
  for (const name of [email, id])
    expect((await explain(name)).reasons).toMatchObject([{ reason: 'deleted', cure: null }]);
  expect(await explained(id)).toMatch(/^The user was deleted at \S+Z\.\n/);
});

test('Interface 9: user unlock says which addresses are limited still, and what lifts that', async () => {
  const { email, id } = await gateway.user();
  const unlock = async () => messagesOf(await cli('user', 'unlock', email));
  await fail(email, LOCK);
  expect(await unlock()).toBe('');
  await fail(email, 1);
  expect(await unlock()).toMatch(
    /^by LOGIN_RATE_LIMIT=4 of the gateway at \S+, logins of all users from 192\.0\.2\.1 are still refused until \S+; .* auth-gateway rate-limit clear --ip 192\.0\.2\.1\n$/,
  );
  await cli('rate-limit', 'clear', '--ip', OURS);
  await fail('anybody@example.com', LIMIT, ANOTHER);
  expect(await unlock()).toBe(
    `by ${judge()}, 1 other address cannot log in at present; see: auth-gateway rate-limit list\n`,
  );
  expect((await explain(id))['other_limited_addresses']).toEqual([ANOTHER]);
  expect(await explained(id)).toContain(`By ${judge()}, 1 other address cannot log in at present; one may be theirs`);
});

test('Interface 9: a shell with other settings judges by those of the gateway, or says that it does not', async () => {
  const { email } = await gateway.user();
  await fail('anybody@example.com', LIMIT);
  await fail(email, 1, ANOTHER);
  const login = { ...gateway.config.login, rateLimit: 1, rateWindowSeconds: 60, maxFailures: 77 };
  const asked = await cliWith({ login }, 'user', 'explain', email);
  expect(asked.stdout).toContain(
    `Nothing prevents ${email} from logging in except a wrong password, judged by ${judge()}`,
  );
  expect(asked.stdout).toContain("By this shell's LOGIN_MAX_FAILURES, 77 lock the account.");
  const listed = await cliWith({ login }, 'rate-limit', 'list', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { ip_address: OURS, attempts: LIMIT, limit: LIMIT, is_limited: true },
    { ip_address: ANOTHER, attempts: 1, limit: LIMIT, is_limited: false },
  ]);
  expect(messagesOf(listed)).toBe(`limits: by ${judge()}\n`);
  expect(await fail(email, 1, ANOTHER)).toEqual([401]); // asking has counted no login

  const port = await freePort();
  const unasked = `this shell's LOGIN_RATE_LIMIT=1, as no gateway answers at http://127.0.0.1:${port}`;
  const alone = await cliWith({ login, port }, 'user', 'explain', email);
  expect(alone.stdout).toContain(`By ${unasked}, logins of all users from ${ANOTHER} are refused until `);
  expect(alone.stdout).not.toContain('Nothing prevents');
  const ran = await cliWith({ login, port }, 'user', 'explain', email, '--json');
  expect(JSON.parse(ran.stdout).login_limit).toEqual({ attempts: 1, window_seconds: 60, gateway: null });
  expect(messagesOf(await cliWith({ login, port }, 'user', 'unlock', email))).toContain(`by ${unasked}, logins of all`);
});

test('Interface 9: another program at the port of the gateway is not believed', async () => {
  const { email } = await gateway.user();
  const other = createServer((_req, res) => void res.setHeader('RateLimit-Policy', '"login";q=many').end());
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { stdout } = await cliWith({ port }, 'user', 'explain', email);
  expect(stdout).toContain(`judged by this shell's LOGIN_RATE_LIMIT=${LIMIT}, as no gateway answers at `);
  other.closeAllConnections();
  other.close();
});

test('Interface 9: session explain of a user without sessions says what there is', async () => {
  const { email } = await gateway.user();
  await fail(email, 2);
  const ran = await cli('session', 'explain', email);
  expect([ran.code, ran.stdout]).toEqual([0, '']);
  expect(messagesOf(ran)).toBe(
    `no sessions: ${email} has never logged in; 2 failed logins since the last successful one\n` +
      `to find out why they cannot log in: auth-gateway user explain ${email}\n`,
  );
  await logIn(gateway, email);
  await gateway.rows('delete from refresh_tokens'); // as when they are swept
  const swept = await cli('session', 'explain', email, '--json');
  expect([swept.code, swept.stdout]).toEqual([0, '[]\n']);
  expect(messagesOf(swept)).toContain(`last logged in at ${gateway.clock.now().toISOString()}`);
});

test('Interface 9: session explain prints the newest 20 sessions, and those that a theft ended first', async () => {
  const { id, email } = await gateway.user();
  for (let n = 0; n < 21; n += 1) {
    gateway.clock.advance(60);
    await gateway.rows('delete from rate_limits');
    const { refreshToken } = await logIn(gateway, email);
    if (n !== 5) continue;
    await refresh(gateway, refreshToken);
    gateway.clock.advance(61);
    await refresh(gateway, refreshToken);
  }
  const begun = await gateway.rows<{ family_id: string }>(
    'select family_id from sessions where user_id = $1 order by started_at',
    [id],
  );
  const families = begun.map(({ family_id }) => family_id);
  const ran = await cli('session', 'explain', id, '--json');
  expect([ran.code, messagesOf(ran)]).toEqual([
    0,
    'these are the newest 20 of 21 sessions; to see another, name it by its ID\n',
  ]);
  const ids = JSON.parse(ran.stdout).map((event: { session_id: string }) => event.session_id);
  const [stolen] = families.splice(5, 1);
  expect([...new Set(ids)]).toEqual([stolen, ...families.slice(1).toReversed()]);
});
