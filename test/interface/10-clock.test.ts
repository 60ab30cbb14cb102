/** An instance whose clock is wrong issues nothing and decides nothing by time; sessions live on. (Interface 10) */
import { randomUUID } from 'node:crypto';
import { sweepRound } from '../../src/db/sweeper.js';
import { expiringRows } from '../../src/start/compose.js';
import { type HandClock, runningClock } from '../support/gateway/clock.js';
import {
  type Answer,
  claimsOf,
  type Instance,
  logIn,
  PASSWORD,
  refreshTokenOf,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { ask, bearer, newApiKey, newCronKey, newcomer } from '../support/gateway/graphql.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { auditDuring, wholeState } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';
import { forgeRefreshToken, keyringJwk } from '../support/independent/forge.js';

const DAY = 86_400;
const CALLER = '{ caller { callerType } }';
const THEFT = 'Session invalidated — please log in again';

/** One instance is right, the other on the same database is the one that is put wrong. */
let right: TestGateway;
let clock: HandClock;
let wrong: Instance;
const passwords = quickPasswords();
beforeAll(async () => {
  right = await startGateway({ clock: runningClock() });
  clock = runningClock();
  wrong = await startInstance(right.database, { clock, maxSkewSeconds: 60, passwords });
});
afterEach(() => clock.set(new Date()));
afterAll(async () => {
  await wrong.close();
  await right.close();
});

const WAYS = [
  ['400 days ahead', 400 * DAY],
  ['400 days behind', -400 * DAY],
  ['61 seconds ahead', 61],
  ['61 seconds behind', -61],
] as const;

/** 503, the cookie as it was, and nothing written. */
async function expectOutage(act: () => Promise<Answer>): Promise<void> {
  const before = await wholeState(right);
  const answer = await act();
  expect([answer.status, answer.json.detail]).toEqual([503, 'Service temporarily unavailable, try again later']);
  expect(answer.headers['retry-after']).toBe('5');
  expect(cookieAction(answer)).toBe('unchanged');
  expect(await wholeState(right)).toEqual(before);
}

/** A good token whose record lives for so long. */
async function tokenOf(expiresInSeconds: number): Promise<string> {
  const jti = randomUUID();
  await right.rows(
    `insert into refresh_tokens (jti, user_id, family_id, user_agent, ip_address, expires_at)
     values ($1, $1, $1, '', 'x', now() + make_interval(secs => $2))`,
    [jti, expiresInSeconds],
  );
  return forgeRefreshToken(right, { claims: { jti } });
}

describe.each(WAYS)('with a clock that is %s', (_way, seconds) => {
  test('Interface 10: a login is 503 before it is counted, and right and wrong passwords get the same answer', async () => {
    const { email } = await right.user();
    await right.rows('truncate rate_limits');
    clock.advance(seconds);
    for (const password of [PASSWORD, WRONG]) await expectOutage(() => login(wrong, email, password));
    await expectOutage(() => wrong.send('POST', '/auth/login', { body: {} }));
    expect(await right.rows('select 1 from rate_limits')).toEqual([]);
    expect((await login(right, email)).status).toBe(200);
  });

  test('Interface 10: a session is neither rotated nor refused; it goes on elsewhere, and here when the clocks agree', async () => {
    const { email } = await right.user();
    const { refreshToken } = await logIn(right, email);
    clock.advance(seconds);
    await expectOutage(() => refresh(wrong, refreshToken));
    const next = refreshTokenOf(await refresh(right, refreshToken));
    clock.advance(-seconds);
    expect((await refresh(wrong, next)).status).toBe(200);
  });

  test('Interface 10: a record is neither live nor expired', async () => {
    const live = await tokenOf(DAY);
    const expired = await tokenOf(-1);
    clock.advance(seconds);
    await expectOutage(() => refresh(wrong, live));
    await expectOutage(() => refresh(wrong, expired));
    expect((await refresh(right, expired)).json.detail).toBe('Refresh token expired');
  });

  test('Spec 4.2: what does not rest on time is refused as ever', async () => {
    const forged = (claims: Record<string, unknown>) => forgeRefreshToken(right, { claims });
    const strange = { ...keyringJwk('HS256'), k: Buffer.alloc(32).toString('base64url') };
    const refusals: Array<[token: string | undefined, detail: string, cookie: string]> = [
      [undefined, 'No refresh token provided', 'unchanged'],
      [await forgeRefreshToken(right, { jwk: strange }), 'Invalid or expired refresh token', 'cleared'],
      [await forged({ iss: 'https://other.example.com' }), 'Invalid or expired refresh token', 'cleared'],
      [await forged({ type: 'access' }), 'Invalid token type', 'cleared'],
      [await forged({ sub: undefined }), 'Malformed token', 'cleared'],
      [await forged({ jti: 'seven' }), 'Invalid token format', 'unchanged'],
      [await forged({}), 'Token not recognised', 'cleared'],
    ];
    clock.advance(seconds);
    for (const [token, detail, cookie] of refusals) {
      const answer = await refresh(wrong, token);
      expect([answer.status, answer.json.detail, cookieAction(answer)]).toEqual([401, detail, cookie]);
    }
  });

  test('Spec 4.2.7: theft is theft as ever, and is written at the time of the database', async () => {
    const used = (await logIn(right, (await right.user()).email)).refreshToken;
    const successor = refreshTokenOf(await refresh(right, used));
    clock.advance(seconds);
    const [answer, events] = await auditDuring(right, () => refresh(wrong, used));
    expect([answer.status, answer.json.detail, cookieAction(answer)]).toEqual([401, THEFT, 'cleared']);
    expect(events).toMatchObject([{ event_type: 'token_theft' }]);
    expectNow(events[0]?.created_at);
    expect((await refresh(right, successor)).json.detail).toBe(THEFT);
  });

  test('Spec 4.3: a logout revokes as ever, and is written at the time of the database', async () => {
    const { refreshToken } = await logIn(right, (await right.user()).email);
    clock.advance(seconds);
    const [answer, events] = await auditDuring(right, () => logout(wrong, refreshToken));
    expect([answer.status, cookieAction(answer)]).toEqual([200, 'cleared']);
    expect(events).toMatchObject([{ event_type: 'logout' }]);
    expectNow(events[0]?.created_at);
    const ended = `select revoked_at from refresh_tokens where revoked and jti = $1`;
    const [record] = await right.rows<{ revoked_at: Date }>(ended, [claimsOf(refreshToken)['jti']]);
    expectNow(record?.revoked_at);
    for (const token of [undefined, 'junk']) expect((await logout(wrong, token)).status).toBe(200);
  });

  test('Spec 4.3: a token that may have expired is no reason to say that somebody is logged out', async () => {
    const exp = Math.floor(Date.now() / 1000) - 1;
    const token = await forgeRefreshToken(right, { claims: { exp } });
    clock.advance(seconds);
    await expectOutage(() => logout(wrong, token));
    await expectOutage(() => refresh(wrong, token));
    expect((await logout(right, token)).status).toBe(200);
  });

  test('Interface 6: callers whose credential rests on time are 503, others as ever', async () => {
    const user = await newcomer(right);
    right.clock.advance(-3_600);
    const expired = await newcomer(right);
    right.clock.advance(3_600);
    const apiKey = await newApiKey(right);
    const cronKey = await newCronKey(right);
    for (const { as } of [user, apiKey]) expect((await ask(wrong, as, CALLER)).status).toBe(200); // both are known now
    clock.advance(seconds);
    for (const { as } of [user, expired]) await expectOutage(() => ask(wrong, as, CALLER));
    await expectOutage(() => ask(wrong, apiKey.as, CALLER));
    const junk = await ask(wrong, bearer(`${user.accessToken.slice(0, -8)}AAAAAAAA`), CALLER);
    expect([junk.status, junk.reason]).toEqual([401, 'invalid_token']);
    const unsigned = await ask(wrong, () => ({ signature: 'x' }), CALLER);
    expect([unsigned.status, unsigned.reason]).toEqual([401, 'malformed_signature']);
    expect((await ask(wrong, cronKey.as, CALLER)).data.caller.callerType).toBe('cron');
    clock.advance(-seconds);
    expect((await ask(wrong, user.as, CALLER)).data.caller.callerType).toBe('user');
    expect((await ask(wrong, apiKey.as, CALLER)).data.caller.callerType).toBe('api_key');
  });

  test('Interface 10: nothing is swept', async () => {
    await right.rows('truncate refresh_tokens');
    await tokenOf(-2 * DAY);
    clock.advance(seconds);
    await sweepRound(wrong.app, expiringRows({ auditRetentionDays: 1 }));
    expect(await right.rows('select 1 from refresh_tokens')).toHaveLength(1);
  });
});

function expectNow(instant: Date | undefined): void {
  expect(Math.abs((instant?.getTime() ?? 0) - Date.now())).toBeLessThan(DAY * 1000);
}

test('Interface 10: a clock that goes wrong while a password is checked issues nothing, and counts nothing', async () => {
  const { email } = await right.user();
  for (const password of [PASSWORD, WRONG]) {
    using held = passwords.hold();
    await expectOutage(async () => {
      const answer = login(wrong, email, password);
      await held.reached(1);
      clock.advance(-3_600);
      held.release();
      return answer;
    });
    clock.advance(3_600);
  }
});

test('Interface 10: an instance that starts with a wrong clock issues nothing until the next look finds that the clocks agree', async () => {
  const started = runningClock();
  started.advance(3_600);
  const late = await startInstance(right.database, { clock: started, maxSkewSeconds: 60 });
  try {
    const { email } = await right.user();
    await expectOutage(() => login(late, email));
    expect((await late.send('GET', '/health/ready')).json.checks).toEqual({ database: 'ok', clock: 'skewed' });
    started.set(new Date());
    expect((await login(late, email)).status).toBe(200);
    expect((await late.send('GET', '/health/ready')).status).toBe(200);
  } finally {
    await late.close();
  }
});

test("Interface 10: instances whose clocks agree say the same difference if the database's is wrong, and issue nothing; one that is right is ready", async () => {
  const twin = runningClock();
  const other = await startInstance(right.database, { clock: twin, maxSkewSeconds: 60 });
  try {
    const { email } = await right.user();
    for (const one of [clock, twin]) one.advance(-3_600);
    for (const instance of [wrong, other]) {
      const ready = await instance.send('GET', '/health/ready');
      expect([ready.status, ready.json.checks.clock]).toEqual([503, 'skewed']);
      expect(ready.json.clocks.ahead_seconds).toBeCloseTo(-3_600, 0);
      expect(Date.parse(ready.json.clocks.database) - Date.parse(ready.json.clocks.here)).toBeCloseTo(3_600_000, -3);
      await expectOutage(() => login(instance, email));
    }
    const ready = await right.send('GET', '/health/ready');
    expect([ready.status, ready.json.clocks]).toEqual([200, undefined]);
  } finally {
    await other.close();
  }
});
