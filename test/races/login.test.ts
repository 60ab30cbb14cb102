/** Races of logins over two instances: the lock-out is exact, and parallel right logins are unhindered. (Spec 3.2) */
import argon2 from 'argon2';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserRole } from '../../src/admin/user-changes.js';
import { Overloaded } from '../../src/credentials/passwords/password-queue.js';
import { type Answer, claimsOf, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { auditDuring, recordsOf, userRow, wholeState } from '../support/gateway/rows.js';

let gateway: TestGateway;
afterEach(() => gateway.close());

/** `count` logins at once, spread over two instances, or on those of `on`. */
function burst(count: number, email: string, password: string, [one, two] = gateway.two()): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => login(i % 2 === 0 ? one : two, email, password)));
}

const count = (answers: Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

test('Spec 3.2: 80 parallel wrong passwords with a maximum of 5: 5 answers 401, 75 answers 429, the counter at 5', async () => {
  gateway = await startGateway({ instances: 2, env: { LOGIN_MAX_FAILURES: '5' } });
  const { id, email } = await gateway.user();
  const [answers, events] = await auditDuring(gateway, () => burst(80, email, WRONG));
  expect([count(answers, 401), count(answers, 429)]).toEqual([5, 75]);
  expect(await userRow(gateway, id)).toMatchObject({
    failed_login_attempts: 5,
    locked_until: new Date(gateway.clock.now().getTime() + 900_000),
  });
  const written = events.map(({ event_type }) => event_type).sort();
  expect(written).toEqual([...Array(75).fill('account_locked'), ...Array(5).fill('login_failure')]);
});

test('Spec 4.1.2: right passwords that were being checked when the lock fell get 429 and no session', async () => {
  const passwords = quickPasswords();
  gateway = await startGateway({ instances: 2, env: { LOGIN_MAX_FAILURES: '3' }, passwords });
  const { id, email } = await gateway.user();
  using held = passwords.hold();
  const right = burst(10, email, PASSWORD);
  await held.reached(10);
  const wrong = burst(5, email, WRONG);
  await held.reached(15);
  await gateway.rows(`update users set failed_login_attempts = 9, locked_until = $2 where id = $1`, [
    id,
    new Date(gateway.clock.now().getTime() + 60_000),
  ]);
  const [answers, events] = await auditDuring(gateway, async () => {
    held.release();
    return [...(await right), ...(await wrong)];
  });
  expect(count(answers, 429)).toBe(15);
  expect(new Set(answers.map(({ headers }) => headers['retry-after']))).toEqual(new Set(['60']));
  expect(events.map(({ event_type }) => event_type)).toEqual(Array(15).fill('account_locked'));
  expect(await recordsOf(gateway, id)).toEqual([]);
  expect((await userRow(gateway, id)).failed_login_attempts).toBe(9);
});

test('Spec 3.2: right and wrong passwords at once: never more 401 than the maximum between two successes', async () => {
  gateway = await startGateway({ instances: 2, env: { LOGIN_MAX_FAILURES: '4' } });
  const { id, email } = await gateway.user();
  const [right, wrong] = await Promise.all([burst(10, email, PASSWORD), burst(30, email, WRONG)]);
  const successes = count(right, 200);
  expect(count(right, 200) + count(right, 429)).toBe(10);
  expect(count(wrong, 401) + count(wrong, 429)).toBe(30);
  expect(count(wrong, 401)).toBeLessThanOrEqual(4 * (successes + 1));
  expect(await recordsOf(gateway, id)).toHaveLength(successes);
});

test('Spec 4.1: 50 parallel right logins of one user all pass', async () => {
  gateway = await startGateway({ instances: 2 });
  const { id, email } = await gateway.user();
  const answers = await burst(50, email, PASSWORD);
  expect(count(answers, 200)).toBe(50);
  const records = await recordsOf(gateway, id);
  expect(new Set(records.map(({ family_id }) => family_id)).size).toBe(50);
  expect(records.every(({ revoked }) => !revoked)).toBe(true);
});

test('Spec 4.1: 8 parallel right logins all pass while the hash is renewed under them', async () => {
  gateway = await startGateway({ instances: 2, passwords: 'argon2' });
  const { id, email } = await gateway.user();
  const outdated = await argon2.hash(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
  await gateway.rows('update users set password_hash = $2 where id = $1', [id, outdated]);
  expect(count(await burst(8, email, PASSWORD), 200)).toBe(8);
  const { password_hash } = await userRow(gateway, id);
  expect(password_hash).toContain('m=19456');
  expect(await argon2.verify(password_hash, PASSWORD)).toBe(true);
});

test('Spec 4.1.3: a full queue of passwords answers 503 with Retry-After and changes nothing', async () => {
  const passwords = quickPasswords();
  const full = async (): Promise<never> => {
    throw new Overloaded('full');
  };
  gateway = await startGateway({ passwords: { ...passwords, verify: full } });
  const { email } = await gateway.user();
  const before = await wholeState(gateway);
  for (const [who, password] of [
    [email, PASSWORD],
    [email, WRONG],
    ['nobody@example.com', WRONG],
  ] as const) {
    const answer = await login(gateway, who, password);
    expect([answer.status, answer.headers['retry-after'], answer.cookies]).toEqual([503, '5', []]);
    expect(answer.json).toEqual({ detail: 'Service temporarily unavailable, try again later', reason: 'unavailable' });
  }
  expect(await wholeState(gateway)).toEqual(before);
});

test('Spec 4.1.3: a burst beyond the queue: each is answered 401 or 503, and each 401 is counted exactly once', async () => {
  gateway = await startGateway({ env: { LOGIN_MAX_FAILURES: '1000000' }, passwords: 'argon2' });
  const { id, email } = await gateway.user();
  const [answers, events] = await auditDuring(gateway, () => burst(300, email, WRONG, [gateway, gateway]));
  expect(count(answers, 401) + count(answers, 503)).toBe(300);
  expect((await userRow(gateway, id)).failed_login_attempts).toBe(count(answers, 401));
  expect(events).toHaveLength(count(answers, 401));
  expect((await gateway.send('GET', '/metrics')).text).toContain('\nauth_gateway_password_queue_length 0\n');
});

test('Spec 4.1.6: a role that is taken away while the password is checked is in neither token nor event', async () => {
  const passwords = quickPasswords();
  gateway = await startGateway({ instances: 2, passwords });
  const { id, email } = await gateway.user({ role: 'admin' });
  await gateway.user({ role: 'admin' });
  using held = passwords.hold();
  const [answers, events] = await auditDuring(gateway, async () => {
    const logins = burst(6, email, PASSWORD);
    await held.reached(6);
    await setUserRole(gateway.app, COMMAND_LINE, id, 'viewer');
    held.release();
    return logins;
  });
  expect(answers.map(({ json }) => claimsOf(json.access_token)['role'])).toEqual(Array(6).fill('viewer'));
  const started = events.filter(({ event_type }) => event_type === 'login_success');
  expect(started.map(({ metadata }) => metadata)).toEqual(Array(6).fill({ role: 'viewer' }));
});
