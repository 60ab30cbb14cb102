/** A gateway whose limits the commands list and clear, wherever they are counted. (Interface 9) */
import { type Ran, runHere } from '../support/gateway/cli.js';
import { runningClock } from '../support/gateway/clock.js';
import { type Setup, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newApiKey } from '../support/gateway/graphql.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { until } from '../support/until.js';

export interface Store {
  url: string;
  stop(): Promise<void>;
}

const LIMIT = 3;
/** Enough that each node of a cluster counts some */
const ADDRESSES = [...Array.from({ length: 9 }, (_, i) => `192.0.2.${i + 1}`), '2001:db8::1'];

export let gateway: TestGateway;
export let store: Store | undefined;

export async function stop(): Promise<void> {
  await gateway?.close();
  await store?.stop();
  store = undefined;
}

/** On a clock that goes on: a command does not return before the gateway has forgotten what it remembers. */
export async function start(
  startStore?: () => Promise<Store>,
  passwords: Setup['passwords'] = quickPasswords(),
): Promise<void> {
  store = await startStore?.();
  const redis = store && { REDIS_URL: store.url };
  const env = { LOGIN_RATE_LIMIT: String(LIMIT), TRUST_PROXY: '127.0.0.1/32', ...redis };
  gateway = await startGateway({ env, clock: runningClock(), passwords });
  await until('it is ready', async () => (await gateway.send('GET', '/health/ready')).status === 200);
}

export const cli = (...args: string[]): Promise<Ran> =>
  runHere(args, () => ({
    ...gateway.config,
    databaseUrl: gateway.database.url,
    port: Number(new URL(gateway.url).port),
  }));

export async function json(...args: string[]): Promise<unknown> {
  const ran = await cli(...args, '--json');
  if (ran.code !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout);
}

export const attempt = async (address: string, email = 'nobody@example.com'): Promise<number> =>
  (await login(gateway, email, WRONG, { 'x-forwarded-for': address })).status;

export async function listsAndClears(): Promise<void> {
  const { as, keyId } = await newApiKey(gateway, [], 60);
  const callKey = async () => (await ask(gateway, as, '{ caller { callerType } }')).data;
  expect(await callKey()).toEqual({ caller: { callerType: 'api_key' } }); // counted, and no business of these commands
  for (const address of ADDRESSES) expect(await attempt(address)).toBe(401);
  const [first = '', second = ''] = ADDRESSES;
  const more = [await attempt(first), await attempt(first), await attempt(first), await attempt(second)];
  expect(more).toEqual([401, 401, 429, 401]);

  const listed = (group: string, attempts: number, isLimited = false) => ({
    ip_address: group,
    attempts,
    limit: group.endsWith('/48') ? 8 * LIMIT : LIMIT,
    is_limited: isLimited,
    ends_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  const others = [...ADDRESSES.slice(2, -1), '2001:db8::/48', '2001:db8::/64'].map((group) => listed(group, 1));
  expect(await json('rate-limit', 'list')).toEqual([listed(first, 4, true), listed(second, 2), ...others]);
  const table = await cli('rate-limit', 'list');
  expect(table.stdout).toMatch(/^ip_address +attempts +limit +is_limited +ends_at\n192\.0\.2\.1 +4 +3 +true /);
  expect(table.stdout).not.toContain(keyId);

  expect(await json('rate-limit', 'clear', '--ip', first)).toEqual({ cleared: 1 });
  expect(await attempt(first)).toBe(401); // the one who was refused a moment ago
  expect(await json('rate-limit', 'clear', '--ip', '2001:db8::77')).toEqual({ cleared: 2 }); // its /64 and its /48
  for (const address of ['2001:db8::1', '2001:db8:0:2::1']) expect(await attempt(address)).toBe(401);
  expect(await json('rate-limit', 'clear', '--ip', '2001:db8::/64')).toEqual({ cleared: 2 });
  expect(await attempt('2001:db8:0:2::1')).toBe(401);
  expect(await json('rate-limit', 'clear', '--ip', '2001:db8::/48')).toEqual({ cleared: 1 });
  expect(await json('rate-limit', 'clear', '--ip', '2001:db8:0:2::/64')).toEqual({ cleared: 1 });
  const again = await cli('rate-limit', 'clear', '--ip', '2001:db8::/64');
  expect([again.code, again.stdout]).toEqual([0, 'cleared: 0\n']);
  expect(again.stderr).toMatch(/\nno counts to clear\n$/);
  expect(await json('rate-limit', 'clear', '--all')).toEqual({ cleared: ADDRESSES.length - 1 });
  const empty = await cli('rate-limit', 'list');
  expect([empty.code, empty.stdout]).toEqual([0, '']);
  expect(await callKey()).toEqual({ caller: { callerType: 'api_key' } });
}
