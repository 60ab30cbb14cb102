/** `user devices`, `user forget-device`, and what `user explain` says of locks. (Interface 9 and 16) */
import { messagesOf, type Ran, runHere } from '../support/gateway/cli.js';
import { loginFrom, newDevice } from '../support/gateway/devices.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, WRONG } from '../support/gateway/routes.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { KNOWN_DEVICES: 'on', LOGIN_MAX_FAILURES: '1' }, passwords: 'argon2' });
});
afterAll(() => gateway.close());

const cli = (...args: string[]): Promise<Ran> =>
  runHere(args, () => ({ ...gateway.config, databaseUrl: gateway.database.url }));

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
async function json(...args: string[]): Promise<any> {
  const ran = await cli(...args, '--json');
  expect([ran.code, messagesOf(ran)]).toEqual([0, '']);
  return JSON.parse(ran.stdout);
}

test('Interface 9: user devices lists them, and user forget-device makes one a stranger', async () => {
  const { email, id } = await gateway.user();
  expect(await json('user', 'devices', email)).toEqual([]);
  const device = await newDevice(gateway, email);
  const now = gateway.clock.now().toISOString();
  const [listed] = await json('user', 'devices', id);
  expect(listed).toEqual({
    id: expect.any(String),
    last_used_at: now,
    created_at: now,
    failed_login_attempts: 0,
    locked_until: null,
    user_agent: '',
  });
  expect(await json('user', 'forget-device', listed.id)).toEqual({ forgotten_id: listed.id });
  await login(gateway, email, WRONG);
  expect((await loginFrom(device, gateway, email)).status).toBe(429);
  const again = await cli('user', 'forget-device', listed.id);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('There is no such device')]);
});

test('Interface 9: user explain says which lock refuses whom, and user unlock ends both', async () => {
  const { email } = await gateway.user();
  const [open, locked] = [await newDevice(gateway, email), await newDevice(gateway, email)];
  await login(gateway, email, WRONG);
  await loginFrom(locked, gateway, email, WRONG);
  const { reasons, known_device_count } = await json('user', 'explain', email);
  expect(known_device_count).toBe(2);
  expect(reasons).toEqual([
    {
      reason: 'locked',
      message: expect.stringMatching(
        /^The account is locked until \S+ after 1 failed logins, .*; not on 1 known device, if the gateway has KNOWN_DEVICES=on\.$/,
      ),
      cure: `user unlock ${email}`,
    },
    {
      reason: 'device_locked',
      message: expect.stringMatching(
        /^The known device [0-9a-f-]{36} is locked until \S+ after 1 failed logins, if the gateway has KNOWN_DEVICES=on\.$/,
      ),
      cure: `user unlock ${email}`,
    },
  ]);
  expect((await loginFrom(open, gateway, email)).status).toBe(200);
  expect((await cli('user', 'unlock', email)).code).toBe(0);
  expect((await json('user', 'explain', email)).reasons).toEqual([]);
  expect((await loginFrom(locked, gateway, email)).status).toBe(200);
});
