/** Races of retries over two instances: one successor for ever, and nothing is revived. (Interface 12) */
import {
  type Answer,
  type Instance,
  logIn,
  refreshTokenOf,
  startGateway,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { refresh } from '../support/gateway/routes.js';
import { recordsOf } from '../support/gateway/rows.js';
import { jtiOf, liveOf, newKey, retryField, retrySession, THEFT } from '../support/independent/retries.js';
import { holdNewRecords } from '../support/postgres/hold.js';

let gateway: TestGateway;
let one: Instance;
let two: Instance;

beforeAll(async () => {
  gateway = await startGateway({ instances: 2, env: { REFRESH_RETRY: 'true' } });
  [one, two] = gateway.two();
});
afterAll(() => gateway.close());

const jtiGiven = (answer: Answer): string => jtiOf(refreshTokenOf(answer) ?? '');

async function freshSession() {
  const user = await gateway.user();
  return { user, token: (await logIn(gateway, user.email)).refreshToken };
}

test('Interface 12: a retry that comes while its rotation stands between claim and commit waits, and is given its successor', async () => {
  const { user, token } = await freshSession();
  const field = retryField(newKey());
  await using held = await holdNewRecords(gateway);
  const first = refresh(one, token, field);
  await held.waiting(1);
  const second = refresh(two, token, field);
  await held.waiting(2);
  await held.release();
  const answers = [await first, await second];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(new Set(answers.map(jtiGiven)).size).toBe(1);
  expect(await recordsOf(gateway, user.id)).toHaveLength(2);
});

test('Interface 12: of two keys at once one is of the rotation, the other is theft', async () => {
  const { user, token } = await freshSession();
  await using held = await holdNewRecords(gateway);
  const first = refresh(one, token, retryField(newKey()));
  await held.waiting(1);
  const second = refresh(two, token, retryField(newKey()));
  await held.waiting(2);
  await held.release();
  expect([(await first).status, (await second).json.detail]).toEqual([200, THEFT]);
  expect(await liveOf(gateway, { user })).toEqual([]);
});

test('Interface 12: a retry that comes while the successor is being used waits, and is theft then', async () => {
  const session = await retrySession(gateway);
  await using held = await holdNewRecords(gateway);
  const use = refresh(one, session.successor, retryField(newKey(), session.key));
  await held.waiting(1);
  const retried = refresh(two, session.used, retryField(session.key));
  await held.waiting(2);
  await held.release();
  expect([(await use).status, (await retried).json.detail]).toEqual([200, THEFT]);
  expect(await liveOf(gateway, session)).toEqual([]);
});
