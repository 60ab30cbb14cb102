/**
 * An outage is answered 503 within 5 seconds, whatever hangs. What hangs here hangs until the answer is there, so that
 * an answer is the proof; how long it took is bounded with ample room, for a machine that is busy. (Interface 5)
 */
import type pg from 'pg';
import {
  type Answer,
  claimsOf,
  type Instance,
  logIn,
  refreshTokenOf,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { ask, newApiKey, newCronKey, newcomer } from '../support/gateway/graphql.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { wholeState } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';
import { type FreezableDatabase, freezable } from '../support/postgres/frozen.js';
import { wholeTable, withLock } from '../support/postgres/locks.js';
import { ticked } from '../support/ticks.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** Twice the limit: it took 15 seconds and more without it. */
const AMPLE_MS = 10_000;

/** That the answer is an outage, in time. */
async function isOutage(work: Promise<Answer>): Promise<void> {
  const [answer, ms] = await ticked(() => work);
  expect([answer.status, answer.json.detail]).toEqual([503, 'Service temporarily unavailable, try again later']);
  expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  expect(cookieAction(answer)).toBe('unchanged');
  expect(ms).toBeLessThan(AMPLE_MS);
}

/** Row of a session, held by somebody else */
const heldRecord = (refreshToken: string) =>
  `begin; select from refresh_tokens where jti = '${claimsOf(refreshToken)['jti']}' for update`;

describe('a database that says nothing at all', () => {
  let frozen: FreezableDatabase;
  let on: Instance;
  const cleanUp = new AsyncDisposableStack();
  beforeAll(async () => {
    frozen = await freezable(gateway.database);
    cleanUp.defer(frozen.stop);
    on = await startInstance(frozen, { clock: gateway.clock });
    cleanUp.defer(on.close);
  });
  afterAll(() => cleanUp.disposeAsync());

  test('Interface 5: every route and every kind of caller is answered, and all goes on when it speaks again', async () => {
    const { user, as, refreshToken } = await newcomer(gateway, 'admin');
    const { as: apiKey } = await newApiKey(gateway, ['audit:read']);
    const { as: cronKey } = await newCronKey(gateway, ['reports:write']);
    const used = (await logIn(on, user.email)).refreshToken;
    await refresh(on, used);
    const other = (await logIn(on, user.email)).refreshToken;
    const events = 'a: auditEvents(first: 1) { nodes { id } } b: me { id } c: users(first: 1) { totalCount { count } }';
    const unlock = `mutation { unlockUser(input: { id: "${user.id}" }) { user { id } } }`;
    frozen.freeze();
    await Promise.all([
      isOutage(login(on, user.email)),
      isOutage(login(on, user.email, WRONG)),
      isOutage(refresh(on, refreshToken)),
      isOutage(refresh(on, used)),
      isOutage(logout(on, other)),
      isOutage(ask(on, apiKey, '{ caller { callerType } }')),
      isOutage(ask(on, cronKey, '{ caller { callerType } }')),
      isOutage(ask(on, as, `{ ${events} }`)),
      isOutage(ask(on, as, unlock)),
    ]);
    frozen.thaw();
    await until('a login succeeds', async () => (await login(on, user.email)).status === 200);
    await until('a change succeeds', async () => (await ask(on, as, unlock)).errors.length === 0);
  });

  test('Interface 7: many operations of one caller, two at once, are all answered in that time', async () => {
    const { as } = await newcomer(gateway);
    frozen.freeze();
    await Promise.all(Array.from({ length: 8 }, () => isOutage(ask(on, as, '{ me { id } }'))));
    frozen.thaw();
    await until('it is answered again', async () => (await ask(on, as, '{ me { id } }')).errors.length === 0);
  });
});

describe('a lock that somebody else holds', () => {
  test.each([
    ['Spec 4.2: the record of a refresh', refresh],
    ['Spec 4.3: the record of a logout', logout],
  ])('%s: PostgreSQL ends it itself, and nothing comes of it later', async (_name, route) => {
    const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
    await withLock(gateway, heldRecord(refreshToken), () => isOutage(route(gateway, refreshToken)));
    expect((await refresh(gateway, refreshToken)).status).toBe(200);
  });

  test('Spec 4.2.7: the sibling of a stolen token: nothing is written, and the next presentation ends it', async () => {
    const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
    const sibling = refreshTokenOf(await refresh(gateway, refreshToken)) ?? '';
    const before = await wholeState(gateway);
    await withLock(gateway, heldRecord(sibling), () => isOutage(refresh(gateway, refreshToken)));
    expect(await wholeState(gateway)).toEqual(before);
    expect((await refresh(gateway, refreshToken)).status).toBe(401);
    expect((await refresh(gateway, sibling)).status).toBe(401);
  });

  test.each(['users', 'rate_limits', 'audit_events'])('Spec 4.1: a login that needs the table %s', async (table) => {
    const { email } = await gateway.user();
    const before = await wholeState(gateway);
    await withLock(gateway, wholeTable(table), () => isOutage(login(gateway, email)));
    expect(await wholeState(gateway)).toEqual(before);
    expect((await login(gateway, email)).status).toBe(200);
  });

  test.each(['api_keys', 'signature_nonces'])('Interface 6: an API key that needs the table %s', async (table) => {
    const { as } = await newApiKey(gateway);
    const caller = '{ caller { callerType } }';
    await withLock(gateway, wholeTable(table), () => isOutage(ask(gateway, as, caller)));
    expect((await ask(gateway, as, caller)).errors).toEqual([]);
  });

  test.each(['users', 'audit_events'])('Interface 11: a listing of the table %s', async (table) => {
    const { as } = await newcomer(gateway, 'admin');
    const listing =
      table === 'users' ? '{ users(first: 1) { nodes { id } } }' : '{ auditEvents(first: 1) { nodes { id } } }';
    await withLock(gateway, wholeTable(table), () => isOutage(ask(gateway, as, listing)));
    expect((await ask(gateway, as, listing)).errors).toEqual([]);
  });

  test('Interface 11: a change whose turn does not come, and one whose row is held', async () => {
    const { as, user } = await newcomer(gateway, 'admin');
    const { id } = await gateway.user();
    const change = () =>
      ask(gateway, as, `mutation { setUserRole(input: { id: "${id}", role: analyst }) { user { role } } }`);
    await withLock(gateway, 'select pg_advisory_lock(7241093519)', () => isOutage(change()));
    const row = `begin; select from users where id = '${id}' for update`;
    await withLock(gateway, row, () => isOutage(change()));
    expect(user.id).not.toBe(id);
    expect((await change()).data.setUserRole.user.role).toBe('analyst');
  });
});

test('Interface 5: connections that are all taken: what got none in time does nothing later', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  const { pool } = gateway.app.db;
  const taken: pg.PoolClient[] = [];
  while (taken.length < (pool.options.max ?? 0)) taken.push(await pool.connect());
  await isOutage(refresh(gateway, refreshToken));
  for (const client of taken) client.release();
  await until('nobody waits', () => pool.waitingCount === 0 && pool.idleCount === pool.totalCount);
  expect((await refresh(gateway, refreshToken)).status).toBe(200); // it was not used
});
