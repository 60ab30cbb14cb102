/** A token whose session something other than a rotation had ended is refused as a used one, and is no theft. (Interface 5) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { revokeSession } from '../../src/admin/sessions.js';
import { deleteUser, setUserActive, setUserPassword } from '../../src/admin/user-changes.js';
import { claimsOf, logIn, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { CHOSEN, issueLink, redeem } from '../support/gateway/passwords.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { auditDuring } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';
import { figureOf, readMetrics } from '../support/independent/prometheus.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ passwords: quickPasswords() });
});
afterAll(() => gateway.close());

interface Held {
  id: string;
  token: string;
  sid: string;
}

async function session(): Promise<Held> {
  const { id, email } = await gateway.user();
  const { refreshToken: token } = await logIn(gateway, email);
  return { id, token, sid: String(claimsOf(token)['sid']) };
}

async function thefts(): Promise<number | undefined> {
  return figureOf(readMetrics((await gateway.send('GET', '/metrics')).text), 'auth_gateway_token_thefts_total');
}

/** The metadata of the event, and how many thefts were counted. The answer is the same for all. */
async function present(token: string): Promise<[metadata: unknown, counted: number]> {
  const before = (await thefts()) ?? 0;
  const [answer, events] = await auditDuring(gateway, () => refresh(gateway, token));
  expect([answer.status, answer.json.reason, cookieAction(answer)]).toEqual([401, 'record_revoked', 'cleared']);
  expect(events).toMatchObject([{ event_type: 'token_theft' }]);
  return [events[0]?.metadata, ((await thefts()) ?? 0) - before];
}

test.each<[by: string, end: (held: Held) => Promise<unknown>]>([
  ['logout', ({ token }) => logout(gateway, token)],
  ['session_revoked', ({ sid }) => revokeSession(gateway.app, COMMAND_LINE, undefined, sid)],
  ['user_deactivated', ({ id }) => setUserActive(gateway.app, COMMAND_LINE, id, false)],
  ['user_password_set', ({ id }) => setUserPassword(gateway.app, COMMAND_LINE, id, CHOSEN)],
  ['user_password_set', async ({ id }) => redeem(gateway, await issueLink(gateway, id))],
  ['user_deleted', ({ id }) => deleteUser(gateway.app, COMMAND_LINE, id)],
])('Interface 5: a token that %s had ended is no theft', async (ended_by, end) => {
  const held = await session();
  await end(held);
  const metadata = { reused_jti: claimsOf(held.token)['jti'], family_id: held.sid, ended_by };
  expect(await present(held.token)).toEqual([metadata, 0]);
  expect(await present(held.token)).toEqual([metadata, 0]);
});

test('Interface 5: a used token is a theft, also after a logout; so is its successor, which the theft has ended', async () => {
  const held = await session();
  const next = refreshTokenOf(await refresh(gateway, held.token)) ?? '';
  const metadataOf = (token: string) => ({ reused_jti: claimsOf(token)['jti'], family_id: held.sid });
  expect(await present(held.token)).toEqual([metadataOf(held.token), 1]);
  expect(await present(next)).toEqual([metadataOf(next), 1]);

  const other = await session();
  await logout(gateway, refreshTokenOf(await refresh(gateway, other.token)));
  const [metadata, counted] = await present(other.token);
  expect([metadata, counted]).toEqual([expect.not.objectContaining({ ended_by: expect.anything() }), 1]);
});
