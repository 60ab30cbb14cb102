/** The account lock, a test a row. (Spec 3.2) */
import { logIn, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { auditDuring, userRow } from '../support/gateway/rows.js';

const MOST = 3;
const LOCK_SECONDS = 100;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    env: { LOGIN_MAX_FAILURES: String(MOST), LOGIN_LOCKOUT_SECONDS: String(LOCK_SECONDS) },
  });
});
afterAll(() => gateway.close());

const inSeconds = (seconds: number): Date => new Date(gateway.clock.now().getTime() + seconds * 1000);

/** A user that the third wrong password has just locked. */
async function lockedUser(): Promise<{ id: string; email: string }> {
  const user = await gateway.user();
  for (let i = 0; i < MOST; i += 1) await login(gateway, user.email, WRONG);
  return user;
}

test('Spec 3.2.1: unlocked to unlocked: below the maximum a failure adds 1', async () => {
  const { id, email } = await gateway.user();
  for (let failures = 1; failures < MOST; failures += 1) {
    expect((await login(gateway, email, WRONG)).status).toBe(401);
    expect(await userRow(gateway, id)).toMatchObject({ failed_login_attempts: failures, locked_until: null });
  }
  expect((await login(gateway, email)).status).toBe(200);
});

test('Spec 3.2.2: unlocked to locked: at the maximum locked_until is now plus the lockout, and the count is stored', async () => {
  const { id, email } = await gateway.user();
  for (let i = 1; i < MOST; i += 1) await login(gateway, email, WRONG);
  gateway.clock.advance(7);
  expect((await login(gateway, email, WRONG)).status).toBe(401); // the failure that locks is answered as any other
  expect(await userRow(gateway, id)).toMatchObject({
    failed_login_attempts: MOST,
    locked_until: inSeconds(LOCK_SECONDS),
  });
});

test('Spec 3.2.3: locked to locked: any login is answered 429 and audited, and changes nothing', async () => {
  const { id, email } = await lockedUser();
  const before = await userRow(gateway, id);
  gateway.clock.advance(LOCK_SECONDS - 1);
  for (const password of [PASSWORD, WRONG]) {
    const [answer, events] = await auditDuring(gateway, () => login(gateway, email, password));
    expect(answer.status).toBe(429);
    expect(events).toMatchObject([{ event_type: 'account_locked', user_id: id }]);
  }
  expect(await userRow(gateway, id)).toEqual(before);
});

test.each([
  [0, LOCK_SECONDS],
  [0.001, LOCK_SECONDS],
  [0.999, LOCK_SECONDS],
  [1, LOCK_SECONDS - 1],
  [LOCK_SECONDS - 1.5, 2],
  [LOCK_SECONDS - 1, 1],
  [LOCK_SECONDS - 0.001, 1],
])('Interface 5: %d s after it was locked, Retry-After is %i', async (seconds, retryAfter) => {
  const { email } = await lockedUser();
  gateway.clock.advance(seconds);
  const answer = await login(gateway, email);
  expect([answer.status, answer.headers['retry-after']]).toEqual([429, String(retryAfter)]);
});

test('Spec 3.2.4: locked to unlocked: the lock ends by itself, exactly at locked_until', async () => {
  const { email } = await lockedUser();
  gateway.clock.advance(LOCK_SECONDS - 0.001);
  expect((await login(gateway, email)).status).toBe(429);
  gateway.clock.advance(0.001);
  expect((await login(gateway, email)).status).toBe(200);
});

test('Spec 3.2.4: at locked_until itself a failure counts again', async () => {
  const { id, email } = await lockedUser();
  gateway.clock.advance(LOCK_SECONDS);
  expect((await login(gateway, email, WRONG)).status).toBe(401);
  expect((await userRow(gateway, id)).failed_login_attempts).toBe(MOST + 1);
});

test('Spec 3.2.1: unlocked to unlocked: below the maximum a failure leaves the locked_until of a lock that is over', async () => {
  const { id, email } = await gateway.user();
  await gateway.rows('update users set locked_until = $2 where id = $1', [id, inSeconds(-1)]);
  expect((await login(gateway, email, WRONG)).status).toBe(401);
  expect(await userRow(gateway, id)).toMatchObject({ failed_login_attempts: 1, locked_until: inSeconds(-1) });
});

test('Spec 3.2.4: the passing of time does not reset the counter: the next failure locks again at once', async () => {
  const { id, email } = await lockedUser();
  gateway.clock.advance(LOCK_SECONDS + 1);
  expect((await userRow(gateway, id)).failed_login_attempts).toBe(MOST);
  expect((await login(gateway, email, WRONG)).status).toBe(401);
  expect(await userRow(gateway, id)).toMatchObject({
    failed_login_attempts: MOST + 1,
    locked_until: inSeconds(LOCK_SECONDS),
  });
  expect((await login(gateway, email)).status).toBe(429);
});

test('Spec 3.2.1: failures below the maximum do not grow old either', async () => {
  const { id, email } = await gateway.user();
  for (let i = 1; i < MOST; i += 1) await login(gateway, email, WRONG);
  gateway.clock.advance(86_400);
  await login(gateway, email, WRONG);
  expect((await userRow(gateway, id)).locked_until).toEqual(inSeconds(LOCK_SECONDS));
});

test('Spec 3.2.5: successful login: the count is 0, locked_until is cleared and last_login_at is now', async () => {
  const { id, email } = await lockedUser();
  gateway.clock.advance(LOCK_SECONDS);
  await logIn(gateway, email);
  expect(await userRow(gateway, id)).toMatchObject({
    failed_login_attempts: 0,
    locked_until: null,
    last_login_at: gateway.clock.now(),
  });
  for (let i = 1; i < MOST; i += 1) await login(gateway, email, WRONG);
  expect((await userRow(gateway, id)).locked_until).toBeNull();
});

test('Spec 3.2: the lock is per user', async () => {
  await lockedUser();
  const other = await gateway.user();
  expect((await login(gateway, other.email)).status).toBe(200);
  expect(await userRow(gateway, other.id)).toMatchObject({ failed_login_attempts: 0, locked_until: null });
});

test('Spec 3.2: an inactive user is neither counted nor locked', async () => {
  const { id, email } = await gateway.user();
  await gateway.rows('update users set is_active = false where id = $1', [id]);
  for (let i = 0; i < MOST + 1; i += 1) expect((await login(gateway, email, WRONG)).status).toBe(401);
  expect(await userRow(gateway, id)).toMatchObject({ failed_login_attempts: 0, locked_until: null });
});

test('Spec 3.2.2: an unlimited row of failures never overflows the answer: a count far above the maximum locks again', async () => {
  const { id, email } = await gateway.user();
  await gateway.rows('update users set failed_login_attempts = 1000000 where id = $1', [id]);
  expect((await login(gateway, email, WRONG)).status).toBe(401);
  expect(await userRow(gateway, id)).toMatchObject({ failed_login_attempts: 1_000_001 });
  expect((await login(gateway, email)).status).toBe(429);
});
