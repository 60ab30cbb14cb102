/** The fields of the user record that the routes use. (Spec 2.5) */
import argon2 from 'argon2';
import { claimsOf, logIn, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { userRow } from '../support/gateway/rows.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    passwords: 'argon2',
    env: { LOGIN_MAX_FAILURES: '2', LOGIN_LOCKOUT_SECONDS: '60' },
  });
});
afterAll(() => gateway.close());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Algorithm, version and sorted parameters of a PHC string. */
function costOf(hash = ''): string[] {
  const [, algorithm = '', version = '', parameters = ''] = hash.split('$');
  return [algorithm, version, ...parameters.split(',').sort()];
}

test('Spec 2.5: id is a UUID and the subject of both tokens', async () => {
  const { id, email } = await gateway.user();
  expect(id).toMatch(UUID);
  const { answer, refreshToken } = await logIn(gateway, email);
  expect(claimsOf(answer.json.access_token)['sub']).toBe(id);
  expect(claimsOf(refreshToken)['sub']).toBe(id);
});

test('Spec 2.5: email is stored in lower case and matched exactly', async () => {
  const { id } = await gateway.user({ email: ' Zoe_1%@Example.COM ' });
  expect((await userRow(gateway, id)).email).toBe('zoe_1%@example.com');
  expect((await login(gateway, 'zoe_1%@example.com')).status).toBe(200);
  for (const other of ['zoe@example.com', '%@example.com', 'zoe____@example.com', 'zoe_1%@example.com.io']) {
    expect((await login(gateway, other)).status).toBe(401);
  }
  expect((await userRow(gateway, id)).failed_login_attempts).toBe(0);
});

test('Spec 2.5: password_hash is argon2id with the configured cost, salted, and holds no password', async () => {
  const users = [await gateway.user(), await gateway.user()];
  const [one, two] = await Promise.all(users.map(async ({ id }) => (await userRow(gateway, id)).password_hash));
  expect(costOf(one)).toEqual(['argon2id', 'v=19', 'm=19456', 'p=1', 't=2']);
  expect(one).not.toBe(two);
  expect(one).not.toContain(PASSWORD);
});

test.each(['viewer', 'analyst', 'admin'] as const)('Spec 2.5: the role %s reaches the access token', async (role) => {
  const { email } = await gateway.user({ role });
  const { answer } = await logIn(gateway, email);
  expect(claimsOf(answer.json.access_token)['role']).toBe(role);
});

test('Spec 2.5: is_active: only active users can be found by login', async () => {
  const { id, email } = await gateway.user();
  await gateway.rows('update users set is_active = false where id = $1', [id]);
  expect((await login(gateway, email)).json).toEqual({ detail: 'Invalid credentials', reason: 'invalid_credentials' });
  await gateway.rows('update users set is_active = true where id = $1', [id]);
  expect((await login(gateway, email)).status).toBe(200);
});

test('Spec 2.5: failed_login_attempts counts consecutive failures: a success between them starts anew', async () => {
  const { id, email } = await gateway.user();
  const failures = async (): Promise<number> => (await userRow(gateway, id)).failed_login_attempts;
  expect(await failures()).toBe(0);
  await login(gateway, email, WRONG);
  expect(await failures()).toBe(1);
  await login(gateway, email);
  expect(await failures()).toBe(0);
  await login(gateway, email, WRONG);
  expect(await failures()).toBe(1);
});

test('Spec 2.5: locked_until is empty until the lock, and refuses with 429 while it is in the future', async () => {
  const { id, email } = await gateway.user();
  expect((await userRow(gateway, id)).locked_until).toBeNull();
  const until = new Date(gateway.clock.now().getTime() + 1000);
  await gateway.rows('update users set locked_until = $2 where id = $1', [id, until]);
  expect((await login(gateway, email)).status).toBe(429);
});

test('Spec 2.5: last_login_at is set on each successful login, and on no other', async () => {
  const { id, email } = await gateway.user();
  const lastLogin = async (): Promise<Date | null> => (await userRow(gateway, id)).last_login_at;
  expect(await lastLogin()).toBeNull();
  await login(gateway, email, WRONG);
  expect(await lastLogin()).toBeNull();
  await login(gateway, email);
  const first = gateway.clock.now();
  expect(await lastLogin()).toEqual(first);
  gateway.clock.advance(5);
  await login(gateway, email, WRONG);
  expect(await lastLogin()).toEqual(first);
  await login(gateway, email);
  expect(await lastLogin()).toEqual(gateway.clock.now());
});

test('Spec 2.5: a hash with other parameters still works, and only a login with it renews it', async () => {
  const { id, email } = await gateway.user();
  const outdated = await argon2.hash(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
  await gateway.rows('update users set password_hash = $2 where id = $1', [id, outdated]);
  expect((await login(gateway, email, WRONG)).status).toBe(401);
  expect((await userRow(gateway, id)).password_hash).toBe(outdated);
  expect((await login(gateway, email)).status).toBe(200);
  const renewed = (await userRow(gateway, id)).password_hash;
  expect(costOf(renewed)).toEqual(['argon2id', 'v=19', 'm=19456', 'p=1', 't=2']);
  expect((await login(gateway, email)).status).toBe(200);
  expect((await userRow(gateway, id)).password_hash).toBe(renewed);
});
