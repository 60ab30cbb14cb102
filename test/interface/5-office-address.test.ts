/** Many people behind one address, as docs/locked-out.md says. (Interface 5 and 14) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { until } from '../support/until.js';

const OFFICE = { 'x-forwarded-for': '192.0.2.1' };
const HOME = { 'x-forwarded-for': '192.0.2.2' };
const PEOPLE = 10;

let gateway: TestGateway;
afterEach(() => gateway.close());

/** Each person logs in once. @returns the statuses */
async function arrive(headers: Record<string, string>): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < PEOPLE; i += 1) {
    const { email } = await gateway.user();
    statuses.push((await login(gateway, email, undefined, headers)).status);
  }
  return statuses;
}

test('Interface 14: by default the sixth of an office waits, and the log names the address and the setting', async () => {
  const captured = captureLog();
  gateway = await startGateway({ env: { LOGIN_RATE_LIMIT: '', TRUST_PROXY: '127.0.0.1' }, log: captured.log });
  expect(await arrive(OFFICE)).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 429]);
  const { email } = await gateway.user();
  expect((await login(gateway, email, undefined, HOME)).status).toBe(200);

  const answers = () => captured.lines().filter(({ msg }) => msg === 'request');
  await until('all are logged', () => answers().length === PEOPLE + 1);
  const refused = answers().filter(({ status }) => status === 429);
  expect(refused).toHaveLength(PEOPLE - 5);
  for (const line of refused) {
    const named = { client_ip: '192.0.2.1', outcome: 'login_rate_limited', setting: 'LOGIN_RATE_LIMIT' };
    expect(line).toMatchObject(named);
  }
  for (const line of answers().filter(({ status }) => status === 200)) expect(line).not.toHaveProperty('setting');
});

test('Interface 14: LOGIN_RATE_LIMIT=20 lets ten people in', async () => {
  gateway = await startGateway({ env: { LOGIN_RATE_LIMIT: '20', TRUST_PROXY: '127.0.0.1' } });
  expect(await arrive(OFFICE)).toEqual(Array(PEOPLE).fill(200));
});

test('Interface 14: the 429 of a locked account names its own setting', async () => {
  const captured = captureLog();
  gateway = await startGateway({ env: { LOGIN_MAX_FAILURES: '1' }, log: captured.log });
  const { email } = await gateway.user();
  await login(gateway, email, WRONG);
  expect((await login(gateway, email)).status).toBe(429);
  const named = () => captured.lines().filter(({ setting }) => setting !== undefined);
  await until('it is logged', () => named().length > 0);
  expect(named()).toMatchObject([{ outcome: 'account_locked', setting: 'LOGIN_MAX_FAILURES' }]);
});
