/**
 * An answer of the database is lost before or after the commit. The gateway cannot know which, so it says 503, leaves
 * the cookie, and sends nothing twice. (Interface 5)
 */
import {
  type Answer,
  type Instance,
  logIn,
  refreshTokenOf,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { ask, newcomer } from '../support/gateway/graphql.js';
import { changePassword, issueLink, redeem } from '../support/gateway/passwords.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { auditDuring, liveRecords, recordsOf, userRow } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';
import { jtiOf, newKey, retryField, THEFT } from '../support/independent/retries.js';
import { through } from '../support/postgres/bridge.js';
import { type LosingProxy, type Loss, startLosingProxy } from '../support/postgres/losing-proxy.js';

const cleanUp = new AsyncDisposableStack();
let gateway: TestGateway;
let proxy: LosingProxy;
/** On the database of the gateway, through the proxy */
let instance: Instance;
let withRetry: Instance;
beforeAll(async () => {
  gateway = await startGateway();
  cleanUp.defer(gateway.close);
  const { database, clock } = gateway;
  proxy = await startLosingProxy(`${decodeURIComponent(new URL(database.url).hostname)}/.s.PGSQL.5432`);
  cleanUp.defer(proxy.close);
  const proxied = { ...database, url: through(proxy, database.url) };
  instance = await startInstance(proxied, { clock });
  cleanUp.defer(instance.close);
  withRetry = await startInstance(proxied, { clock, env: { REFRESH_RETRY: 'true' } });
  cleanUp.defer(withRetry.close);
});
afterAll(() => cleanUp.disposeAsync());

/** Where the answer is lost, and how often the request has then been carried out. */
const MOMENTS: Array<[Loss['when'], times: number]> = [
  ['unsent', 0],
  ['executed', 1],
];

/** Loses an answer during a request, which has to be unavailable for that. @returns the types of the events that it wrote */
async function losing(statement: RegExp, when: Loss['when'], request: () => Promise<Answer>): Promise<string[]> {
  const [{ result, attempts }, events] = await auditDuring(gateway, () => proxy.losing({ statement, when }, request));
  expect([result.status, cookieAction(result)]).toEqual([503, 'unchanged']);
  expect(attempts).toBe(1);
  return events.map(({ event_type }) => event_type);
}

describe.each(MOMENTS)('the connection is cut when the statement is %s:', (when, times) => {
  const events = (...types: string[]): string[] => (times === 0 ? [] : types);

  test('a login starts at most one session', async () => {
    const { id, email } = await gateway.user();
    expect(await losing(/^start_session$/, when, () => login(instance, email))).toEqual(events('login_success'));
    expect(await recordsOf(gateway, id)).toHaveLength(times);
    expect((await login(instance, email)).status).toBe(200);
  });

  test('a wrong password counts once', async () => {
    const { id, email } = await gateway.user();
    const written = await losing(/^count_failure_in_users$/, when, () => login(instance, email, WRONG));
    expect(written).toEqual(events('login_failure'));
    expect((await userRow(gateway, id)).failed_login_attempts).toBe(times);
    expect((await login(instance, email, WRONG)).status).toBe(401);
  });

  test('a refresh is no theft; if it was carried out, the next one with that token is', async () => {
    const { id, email } = await gateway.user();
    const { refreshToken } = await logIn(gateway, email);
    expect(await losing(/^rotate$/, when, () => refresh(instance, refreshToken))).toEqual([]);
    expect(await recordsOf(gateway, id)).toHaveLength(1 + times);
    const next = await refresh(instance, refreshToken);
    expect([next.status, next.json.detail]).toEqual(times === 0 ? [200, undefined] : [401, THEFT]);
  });

  test('a refresh with a proof is answered again, also if that answer is lost', async () => {
    const { id, email } = await gateway.user();
    const { refreshToken } = await logIn(gateway, email);
    gateway.clock.advance(1); // records are in the order of their creation
    const proof = retryField(newKey());
    const again = () => refresh(withRetry, refreshToken, proof);
    expect(await losing(/^rotate$/, when, again)).toEqual([]);
    if (times === 1) expect(await losing(/^retry$/, when, again)).toEqual([]);
    const successor = refreshTokenOf(await again()) ?? '';
    expect((await recordsOf(gateway, id)).map(({ jti }) => jti)).toEqual([jtiOf(refreshToken), jtiOf(successor)]);
    expect((await refresh(withRetry, successor)).status).toBe(200);
  });

  test('a logout ends the session once', async () => {
    const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
    expect(await losing(/^revoke_record$/, when, () => logout(instance, refreshToken))).toEqual(events('logout'));
    const next = await logout(instance, refreshToken);
    expect([next.status, cookieAction(next)]).toEqual([200, 'cleared']);
    expect((await liveRecords(gateway)).map(({ jti }) => jti)).not.toContain(jtiOf(refreshToken));
  });

  test('a password is changed once, and a link is used once', async () => {
    const { user, accessToken } = await newcomer(gateway);
    const change = () => changePassword(instance, accessToken, 'a changed pass phrase');
    expect(await losing(/^commit$/, when, change)).toEqual(events('user_password_changed'));
    expect((await userRow(gateway, user.id)).password_version).toBe(times);

    const token = await issueLink(gateway, user.id);
    expect(await losing(/^commit$/, when, () => redeem(instance, token))).toEqual(events('user_password_set'));
    expect((await redeem(instance, token)).status).toBe(times === 0 ? 204 : 401);
  });

  test('an administrative change is made once', async () => {
    const { as } = await newcomer(gateway, 'admin');
    const { user } = await newcomer(gateway);
    const change = () =>
      ask(instance, as, `mutation { setUserRole(input: { id: "${user.id}", role: analyst }) { user { role } } }`);
    expect(await losing(/^commit$/, when, change)).toEqual(events('user_role_changed'));
    expect((await userRow(gateway, user.id)).role).toBe(times === 0 ? 'viewer' : 'analyst');
    expect((await change()).data).toEqual({ setUserRole: { user: { role: 'analyst' } } });
  });
});
