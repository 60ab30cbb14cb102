/** Keys of `Refresh-Retry`, written by hand, and sessions whose first token was used with one. (Interface 12) */
import { randomBytes } from 'node:crypto';
import { type Answer, claimsOf, logIn, refreshTokenOf, type TestGateway } from '../gateway/gateway.js';
import { refresh } from '../gateway/routes.js';
import { auditDuring, recordsOf } from '../gateway/rows.js';
import { cookieAction } from './cookies.js';

export const THEFT = 'Session invalidated — please log in again';

export const newKey = (bytes = 32): Buffer => randomBytes(bytes);

/** RFC 9651 section 4.1.8 */
export const sequence = (key: Uint8Array): string => `:${Buffer.from(key).toString('base64')}:`;

/** The field as a client sends it. */
export function retryField(current: Uint8Array, previous?: Uint8Array): { 'refresh-retry': string } {
  const more = previous === undefined ? '' : `, previous=${sequence(previous)}`;
  return { 'refresh-retry': `this=${sequence(current)}${more}` };
}

export const jtiOf = (token: string): string => String(claimsOf(token)['jti']);

/** A refresh that has to succeed. @returns the new token */
export async function rotated(gateway: TestGateway, token: string, headers: Record<string, string> = {}) {
  const answer = await refresh(gateway, token, headers);
  expect(answer.status).toBe(200);
  return refreshTokenOf(answer) ?? '';
}

export interface RetrySession {
  user: { id: string };
  used: string;
  successor: string;
  /** Of the rotation of `used` */
  key: Buffer;
}

/** A session whose first token was used with a key, a minute after its login and a minute ago. */
export async function retrySession(gateway: TestGateway): Promise<RetrySession> {
  const user = await gateway.user({ role: 'analyst' });
  const { refreshToken: used } = await logIn(gateway, user.email);
  gateway.clock.advance(60);
  const key = newKey();
  const successor = await rotated(gateway, used, retryField(key));
  gateway.clock.advance(60);
  return { user, used, successor, key };
}

/** The `jti`s of a user's records that are not revoked. */
export async function liveOf(gateway: TestGateway, { user }: Pick<RetrySession, 'user'>): Promise<string[]> {
  return (await recordsOf(gateway, user.id)).filter(({ revoked }) => !revoked).map(({ jti }) => jti);
}

type Headers = Record<string, string | string[]>;

/** Presents the used token, which has to be taken for theft: the session is over. */
export async function expectTheft(gateway: TestGateway, session: RetrySession, headers: Headers): Promise<void> {
  const [answer, events] = await auditDuring(gateway, () => refresh(gateway, session.used, headers));
  expect({ status: answer.status, detail: answer.json.detail }).toEqual({ status: 401, detail: THEFT });
  expect(cookieAction(answer)).toBe('cleared');
  expect(events).toMatchObject([{ event_type: 'token_theft', metadata: { reused_jti: jtiOf(session.used) } }]);
  expect(await liveOf(gateway, session)).toEqual([]);
}

/** Presents the used token, and expects its successor again and nothing else. */
export async function expectRetry(gateway: TestGateway, session: RetrySession, headers: Headers): Promise<Answer> {
  const before = await recordsOf(gateway, session.user.id);
  const [answer, events] = await auditDuring(gateway, () => refresh(gateway, session.used, headers));
  expect(answer.status).toBe(200);
  expect(jtiOf(refreshTokenOf(answer) ?? '')).toBe(jtiOf(session.successor));
  expect(events).toEqual([]);
  expect(await recordsOf(gateway, session.user.id)).toHaveLength(before.length);
  expect(await liveOf(gateway, session)).toEqual([jtiOf(session.successor)]);
  return answer;
}
