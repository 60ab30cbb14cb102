/** Unless REFRESH_RETRY is `true`, a field `Refresh-Retry` changes nothing: Spec 4.2 to the letter. (Interface 12) */

import { type Answer, logIn, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { auditDuring, recordOf, recordsOf } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';
import { forgeRefreshToken } from '../support/independent/forge.js';
import { jtiOf, newKey, retryField } from '../support/independent/retries.js';

const gateways: Array<[set: string, env: Record<string, string>]> = [
  ['unset', {}],
  ['false', { REFRESH_RETRY: 'false' }],
];

/** What is presented, and the `detail` that Spec 7 has for it; undefined: it is a rotation. */
type Case = [name: string, detail: string | undefined, present: (on: TestGateway) => Promise<Presented>];
interface Presented {
  userId: string;
  token: string | undefined;
  /** Of an earlier rotation */
  key?: Buffer;
}

async function session(on: TestGateway) {
  const { id: userId, email } = await on.user();
  const { refreshToken: token } = await logIn(on, email);
  return { userId, token };
}

async function used(on: TestGateway) {
  const { userId, token } = await session(on);
  const key = newKey();
  const answer = await refresh(on, token, retryField(key));
  expect(answer.status).toBe(200);
  return { userId, token, key, successor: refreshTokenOf(answer) };
}

const forged = async (on: TestGateway, claims: Record<string, unknown>) => {
  const { userId } = await session(on);
  return { userId, token: await forgeRefreshToken(on, { claims }) };
};

const CASES: Case[] = [
  ['Spec 4.2.9: a live token', undefined, session],
  ['Spec 4.2.1: no cookie', 'No refresh token provided', async (on) => ({ ...(await session(on)), token: undefined })],
  ['Spec 4.2.2: no JWT', 'Invalid or expired refresh token', async (on) => ({ ...(await session(on)), token: 'x' })],
  ['Spec 4.2.3: another type', 'Invalid token type', (on) => forged(on, { type: 'access' })],
  ['Spec 4.2.4: no jti', 'Malformed token', (on) => forged(on, { jti: undefined })],
  ['Spec 4.2.5: a jti that is no UUID', 'Invalid token format', (on) => forged(on, { jti: 'x' })],
  ['Spec 4.2.6: no record', 'Token not recognised', (on) => forged(on, {})],
  ['Spec 4.2.7: a used token', 'Session invalidated — please log in again', used],
  [
    'Spec 4.2.7: a used token whose successor is used',
    'Session invalidated — please log in again',
    async (on) => {
      const presented = await used(on);
      await refresh(on, presented.successor, retryField(newKey(), presented.key));
      return presented;
    },
  ],
  [
    'Spec 4.2.7: a token that was logged out',
    'Session invalidated — please log in again',
    async (on) => {
      const presented = await session(on);
      await logout(on, presented.token);
      return presented;
    },
  ],
  [
    'Spec 4.2.8: a record that has expired',
    'Refresh token expired',
    async (on) => {
      const presented = await session(on);
      await on.rows(`update refresh_tokens set expires_at = '2000-01-01' where jti = $1`, [jtiOf(presented.token)]);
      return presented;
    },
  ],
];

describe.each(gateways)('REFRESH_RETRY %s', (_set, env) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ env });
  });
  afterAll(() => gateway.close());

  /** Everything observable: the answer, its cookie, the records of the user and the events. */
  async function outcomeOf(present: Case[2], withField: boolean) {
    const { userId, token, key = newKey() } = await present(gateway);
    const headers = withField ? retryField(key, newKey()) : {};
    const [answer, events] = await auditDuring(gateway, () => refresh(gateway, token, headers));
    const records = await recordsOf(gateway, userId);
    return {
      answer: bodyOf(answer),
      cookie: cookieAction(answer),
      fields: Object.keys(answer.headers).sort(),
      events: events.map(({ event_type }) => event_type),
      records: records.map(({ revoked, revoked_reason }) => `${revoked} ${revoked_reason}`).sort(),
    };
  }

  test.each(CASES)('Interface 12: the field changes nothing: %s', async (_name, detail, present) => {
    const [without, withIt] = [await outcomeOf(present, false), await outcomeOf(present, true)];
    expect(withIt).toEqual(without);
    expect(withIt.answer.detail).toBe(detail);
  });

  test('Interface 12: no rotation stores a key', async () => {
    const { successor = '' } = await used(gateway);
    expect(await recordOf(gateway, jtiOf(successor))).toMatchObject({ retry_key_sha256: null, predecessor_jti: null });
  });
});

/** The body without the access token, which is another each time. */
function bodyOf({ status, json }: Answer): { status: number; detail: unknown; others: string[] } {
  return { status, detail: json.detail, others: Object.keys(json).sort() };
}
