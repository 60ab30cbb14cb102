/**
 * Ways back from `/gate` to a service, each good once: for one origin, and for the browser that was sent away. Only the SHA-256
 * of a code is stored. (Interface 22)
 */
import { statement } from '../db/statement.js';
import { type Expiring, expiring } from '../db/sweeper.js';
import { addSeconds } from '../platform/clock.js';
import { isUuid, randomBase64url } from '../platform/ids.js';
import type { Deps } from '../services.js';
import { hashOfToken } from './password-links.js';

const CODE_SECONDS = 30;
const CODE_BYTES = 32;

export interface WayBack {
  /** Of the service, one of FORWARD_AUTH_ORIGINS */
  origin: string;
  /** Path and query that were asked for */
  target: string;
  /** SHA-256 of the state cookie, in base64url */
  state: string;
}

const issueSql = statement(
  'issue_gate_code',
  {
    jti: 'uuid',
    code_sha256: 'bytea',
    origin: 'text',
    target: 'text',
    state_sha256: 'bytea',
    expires_at: 'timestamptz',
    now: 'timestamptz',
  },
  { user_id: 'uuid' },
)`
  insert into gate_codes (code_sha256, user_id, family_id, origin, target, state_sha256, expires_at)
  select :code_sha256, user_id, family_id, :origin, :target, :state_sha256, :expires_at
  from refresh_tokens join users on users.id = user_id and is_active
  where jti = :jti and not revoked and refresh_tokens.expires_at >= :now
  returning user_id`;

/**
 * A code for the session of a refresh token, which stays as it is. An access token will not do: it lives for minutes and is in
 * the memory of pages, while the cookie that a code brings lives for hours.
 * @param cookies values of the refresh cookie
 * @returns undefined if none of them is of a live session
 * @throws {ClockSkewed}
 */
export async function issueGateCode(
  { clock, db, tokens }: Deps<'clock' | 'db' | 'tokens'>,
  cookies: readonly string[],
  { origin, target, state }: WayBack,
): Promise<string | undefined> {
  clock.requireSynced();
  const now = clock.now();
  for (const cookie of cookies) {
    const claims = await tokens.verifyRefreshToken(cookie, now);
    if (claims?.signedBy !== 'refresh' || claims.type !== 'refresh' || !isUuid(claims.jti)) continue;
    const code = randomBase64url(CODE_BYTES);
    const issued = await db.run(issueSql, {
      jti: claims.jti,
      code_sha256: hashOfToken(code),
      origin,
      target,
      state_sha256: Buffer.from(state, 'base64url'),
      expires_at: addSeconds(now, CODE_SECONDS),
      now,
    });
    if (issued.length > 0) return code;
  }
  return undefined;
}

/** The session must still be live: a logout in these seconds ends the way back too. */
const takeSql = statement(
  'take_gate_code',
  { code_sha256: 'bytea', origin: 'text', state_sha256: 'bytea', now: 'timestamptz' },
  { user_id: 'uuid', family_id: 'uuid', target: 'text' },
)`
  delete from gate_codes using users
  where code_sha256 = :code_sha256 and origin = :origin and state_sha256 = :state_sha256
    and gate_codes.expires_at > :now and users.id = gate_codes.user_id and is_active
    and exists (
      select from refresh_tokens as live
      where live.family_id = gate_codes.family_id and not revoked and live.expires_at >= :now
    )
  returning gate_codes.user_id, gate_codes.family_id, target`;

/**
 * Uses up a code.
 * @param state the state cookie
 * @returns undefined if it is unknown, used or expired, of another origin or another browser, or its session has ended
 */
export async function takeGateCode(
  { clock, db }: Deps<'clock' | 'db'>,
  code: string,
  { origin, state }: Pick<WayBack, 'origin' | 'state'>,
): Promise<{ sub: string; sid: string; target: string } | undefined> {
  clock.requireSynced();
  const [taken] = await db.run(takeSql, {
    code_sha256: hashOfToken(code),
    origin,
    state_sha256: hashOfToken(state),
    now: clock.now(),
  });
  return taken && { sub: taken.user_id, sid: taken.family_id, target: taken.target };
}

/** The state as a code has it, of the cookie. */
export function stateOf(cookie: string): string {
  return hashOfToken(cookie).toString('base64url');
}

export const expiredGateCodes: Expiring = expiring('gate_codes', 'code_sha256', 'expires_at < :before');
