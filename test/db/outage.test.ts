/** While the database is away nothing is granted, refused, cleared or lost. (Interface 5 and 10, Yuzu#4283) */

import {
  type Answer,
  claimsOf,
  logIn,
  PASSWORD,
  refreshTokenOf,
  startGateway,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { wholeState } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';
import { whileAway } from '../support/postgres/faults.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

function isUnavailable(answer: Answer): void {
  expect(answer.status).toBe(503);
  expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  expect(answer.json).toEqual({ detail: 'Service temporarily unavailable, try again later', reason: 'unavailable' });
  expect(cookieAction(answer)).toBe('unchanged');
}

const CONNECTIONS = 16;

/** Each connection of the pool may be met once, before its end is noticed. */
async function answered(ask: () => Promise<Answer>): Promise<Answer> {
  for (let met = 0; met < CONNECTIONS; met += 1) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
  return ask();
}

test('Interface 5: login, refresh and logout answer 503 with Retry-After, leave the cookie, and work again afterwards', async () => {
  const { email } = await gateway.user();
  const used = (await logIn(gateway, email)).refreshToken;
  const current = refreshTokenOf(await refresh(gateway, used));
  const other = (await logIn(gateway, email)).refreshToken;
  await login(gateway, email, WRONG);
  const before = await wholeState(gateway);

  await whileAway(gateway.database, async () => {
    isUnavailable(await login(gateway, email, PASSWORD));
    isUnavailable(await login(gateway, email, WRONG));
    isUnavailable(await login(gateway, 'nobody@example.com', WRONG));
    isUnavailable(await refresh(gateway, current));
    isUnavailable(await refresh(gateway, used)); // theft cannot be detected either
    isUnavailable(await logout(gateway, other));
    isUnavailable(await gateway.send('POST', '/auth/login', { body: {} })); // never a pass of the limiter
  });

  expect(await wholeState(gateway)).toEqual(before);
  expect((await refresh(gateway, current)).status).toBe(200);
  expect((await logout(gateway, other)).status).toBe(200);
  expect((await login(gateway, email)).status).toBe(200);
  expect((await refresh(gateway, used)).json.detail).toBe('Session invalidated — please log in again');
});

test('Interface 5: requests that need no database are answered as usual', async () => {
  const { answer } = await logIn(gateway, (await gateway.user()).email);
  await whileAway(gateway.database, async () => {
    const missing = await refresh(gateway);
    expect([missing.status, missing.json.detail]).toEqual([401, 'No refresh token provided']);
    const junk = await refresh(gateway, 'junk');
    expect([junk.status, cookieAction(junk)]).toEqual([401, 'cleared']);
    const wrongType = await refresh(gateway, answer.json.access_token);
    expect(wrongType.json.detail).toBe('Invalid token type');
    expect((await logout(gateway)).status).toBe(200);
    expect((await gateway.send('GET', '/auth/login')).status).toBe(405);
    expect((await gateway.send('GET', '/.well-known/jwks.json')).status).toBe(200);
  });
});

test('Interface 5: connections that are cut under requests in flight give an answer each, and no session is half there', async () => {
  const { email } = await gateway.user();
  const tokens: string[] = [];
  for (let i = 0; i < 10; i += 1) tokens.push((await logIn(gateway, email)).refreshToken);
  const pending = tokens.map((token) => refresh(gateway, token));
  const answers = await whileAway(gateway.database, () => Promise.all(pending));
  for (const [i, answer] of answers.entries()) {
    if (answer.status === 200) continue;
    isUnavailable(answer);
    // It may have been committed before the connection was cut; then the token is used, and no other outcome exists.
    expect([200, 401]).toContain((await answered(() => refresh(gateway, tokens[i]))).status);
  }
  const [left] = await gateway.rows<{ odd: number }>(`select count(*)::int as odd from
    (select family_id from refresh_tokens group by 1 having count(*) filter (where not revoked) > 1) as families`);
  expect(left).toEqual({ odd: 0 });
});

test('Spec 3.1: theft is detected after a migration has changed a type in a prepared statement', async () => {
  const { email } = await gateway.user();
  const usedToken = async (): Promise<string> => {
    const { refreshToken } = await logIn(gateway, email);
    await refresh(gateway, refreshToken);
    return refreshToken;
  };
  const [first, second, third] = [await usedToken(), await usedToken(), await usedToken()];
  expect((await refresh(gateway, first)).status).toBe(401); // now its statements are prepared
  await gateway.rows('alter table refresh_tokens alter column expires_at type timestamptz(3)');
  try {
    await refresh(gateway, second); // PostgreSQL refuses what was prepared, and the connection ends with that
    expect((await refresh(gateway, third)).status).toBe(401);
    const live = 'select 1 from refresh_tokens where not revoked and family_id = $1';
    expect(await gateway.rows(live, [claimsOf(third)['sid']])).toEqual([]);
  } finally {
    await gateway.rows('alter table refresh_tokens alter column expires_at type timestamptz');
  }
});
