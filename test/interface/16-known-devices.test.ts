/** Known devices: the lock of an account does not hold for them, and each has its own. (Interface 16) */
import { deviceOf, loginFrom, newDevice } from '../support/gateway/devices.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { auditDuring, userRow } from '../support/gateway/rows.js';

const MOST = 5;
const LOCK_SECONDS = 900;

const passwords = quickPasswords();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ instances: 3, env: { KNOWN_DEVICES: 'on' }, passwords });
});
afterAll(() => gateway.close());

interface DeviceRow {
  id: string;
  user_id: string;
  failed_login_attempts: number;
  locked_until: Date | null;
  last_used_at: Date;
}

const devicesOf = (userId: string): Promise<DeviceRow[]> =>
  gateway.rows('select * from known_devices where user_id = $1 order by created_at, id', [userId]);

async function lockAccount(email: string): Promise<void> {
  for (let i = 0; i < MOST; i += 1) expect((await login(gateway, email, WRONG)).status).toBe(401);
  expect((await login(gateway, email)).status).toBe(429);
}

test('Interface 16: strangers lock the account for themselves, and the owner logs in from a known device', async () => {
  const { id, email } = await gateway.user();
  const device = await newDevice(gateway, email);
  await lockAccount(email);
  const locked = await userRow(gateway, id);
  const answer = await loginFrom(device, gateway, email);
  expect(answer.status).toBe(200);
  expect(deviceOf(answer)).toBe(device); // in the same second
  const { failed_login_attempts, locked_until } = await userRow(gateway, id);
  expect({ failed_login_attempts, locked_until }).toEqual({
    failed_login_attempts: MOST,
    locked_until: locked.locked_until,
  });
  const [stranger, events] = await auditDuring(gateway, () => login(gateway, email));
  expect(stranger.status).toBe(429);
  expect(events).toMatchObject([{ event_type: 'account_locked', metadata: { by: 'account' } }]);
  expect(await devicesOf(id)).toHaveLength(1);
});

test('Interface 16: a device has its own count and its own lock, and the account is untouched by them', async () => {
  const { id, email } = await gateway.user();
  const [device, other] = [await newDevice(gateway, email), await newDevice(gateway, email)];
  for (let i = 0; i < MOST; i += 1) expect((await loginFrom(device, gateway, email, WRONG)).status).toBe(401);
  const [refused, events] = await auditDuring(gateway, () => loginFrom(device, gateway, email));
  expect([refused.status, refused.json, refused.headers['retry-after']]).toEqual([
    429,
    { detail: 'Account temporarily locked due to too many failed attempts', reason: 'account_locked' },
    String(LOCK_SECONDS),
  ]);
  expect(events).toMatchObject([{ event_type: 'account_locked', metadata: { by: 'device' } }]);
  expect(await userRow(gateway, id)).toMatchObject({ failed_login_attempts: 0, locked_until: null });
  expect((await loginFrom(other, gateway, email)).status).toBe(200);
  expect((await login(gateway, email)).status).toBe(200);
  gateway.clock.advance(LOCK_SECONDS);
  expect((await loginFrom(device, gateway, email)).status).toBe(200);
  expect(await devicesOf(id)).toMatchObject(Array(3).fill({ failed_login_attempts: 0, locked_until: null }));
});

test('Interface 16: of 40 guesses at once from one device over three instances five are answered', async () => {
  const { id, email } = await gateway.user();
  const device = await newDevice(gateway, email);
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => loginFrom(device, gateway.instances[i % 3] ?? gateway, email, WRONG)),
  );
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(MOST);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(40 - MOST);
  expect(await devicesOf(id)).toMatchObject([{ failed_login_attempts: MOST }]);
  expect((await userRow(gateway, id)).failed_login_attempts).toBe(0);
});

test('Interface 16: a user has 20 devices; the least recently used is dropped, also by logins at once', async () => {
  const { id, email } = await gateway.user();
  const first = await newDevice(gateway, email);
  gateway.clock.advance(1);
  await Promise.all(Array.from({ length: 30 }, (_, i) => newDevice(gateway.instances[i % 3] ?? gateway, email)));
  expect(await devicesOf(id)).toHaveLength(20);
  await lockAccount(email);
  expect((await loginFrom(first, gateway, email)).status).toBe(429);
});
