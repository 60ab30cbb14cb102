/** REFRESH_RATE_LIMIT: refreshes a minute of one session, counted in memory before any store is asked. (Interface 5) */

import { logIn, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { wholeState } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';
import { whileAway } from '../support/postgres/faults.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
afterEach(() => gateway.close());

async function start(env: Record<string, string>): Promise<string> {
  gateway = await startGateway({ env });
  return (await logIn(gateway, (await gateway.user()).email)).refreshToken;
}

/** @returns the token of the last of so many refreshes, each of which succeeds */
async function refreshed(token: string, times: number): Promise<string> {
  let current = token;
  for (let i = 0; i < times; i += 1) {
    const answer = await refresh(gateway, current);
    expect(answer.status).toBe(200);
    current = refreshTokenOf(answer) ?? '';
  }
  return current;
}

test('Interface 5: 60 refreshes a minute; one more is 429 and changes nothing, and the session goes on in the next minute', async () => {
  const token = await refreshed(await start({ REFRESH_RATE_LIMIT: '' }), 60);
  gateway.clock.advance(13);
  const before = await wholeState(gateway);
  const answer = await refresh(gateway, token);
  expect([answer.status, answer.json]).toEqual([
    429,
    { detail: 'Too many requests, try again later', reason: 'rate_limited' },
  ]);
  expect(answer.headers['retry-after']).toBe('47');
  expect(cookieAction(answer)).toBe('unchanged');
  expect(await wholeState(gateway)).toEqual(before);
  gateway.clock.advance(47);
  await refreshed(token, 60);
});

test('Interface 5: each session has refreshes of its own, also of one user', async () => {
  const token = await start({ REFRESH_RATE_LIMIT: '2' });
  const { refreshToken: other } = await logIn(gateway, (await gateway.user()).email);
  const spent = await refreshed(token, 2);
  expect((await refresh(gateway, spent)).status).toBe(429);
  await refreshed(other, 2);
});

test('Interface 5: of a hundred presentations at once as many are looked at as the limit says', async () => {
  const token = await start({ REFRESH_RATE_LIMIT: '7' });
  const answers = await Promise.all(Array.from({ length: 100 }, () => refresh(gateway, token)));
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect([count(200), count(401), count(429)]).toEqual([1, 6, 93]);
});

test('Interface 5: no store is asked for a refresh over the limit; a logout is not limited', async () => {
  const token = await refreshed(await start({ REFRESH_RATE_LIMIT: '1' }), 1);
  expect((await whileAway(gateway.database, () => refresh(gateway, token))).status).toBe(429);
  // The first statement after an outage may still meet a connection that was ended.
  await until('a logout is answered 200', async () => (await logout(gateway, token)).status === 200);
  gateway.clock.advance(60);
  expect((await refresh(gateway, token)).json.detail).toBe('Session invalidated — please log in again');
});
