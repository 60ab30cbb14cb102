/** A login by a second factor uses up one proof, and a wrong one uses up nothing. (Interface 16 and 20) */
import { deviceOf, loginFrom } from '../support/gateway/devices.js';
import { codeAt, finishLogin, halfLogin, withTotp, wrongCode } from '../support/gateway/factors.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { holdNewRecords } from '../support/postgres/hold.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { KNOWN_DEVICES: 'on', LOGIN_MAX_FAILURES: '5', LOGIN_RATE_LIMIT: '100000' } });
});
afterAll(() => gateway.close());

const now = () => gateway.clock.now();

test('Interface 20: of two right recovery codes for one half login the second one stays', async () => {
  const { user, recoveryCodes } = await withTotp(gateway);
  const challenge = await halfLogin(gateway, user.email);
  await using hold = await holdNewRecords(gateway);
  const [first, second] = recoveryCodes.map(
    (recovery_code) => () => finishLogin(gateway, challenge, { recovery_code }),
  );
  const winner = first?.();
  await hold.waiting(1);
  const loser = second?.();
  await hold.waiting(2);
  await hold.release();
  expect((await winner)?.status).toBe(200);
  expect((await loser)?.json.reason).toBe('challenge_invalid');
  const left = await gateway.rows('select from recovery_codes where user_id = $1', [user.id]);
  expect(left).toHaveLength(recoveryCodes.length - 1);
});

test('Interface 16: wrong codes and wrong recovery codes share the count of a known device', async () => {
  const { user, secret } = await withTotp(gateway);
  const entered = await finishLogin(gateway, await halfLogin(gateway, user.email), { code: codeAt(secret, now()) });
  const device = deviceOf(entered);
  const { challenge } = (await loginFrom(device, gateway, user.email)).json;
  const present = async (proof: object) => {
    const body = { challenge, ...proof };
    const headers = { cookie: `device=${device}` };
    return (await gateway.send('POST', '/auth/login/factor', { headers, body })).status;
  };
  const wrong = [{ code: wrongCode(secret, now()) }, { recovery_code: '00000-00000-0000-0000-0000-0000' }];
  for (let i = 0; i < 5; i += 1) expect(await present(wrong[i % 2] ?? {})).toBe(401);
  gateway.clock.advance(30);
  expect(await present({ code: codeAt(secret, now()) })).toBe(429);
});
