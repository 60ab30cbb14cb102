/**
 * Races of refreshes over two instances, at chosen moments: one winner a token, and no survivor in a stolen family.
 * (Spec 3.1)
 */
import { type Instance, logIn, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { refresh } from '../support/gateway/routes.js';
import { liveRecords, recordsOf } from '../support/gateway/rows.js';
import { holdNewRecords } from '../support/postgres/hold.js';

let gateway: TestGateway;
let one: Instance;
let two: Instance;
let email: string;

beforeAll(async () => {
  gateway = await startGateway({ instances: 2 });
  [one, two] = gateway.two();
  ({ email } = await gateway.user());
});
afterAll(() => gateway.close());
beforeEach(() => gateway.rows('update refresh_tokens set revoked = true')); // sessions of tests before

const THEFT = 'Session invalidated — please log in again';

test('Spec 4.2.7: theft that comes while a rotation stands between its claim and its commit takes the successor too', async () => {
  const { refreshToken } = await logIn(gateway, email);
  const sibling = refreshTokenOf(await refresh(one, refreshToken));
  await using held = await holdNewRecords(gateway);
  const rotation = refresh(two, sibling);
  await held.waiting(1);
  const theft = refresh(one, refreshToken);
  await held.waiting(2);
  await held.release();
  expect((await rotation).status).toBe(200);
  expect((await theft).json.detail).toBe(THEFT);
  expect(await liveRecords(gateway)).toEqual([]);
});

test('Spec 4.2.9: a second presentation waits for the first to commit and is theft then', async () => {
  const { refreshToken } = await logIn(gateway, email);
  await using held = await holdNewRecords(gateway);
  const first = refresh(one, refreshToken);
  await held.waiting(1);
  const second = refresh(two, refreshToken);
  await held.waiting(2);
  await held.release();
  expect([(await first).status, (await second).json.detail]).toEqual([200, THEFT]);
  expect(await liveRecords(gateway)).toEqual([]);
});

test('Spec 4.2: refreshes of many sessions of one user do not disturb one another', async () => {
  const { id, email: other } = await gateway.user();
  const tokens: string[] = [];
  for (let i = 0; i < 20; i += 1) tokens.push((await logIn(gateway, other)).refreshToken);
  const answers = await Promise.all(tokens.map((token, i) => refresh(i % 2 === 0 ? one : two, token)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect((await recordsOf(gateway, id)).filter(({ revoked }) => !revoked)).toHaveLength(20);
});
