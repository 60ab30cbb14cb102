/** Dead tokens that are presented without end write a bounded number of rows a minute. (Spec 6) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { deleteUser } from '../../src/admin/user-changes.js';
import { claimsOf, logIn, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { liveRecords } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';
import { figureOf, readMetrics } from '../support/independent/prometheus.js';

const captured = captureLog();
let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway({ log: captured.log });
});
afterEach(() => gateway.close());

const MAX_ROWS = 100;
const MAX_ROWS_OF_USER = 500;
const OVER = 30;

async function rowsOf(eventType: string): Promise<number> {
  const [row] = await gateway.rows<{ count: number }>(
    'select count(*)::int as count from audit_events where event_type = $1',
    [eventType],
  );
  return row?.count ?? 0;
}

async function suppressed(): Promise<number | undefined> {
  const { text } = await gateway.send('GET', '/metrics');
  return figureOf(readMetrics(text), 'auth_gateway_audit_rows_suppressed_total');
}

const said = () => captured.lines().filter(({ suppressed: count }) => count !== undefined);

test('Interface 6: logouts with one dead cookie: each is answered, a hundred a minute are written, the rest is counted', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  const lines = said().length;
  for (let i = 0; i < MAX_ROWS + OVER; i += 1) {
    const answer = await logout(gateway, refreshToken);
    expect([answer.status, answer.json, cookieAction(answer)]).toEqual([
      200,
      { message: 'Logged out successfully' },
      'cleared',
    ]);
  }
  expect([await rowsOf('logout'), await suppressed()]).toEqual([MAX_ROWS, OVER]);
  expect(said()).toHaveLength(lines + 1);
  const { refreshToken: other } = await logIn(gateway, (await gateway.user()).email);
  await logout(gateway, other);
  expect(await rowsOf('logout')).toBe(MAX_ROWS + 1); // other tokens have their own hundred

  gateway.clock.advance(60);
  for (let i = 0; i < MAX_ROWS + OVER; i += 1) await logout(gateway, refreshToken);
  expect([await rowsOf('logout'), await suppressed()]).toEqual([2 * MAX_ROWS + 1, 2 * OVER]);
  expect(said()).toHaveLength(lines + 2);
  expect(said().at(-1)).toMatchObject({ event_type: 'logout', suppressed: OVER }); // all since the last line
  expect(captured.text()).not.toContain(refreshToken);
});

test('Interface 6: thefts with one used token: each is answered 401, a hundred a minute are written', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  await refresh(gateway, refreshToken);
  for (let i = 0; i < MAX_ROWS + OVER; i += 1) {
    const answer = await refresh(gateway, refreshToken);
    expect([answer.status, answer.json.detail]).toEqual([401, 'Session invalidated — please log in again']);
  }
  expect([await rowsOf('token_theft'), await suppressed()]).toEqual([MAX_ROWS, OVER]);
});

/** The used tokens of a session that has rotated this often. */
async function usedTokens(email: string, rotations: number): Promise<string[]> {
  const tokens = [(await logIn(gateway, email)).refreshToken];
  for (let i = 0; i < rotations; i += 1) tokens.push(refreshTokenOf(await refresh(gateway, tokens.at(-1))) ?? '');
  return tokens.slice(0, rotations);
}

test.each([
  ['logout', logout],
  ['token_theft', refresh],
])('Interface 6: the used tokens of one session share its hundred rows of %s', async (eventType, present) => {
  const used = await usedTokens((await gateway.user()).email, 10);
  await refresh(gateway, used[0]); // the theft that ends the session
  gateway.clock.advance(60);
  const before = await rowsOf(eventType);
  for (let i = 0; i < MAX_ROWS + OVER; i += 1) await present(gateway, used[i % used.length]);
  expect([(await rowsOf(eventType)) - before, await suppressed()]).toEqual([MAX_ROWS, OVER]);
});

test('Interface 6: the sessions of one user share five hundred rows, also when the user was deleted', async () => {
  const { id, email } = await gateway.user();
  const sessions = await Promise.all(Array.from({ length: 8 }, () => usedTokens(email, 1)));
  const tokens = sessions.flat();
  for (const token of tokens) await refresh(gateway, token); // the thefts that end the sessions
  await deleteUser(gateway.app, COMMAND_LINE, id);
  gateway.clock.advance(60);
  const before = await rowsOf('token_theft');
  for (let i = 0; i < MAX_ROWS_OF_USER + OVER; i += 1) await refresh(gateway, tokens[i % tokens.length]);
  expect((await rowsOf('token_theft')) - before).toBe(MAX_ROWS_OF_USER);
});

test('Interface 6: an event that comes with a change is written, however often its token was presented', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  const next = refreshTokenOf(await refresh(gateway, refreshToken));
  for (let i = 0; i < MAX_ROWS + OVER; i += 1) await refresh(gateway, refreshToken); // theft, over and over
  const thefts = await rowsOf('token_theft');
  const jti = claimsOf(next ?? '')['jti'];
  await gateway.rows(
    'update refresh_tokens set revoked = false, revoked_reason = null, revoked_at = null where jti = $1',
    [jti],
  );
  await refresh(gateway, refreshToken);
  expect(await rowsOf('token_theft')).toBe(thefts + 1);
  expect((await liveRecords(gateway)).map((record) => record.jti)).not.toContain(jti);
  expect((await refresh(gateway, next)).status).toBe(401);
});
