/** A rule with `live=on`: a token is good for as long as its session and the role. (Interface 23) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserActive, setUserRole } from '../../src/admin/user-changes.js';
import { startUnmailed } from '../support/gateway/account.js';
import { askAs, FAMILIES, FORWARD_AUTH, identityOf, signedOriginal } from '../support/gateway/authz.js';
import { claimsOf, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { gathering } from '../support/gateway/gathering.js';
import { newApiKey, newCronKey, newcomer } from '../support/gateway/graphql.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { countWork } from '../support/gateway/work.js';
import { forgeRefreshToken, keyringJwk } from '../support/independent/forge.js';
import { whileAway } from '../support/postgres/faults.js';
import { SESSION_ENDS } from './23-session-ends.js';

let gateway: TestGateway;
const work = countWork();
beforeAll(async () => {
  gateway = await startUnmailed({ env: { ...FORWARD_AUTH, ACCOUNT: 'on' }, instances: 2 });
  await work.watch(gateway.app.db);
});
afterAll(() => gateway.close());

const LIVE = 'caller=user,api_key,cron;live=on';
type Asked = Pick<TestGateway, 'send'>;

const question = (accessToken: string) => ({ headers: { authorization: `Bearer ${accessToken}` } });
const ask = (accessToken: string, on: Asked = gateway, rule = LIVE) =>
  askAs(on, 'forward-auth', rule, question(accessToken));

const ENDED = {
  status: 401,
  json: { detail: 'The session has ended, or the role has changed; log in again', reason: 'session_ended' },
  headers: {
    'www-authenticate':
      'Bearer realm="auth-gateway", error="invalid_token", error_description="The session has ended, or the role has changed; log in again"',
    'cache-control': 'no-store',
  },
};

describe.each(FAMILIES)('Interface 23: %s', (family) => {
  test('live=on lets a token of a live session pass, and none of an ended one; other rules still do', async () => {
    const { user, accessToken, refreshToken } = await newcomer(gateway);
    const passed = await askAs(gateway, family, LIVE, question(accessToken));
    expect([passed.status, identityOf(passed)['x-auth-caller-id']]).toEqual([200, user.id]);
    const [, answer] = [await logout(gateway, refreshToken), await askAs(gateway, family, LIVE, question(accessToken))];
    expect(answer).toMatchObject(ENDED);
    expect(identityOf(answer)).toEqual({});
    expect((await askAs(gateway, family, 'caller=user', question(accessToken))).status).toBe(200);
  });

  test('live=on is 503 while PostgreSQL is away, never a pass', async () => {
    const { accessToken } = await newcomer(gateway);
    const answer = await whileAway(gateway.database, () => askAs(gateway, family, LIVE, question(accessToken)));
    expect(answer.json.reason).toBe('unavailable');
    expect(answer.headers['retry-after']).toBe('5');
    const isNginx = family === 'auth-request';
    expect([answer.status, answer.headers['x-auth-status']]).toEqual(isNginx ? [403, '503'] : [503, undefined]);
    expect(identityOf(answer)['x-auth-caller-id']).toBeUndefined();
  });

  test('live=on asks nothing of keys', async () => {
    const { secret } = await newCronKey(gateway);
    const cron = await askAs(gateway, family, LIVE, { headers: { 'x-internal-key': secret } });
    const signed = await askAs(gateway, family, LIVE, signedOriginal(gateway, await newApiKey(gateway)));
    expect([cron.status, signed.status]).toEqual([200, 200]);
  });
});

test.each(SESSION_ENDS)('Interface 23: %s closes live=on at the next question, at every instance', async (_by, end) => {
  const session = await newcomer(gateway);
  const bystander = await newcomer(gateway);
  for (const on of gateway.two()) expect((await ask(session.accessToken, on)).status).toBe(200);
  await end(gateway, session);
  for (const on of gateway.two()) {
    expect(await ask(session.accessToken, on)).toMatchObject(ENDED);
    expect((await ask(bystander.accessToken, on)).status).toBe(200);
  }
});

test('Interface 23: a user who is deactivated while the session lives is refused, and so is a changed role', async () => {
  const one = await newcomer(gateway);
  await gateway.rows('update users set is_active = false where id = $1', [one.user.id]);
  expect(await ask(one.accessToken)).toMatchObject(ENDED);

  const other = await newcomer(gateway, 'viewer');
  await setUserRole(gateway.app, COMMAND_LINE, other.user.id, 'analyst');
  expect(await ask(other.accessToken)).toMatchObject(ENDED);
  const renewed = await refresh(gateway, other.refreshToken);
  const passed = await ask(renewed.json.access_token);
  expect([passed.status, identityOf(passed)['x-auth-role']]).toEqual([200, 'analyst']);
});

test('Interface 23: an activated user needs a new session', async () => {
  const { user, accessToken } = await newcomer(gateway);
  await setUserActive(gateway.app, COMMAND_LINE, user.id, false);
  await setUserActive(gateway.app, COMMAND_LINE, user.id, true);
  expect(await ask(accessToken)).toMatchObject(ENDED);
});

test('Interface 23: a refresh leaves the former access token as live as its session', async () => {
  const { accessToken, refreshToken } = await newcomer(gateway);
  const { status, json } = await refresh(gateway, refreshToken);
  expect(status).toBe(200);
  for (const token of [accessToken, json.access_token]) expect((await ask(token)).status).toBe(200);
});

test('Interface 23: a token that names no session is refused, and none of another user is believed', async () => {
  const { accessToken } = await newcomer(gateway);
  const other = await newcomer(gateway);
  const jwk = keyringJwk('EdDSA');
  const forged = (claims: object) =>
    forgeRefreshToken(gateway, { claims: { ...claimsOf(accessToken), ...claims }, header: { typ: 'at+jwt' }, jwk });
  expect((await ask(await forged({}))).status).toBe(200);
  for (const sid of [undefined, 'x', other.user.id]) {
    const token = await forged({ sid });
    expect(await ask(token)).toMatchObject(ENDED);
    expect((await ask(token, gateway, 'caller=user')).status).toBe(200);
  }
  await gateway.rows('delete from users where id = $1', [other.user.id]);
  expect(await ask(await forged({ sub: other.user.id }))).toMatchObject(ENDED);
});

test('Interface 23: live=on costs one statement, other rules none, and thirty at once a few', async () => {
  const { accessToken } = await newcomer(gateway);
  const statements = async (rule: string) =>
    (await work.during(() => ask(accessToken, gateway, rule)))[1].statements.length;
  expect([await statements('caller=user'), await statements('caller=user;live=on')]).toEqual([0, 1]);
  const sessions = await Promise.all(Array.from({ length: 30 }, () => newcomer(gateway)));
  await logout(gateway, sessions[7]?.refreshToken);
  const [answers, { statements: together }] = await work.during(() =>
    gathering(gateway, 2, () => Promise.all(sessions.map((session) => ask(session.accessToken)))),
  );
  expect(answers.map(({ status }) => status)).toEqual(sessions.map((_, i) => (i === 7 ? 401 : 200)));
  expect(answers.map((answer) => identityOf(answer)['x-auth-caller-id'])).toEqual(
    sessions.map(({ user }, i) => (i === 7 ? undefined : user.id)),
  );
  expect(together.length).toBeLessThan(10); // some alone, batches, and again alone the one without a row
});

test('Interface 23: an expired token is refused as one, whether or not the session lives', async () => {
  const { accessToken } = await newcomer(gateway);
  gateway.clock.advance(gateway.config.accessTokenSeconds);
  expect(await ask(accessToken)).toMatchObject({ status: 401, json: { reason: 'invalid_token' } });
});

test('Interface 23: a refusal is logged and counted as session_ended', async () => {
  const instance = await startInstance(gateway.database, { clock: gateway.clock, env: FORWARD_AUTH });
  try {
    const { accessToken, refreshToken } = await newcomer(gateway);
    await logout(gateway, refreshToken);
    const counted = 'auth_gateway_authz_checks_total{route="forward-auth",outcome="session_ended"}';
    expect((await instance.send('GET', '/metrics')).text).toContain(`${counted} 0`);
    await ask(accessToken, instance);
    expect((await instance.send('GET', '/metrics')).text).toContain(`${counted} 1`);
  } finally {
    await instance.close();
  }
});
