/** Spec 4.2: refresh. Steps are numbered as in the specification. */
import { isMissing } from '../credentials/tokens/jwt.js';
import type { Client } from '../domain/request-origin.js';
import { isUuid, uuidInTimeOrder } from '../platform/ids.js';
import { refused } from '../platform/refused.js';
import { ClockSkewed } from '../platform/watched-clock.js';
import type { Deps } from '../services.js';
import type { Outcome } from './outcomes.js';
import { type RetryKeys, retry } from './retries.js';
import { refuse } from './revocations.js';
import { rotate } from './sessions.js';

/**
 * @param cookies the values of the cookie, each once
 * @param retryKeys Interface 12: proof that this is a retry; undefined where none is asked for, or none was sent
 * @throws {ClockSkewed} where only the time could tell, and the clock here is wrong; then nothing is written
 */
export async function refresh(
  deps: Deps<'clock' | 'config' | 'db' | 'metrics' | 'refreshCounter' | 'repeats' | 'tokens'>,
  cookies: readonly string[],
  client: Client,
  retryKeys: RetryKeys | undefined,
): Promise<Outcome> {
  const { clock, config, db, metrics, refreshCounter, repeats, tokens } = deps;
  const now = clock.now();

  // 1. The cookie is there, once: a host beside the gateway's can put one of its own in front (Interface 5).
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

  // Interface 5: a session has so many refreshes a minute, good or bad. No store is asked, and nothing ends.
  if (typeof claims.sid === 'string') {
    const { count, resetSeconds } = refreshCounter.count(claims.sid);
    if (count > config.refreshRateLimit) return { ...refused('rate_limited'), retryAfterSeconds: resetSeconds };
  }

  // 9. Rotate. Steps 6 to 8 are the conditions of this one statement, so that of many presentations one succeeds.
  // By a wrong clock nothing is issued; what does not rest on time is refused all the same.
  const isSkewed = clock.isSkewed();
  const successor = { jti: uuidInTimeOrder(now), expiresAt: tokens.refreshTokenExpiry(now), client };
  const rotated = isSkewed ? undefined : await rotate(db, jti, successor, retryKeys?.current ?? null, now);
  if (rotated !== undefined) {
    const { user_id, family_id, role } = rotated;
    const session = { ...successor, sub: user_id, role, sid: family_id };
    return { kind: 'granted', ...tokens.issuePair(session, now) };
  }

  // Interface 12: the rotation of this very request has happened already, and its answer was lost.
  const retried = retryKeys && (await retry(db, jti, retryKeys, client, isSkewed, now));
  if (retried !== undefined) {
    if (isSkewed) throw new ClockSkewed('nothing is issued by the clock here, not even again');
    const { user_id, family_id, role, successor_jti, expires_at, proof } = retried;
    const session = { jti: successor_jti, expiresAt: expires_at, sub: user_id, role, sid: family_id };
    return { kind: 'retried', proof, ...tokens.issuePair(session, now) };
  }

  const userId = isUuid(sub) ? sub : null;
  const theft = { eventType: 'token_theft', userId, ...client, metadata: { reused_jti: jti } } as const;
  const found = await refuse(db, jti, theft, repeats.isOneTooMany('token_theft', claims), now);

  // 6. No record.
  if (found.kind === 'unknown') return refused('record_unknown');

  // 7. Already used: theft. Nothing of its family stays alive.
  if (found.kind === 'theft') {
    if (!found.audited) repeats.suppressed('token_theft');
    metrics.tokenThefts.inc();
    return refused('record_revoked');
  }

  // 8. Not claimed and not revoked: its time is over.
  if (isSkewed) throw new ClockSkewed('whether the session is over cannot be told by the clock here');
  return refused('record_expired');
}
