/**
 * Races of refreshes over two instances, at random moments: one winner a token, and no survivor in a stolen family.
 * (Spec 3.1)
 */
import {
  claimsOf,
  type Instance,
  logIn,
  refreshTokenOf,
  startGateway,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { type AuditRow, auditDuring, liveRecords, recordOf } from '../support/gateway/rows.js';

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

test('Spec 4.2.9: 40 presentations of one token over two instances, 10 rounds: one 200, 39 thefts, no live token', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { refreshToken } = await logIn(gateway, email);
    const [answers, events] = await auditDuring(gateway, () =>
      Promise.all(Array.from({ length: 40 }, (_, i) => refresh(i % 2 === 0 ? one : two, refreshToken))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status, json }) => status === 401 && json.detail === THEFT)).toHaveLength(39);
    expect(events.map((event: AuditRow) => event.event_type)).toEqual(Array(39).fill('token_theft'));
    expect(await liveRecords(gateway)).toEqual([]);
  }
});

test('Spec 4.2.7: theft racing the rotations of a sibling, 30 rounds: no record survives', async () => {
  let rotations = 0;
  /** Rotates for as long as it can, as a client that refreshes in a loop. */
  const rotateOn = async (token: string | undefined): Promise<void> => {
    for (let current = token; current !== undefined && rotations < 10_000; rotations += 1) {
      current = refreshTokenOf(await refresh(two, current));
    }
  };
  for (let round = 0; round < 30; round += 1) {
    const { refreshToken } = await logIn(gateway, email);
    const sibling = refreshTokenOf(await refresh(one, refreshToken));
    const [theft] = await Promise.all([refresh(one, refreshToken), rotateOn(sibling)]);
    expect(theft.json.detail).toBe(THEFT);
    expect(await liveRecords(gateway)).toEqual([]);
  }
  expect(rotations).toBeGreaterThan(30);
});

test('Spec 4.3: logout racing a refresh of the same token: revoked by one of them, and nothing fails', async () => {
  for (let round = 0; round < 30; round += 1) {
    const { refreshToken } = await logIn(gateway, email);
    const [out, refreshed] = await Promise.all([logout(one, refreshToken), refresh(two, refreshToken)]);
    expect(out.status).toBe(200);
    expect((await recordOf(gateway, claimsOf(refreshToken)['jti'])).revoked).toBe(true);
    if (refreshed.status !== 200) expect(refreshed.json.detail).toBe(THEFT);
  }
});
