/** What counts for the login limit of an address, and the second step on known devices. (Interface 5, 16 and 20) */
import pg from 'pg';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserActive } from '../../src/admin/user-changes.js';
import { deviceOf, loginFrom } from '../support/gateway/devices.js';
import { codeAt, confirm, type WithTotp, withPasskey, withTotp, wrongCode } from '../support/gateway/factors.js';
import { type Answer, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer, type SignedIn } from '../support/gateway/graphql.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { auditDuring, userRow } from '../support/gateway/rows.js';
import { SoftwareAuthenticator } from '../support/independent/passkeys/software-authenticator.js';
import { until } from '../support/until.js';

const LIMIT = 5;
const MOST = 5;

let limited: TestGateway;
/** Logged in from another address than those of the tests */
let visitor: SignedIn;
let gateway: TestGateway;
beforeAll(async () => {
  limited = await startGateway({ env: { LOGIN_RATE_LIMIT: String(LIMIT), TRUST_PROXY: '127.0.0.1' } });
  visitor = await newcomer(limited);
  gateway = await startGateway({ env: { KNOWN_DEVICES: 'on', LOGIN_MAX_FAILURES: String(MOST) } });
});
afterAll(async () => {
  for (const one of [limited, gateway]) await one?.close();
});

let addresses = 0;
/** Requests from an address of their own. */
function from(on: TestGateway): Pick<TestGateway, 'send'> {
  addresses += 1;
  const address = `192.0.2.${addresses}`;
  return {
    send: (method, path, options) =>
      on.send(method, path, { ...options, headers: { 'x-forwarded-for': address, ...options?.headers } }),
  };
}

/** The requests that the address has left, if this one was counted. */
function leftIn({ headers }: Answer): number | undefined {
  const left = /^"login";r=(\d+);t=\d+$/.exec(String(headers['ratelimit']))?.[1];
  return left === undefined ? undefined : Number(left);
}

const bearing = (token: string) => ({ authorization: `Bearer ${token}` });
const NO_ID = '01997a3e-5f0c-7cc3-9a4e-0d1b6c2f8a77';

const COUNTED = ['login/factor', 'login/passkey/options', 'login/passkey', 'confirm', 'confirm/options'];

test.each(COUNTED)('Interface 20: each request to /auth/%s counts for the login limit of its address', async (path) => {
  const address = from(limited);
  const { accessToken } = visitor;
  const bodies = [{}, { challenge: 'x', code: '000000' }, { ceremony: 'x', credential: {} }, '['];
  for (const [i, body] of bodies.entries()) {
    const answer = await address.send('POST', `/auth/${path}`, { headers: bearing(accessToken), body });
    expect(leftIn(answer)).toBe(LIMIT - 1 - i);
    expect(answer.headers['ratelimit-policy']).toBe(`"login";q=${LIMIT};w=900`);
  }
  expect(leftIn(await login(address, 'nobody@example.com'))).toBe(0);
  const refused = await address.send('POST', `/auth/${path}`, { headers: bearing(accessToken), body: {} });
  expect([refused.status, refused.json.reason]).toEqual([429, 'login_rate_limited']);
  expect((await address.send('GET', `/auth/${path}`)).status).toBe(405);
  const crossSite = await address.send('POST', `/auth/${path}`, { headers: { origin: 'https://evil.example' } });
  expect([crossSite.status, leftIn(crossSite)]).toEqual([403, undefined]);
});

test('Interface 20: wrong passkeys end at the limit of their address', async () => {
  const address = from(limited);
  const statuses = [];
  for (let i = 0; i < LIMIT; i += 1) {
    const body = { ceremony: 'x', credential: {} };
    statuses.push((await address.send('POST', '/auth/login/passkey', { body })).status);
  }
  expect(statuses).toEqual(Array(LIMIT).fill(401));
  expect((await address.send('POST', '/auth/login/passkey', { body: {} })).status).toBe(429);
});

test('Interface 20: an app and a passkey are added within the limit of one login, even after it is reached', async () => {
  const address = from(limited);
  const { accessToken } = visitor;
  for (let i = 0; i < LIMIT; i += 1) await login(address, 'nobody@example.com');
  expect((await login(address, 'nobody@example.com')).status).toBe(429);
  const ask = (path: string, body: object) =>
    address.send('POST', `/auth/factors/${path}`, { headers: bearing(accessToken), body });
  const answers: Answer[] = [];
  const app = await ask('totp', {});
  answers.push(app);
  const code = codeAt(app.json.secret, limited.clock.now());
  answers.push(await ask(`totp/${app.json.id}`, { code }));
  const options = await ask('passkey/options', {});
  answers.push(options);
  const authenticator = new SoftwareAuthenticator({ rpId: 'localhost', origin: limited.config.publicUrl });
  const { ceremony, publicKey } = options.json;
  answers.push(await ask('passkey', { ceremony, credential: authenticator.create(publicKey), name: 'Laptop' }));
  answers.push(await ask('recovery-codes', {}));
  const path = `/auth/factors/${app.json.id}`;
  answers.push(await address.send('DELETE', path, { headers: bearing(accessToken) }));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 204]);
  for (const answer of answers) {
    expect([leftIn(answer), answer.headers['ratelimit-policy']]).toEqual([undefined, `"login";q=${LIMIT};w=900`]);
  }
});

test.each([
  ['POST', 'totp'],
  ['POST', `totp/${NO_ID}`],
  ['POST', 'passkey/options'],
  ['POST', 'passkey'],
  ['POST', 'recovery-codes'],
  ['DELETE', NO_ID],
])('Interface 20: %s /auth/factors/%s without a valid token counts', async (method, path) => {
  const address = from(limited);
  const { refreshToken } = visitor;
  const tried = [{}, bearing('x'), bearing(refreshToken), { authorization: 'Basic x' }, { 'x-internal-key': 'ik_x' }];
  for (const [i, headers] of tried.entries()) {
    const answer = await address.send(method, `/auth/factors/${path}`, { headers });
    expect([answer.status, leftIn(answer)]).toEqual([401, LIMIT - 1 - i]);
  }
  const refused = await address.send(method, `/auth/factors/${path}`);
  expect([refused.status, refused.json.reason]).toEqual([429, 'login_rate_limited']);
});

interface Owner extends WithTotp {
  /** The cookie of a browser in which the user has logged in */
  device: string;
}

const now = () => gateway.clock.now();
const withCookie = (device: string | undefined) => (device === undefined ? {} : { cookie: `device=${device}` });
const finishFrom = (device: string | undefined, challenge: string, proof: object) =>
  gateway.send('POST', '/auth/login/factor', { headers: withCookie(device), body: { challenge, ...proof } });
const challengeFrom = async (device: string | undefined, email: string): Promise<string> =>
  (await loginFrom(device, gateway, email)).json.challenge;
const rightCode = ({ secret }: WithTotp) => ({ code: codeAt(secret, now()) });
const wrong = ({ secret }: WithTotp) => ({ code: wrongCode(secret, now()) });

/** A user with an authenticator app, and the device of their first login by it. */
async function owner(): Promise<Owner> {
  const app = await withTotp(gateway);
  const answer = await finishFrom(undefined, await challengeFrom(undefined, app.user.email), rightCode(app));
  const device = deviceOf(answer);
  if (device === undefined) throw new Error(`no device: ${answer.text}`);
  gateway.clock.advance(30);
  return { ...app, device };
}

async function lockAccount(email: string): Promise<void> {
  for (let i = 0; i < MOST; i += 1) expect((await login(gateway, email, WRONG)).status).toBe(401);
}

test('Interface 16: a login by both steps makes its device known, and renews its entry', async () => {
  const { user, device, ...app } = await owner();
  gateway.clock.advance(30);
  const challenge = await challengeFrom(device, user.email);
  const answer = await finishFrom(device, challenge, rightCode({ user, ...app }));
  expect(deviceOf(answer)).not.toBe(device);
  const cookie = answer.cookies.find((one) => one.startsWith('device='));
  expect(cookie).toMatch(/; Max-Age=15552000; Path=\/auth\/login; HttpOnly;/);
  const devices = await gateway.rows('select * from known_devices where user_id = $1', [user.id]);
  expect(devices).toHaveLength(2); // one of the first login, which had one step
});

test('Interface 16: strangers lock the account, and the owner passes both steps on a known device', async () => {
  const app = await owner();
  await lockAccount(app.user.email);
  const challenge = await challengeFrom(app.device, app.user.email);
  const [stranger] = await auditDuring(gateway, () => finishFrom(undefined, challenge, rightCode(app)));
  expect([stranger.status, stranger.json.reason]).toEqual([429, 'account_locked']);
  expect((await finishFrom(app.device, challenge, rightCode(app))).status).toBe(200);
  expect(await userRow(gateway, app.user.id)).toMatchObject({ failed_login_attempts: MOST });
  expect((await login(gateway, app.user.email)).status).toBe(429);
});

test('Interface 16: wrong codes on a known device are of its own count and lock', async () => {
  const app = await owner();
  const challenge = await challengeFrom(app.device, app.user.email);
  for (let i = 0; i < MOST; i += 1) expect((await finishFrom(app.device, challenge, wrong(app))).status).toBe(401);
  const [locked, events] = await auditDuring(gateway, () => finishFrom(app.device, challenge, rightCode(app)));
  expect([locked.status, events]).toMatchObject([429, [{ event_type: 'account_locked', metadata: { by: 'device' } }]]);
  expect((await loginFrom(app.device, gateway, app.user.email)).status).toBe(429);
  expect(await userRow(gateway, app.user.id)).toMatchObject({ failed_login_attempts: 0, locked_until: null });
  expect((await finishFrom(undefined, challenge, rightCode(app))).status).toBe(200);
});

test('Interface 16: a passkey logs in on a known device while strangers have locked the account', async () => {
  const { user, authenticator } = await withPasskey(gateway);
  const attempt = async (device?: string) => {
    const { ceremony, publicKey } = (await gateway.send('POST', '/auth/login/passkey/options')).json;
    const body = { ceremony, credential: authenticator.get(publicKey) };
    return gateway.send('POST', '/auth/login/passkey', { headers: withCookie(device), body });
  };
  const device = deviceOf(await attempt());
  await lockAccount(user.email);
  expect((await attempt()).status).toBe(429);
  expect((await attempt(device)).status).toBe(200);
  expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: MOST });
});

test('Interface 16: a confirmation has no device: its failures and its lock are those of the account', async () => {
  const app = await owner();
  expect((await confirm(gateway, app.accessToken, wrong(app))).status).toBe(403);
  expect(await userRow(gateway, app.user.id)).toMatchObject({ failed_login_attempts: 1 });
});

/** What happens if the device is forgotten after the gateway has read it, and before it writes. */
async function whileForgotten(app: Owner, proof: object): Promise<Answer> {
  const challenge = await challengeFrom(app.device, app.user.email);
  const other = new pg.Client({ connectionString: gateway.database.url });
  await other.connect();
  try {
    await other.query('begin');
    await other.query('delete from known_devices where user_id = $1', [app.user.id]);
    const answer = finishFrom(app.device, challenge, proof);
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await until('the login waits', async () => (await gateway.rows(waiting)).length > 0);
    await other.query('commit');
    return await answer;
  } finally {
    await other.end();
  }
}

test('Interface 16: a wrong code whose device is forgotten meanwhile counts for the account', async () => {
  const app = await owner();
  expect((await whileForgotten(app, wrong(app))).status).toBe(401);
  expect(await userRow(gateway, app.user.id)).toMatchObject({ failed_login_attempts: 1 });
});

test('Interface 16: a right code whose device is forgotten meanwhile is the login of a stranger', async () => {
  const app = await owner();
  const answer = await whileForgotten(app, rightCode(app));
  expect([answer.status, deviceOf(answer)]).toEqual([200, expect.any(String)]);
  expect(await userRow(gateway, app.user.id)).toMatchObject({ failed_login_attempts: 0 });
});

test('Interface 16: a deactivation ends the devices of a user with a factor', async () => {
  const app = await owner();
  for (const isActive of [false, true]) await setUserActive(gateway.app, COMMAND_LINE, app.user.id, isActive);
  await lockAccount(app.user.email);
  expect((await loginFrom(app.device, gateway, app.user.email)).status).toBe(429);
});
