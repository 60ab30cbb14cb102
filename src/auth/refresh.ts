/** Refresh. Steps are numbered as in the specification. (Spec 4.2) */
import { isMissing, type TokenSession } from '../credentials/tokens/jwt.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import { isUuid, uuidInTimeOrder } from '../platform/ids.js';
import { refused } from '../platform/refused.js';
import { ClockSkewed } from '../platform/watched-clock.js';
import type { Deps } from '../services.js';
import type { Outcome } from './outcomes.js';
import { type RetryKeys, retry } from './retries.js';
import { classifyUnrotated } from './revocations.js';
import { type Rotated, rotate } from './sessions.js';

/**
 * @param cookies distinct values of the cookie
 * @param retryKeys Interface 12: proof that this is a retry; undefined if proofs are off or none was sent
 * @throws {ClockSkewed} if the answer depends on the time and this clock is wrong. Nothing is written then
 */
export async function refresh(
  deps: Deps<'clock' | 'config' | 'db' | 'metrics' | 'refreshCounter' | 'repeats' | 'tokens'>,
  cookies: readonly string[],
  origin: RequestOrigin,
  retryKeys: RetryKeys | undefined,
): Promise<Outcome> {
  const { clock, config, db, metrics, refreshCounter, repeats, tokens } = deps;
  const now = clock.now();

  // 1. Exactly one cookie: a sibling host can set a second one, which browsers send first (Interface 5).
  const [cookie, ...others] = cookies;
  if (cookie === undefined) return refused('no_refresh_token');
  if (others.length > 0) return refused('ambiguous_cookie');

  // 2. Signature and expiry.
  const claims = await tokens.verifyRefreshToken(cookie, now);
  if (claims === undefined) return refused('invalid_refresh_token');
  const { type, jti, sub } = claims;

  // 3. and 4. The claims.
  if (type !== 'refresh') return refused('wrong_token_type');
  if (isMissing(jti) || isMissing(sub)) return refused('claim_missing');

  // 5. The jti is a UUID.
  if (!isUuid(jti)) return refused('jti_not_uuid');

  // Interface 5: refreshes of one session per minute, good or bad, counted in this process.
  if (typeof claims.sid === 'string') {
    const { count, resetSeconds } = refreshCounter.count(claims.sid);
    if (count > config.refreshRateLimit) return { ...refused('rate_limited'), retryAfterSeconds: resetSeconds };
  }

  // 9. Rotate. Steps 6 to 8 are conditions of this one statement, so that only one of several presentations succeeds.
  // A wrong clock issues nothing, but refusals that do not depend on time still hold.
  const isSkewed = clock.isSkewed();
  const successor = { jti: uuidInTimeOrder(now), expiresAt: tokens.refreshTokenExpiry(now), origin };
  const rotated = isSkewed ? undefined : await rotate(db, jti, successor, retryKeys?.current ?? null, now);
  if (rotated !== undefined) {
    return { kind: 'granted', ...tokens.issuePair(sessionOf(rotated), successor, now) };
  }

  // Interface 12: this request was already answered by a rotation, and that answer was lost.
  const retried = retryKeys && (await retry(db, jti, retryKeys, origin, isSkewed, now));
  if (retried !== undefined) {
    if (isSkewed) throw new ClockSkewed('this clock is wrong, so no token is issued');
    const { successor_jti: jti, expires_at: expiresAt, proof } = retried;
    return { kind: 'retried', proof, ...tokens.issuePair(sessionOf(retried), { jti, expiresAt }, now) };
  }

  const userId = isUuid(sub) ? sub : null;
  const theft = { eventType: 'token_theft', userId, ...origin, metadata: { reused_jti: jti } } as const;
  const unrotated = await classifyUnrotated(db, jti, theft, repeats.isOneTooMany('token_theft', claims), now);

  // 6. No record.
  if (unrotated.kind === 'unknown') return refused('record_unknown');

  // 7. Revoked: theft. Its whole family is revoked by now. A session that a logout or an operator had ended is answered
  // in the same way, but is not counted as a theft.
  if (unrotated.kind === 'revoked') {
    if (!unrotated.audited) repeats.suppressed('token_theft');
    if (unrotated.isTheft) metrics.tokenThefts.inc();
    return refused('record_revoked');
  }

  // 8. Neither rotated nor revoked: expired.
  if (isSkewed) throw new ClockSkewed('this clock is wrong, so it cannot decide whether the session has expired');
  return refused('record_expired');
}

/** The session of a record, as its tokens say it. */
function sessionOf({ user_id, family_id, session_started_at, role, amr, proved_at }: Rotated): TokenSession {
  return { sub: user_id, role, sid: family_id, startedAt: session_started_at, amr, provedAt: proved_at };
}
