/** Logout. It never refuses a request. (Spec 4.3 and 4.3.3) */
import { isMissing } from '../credentials/tokens/jwt.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import { isUuid } from '../platform/ids.js';
import { toText } from '../platform/text.js';
import type { Deps } from '../services.js';
import { revokeRecord } from './revocations.js';

type LogoutDeps = Deps<'clock' | 'db' | 'repeats' | 'tokens'>;

/**
 * @param cookies distinct values of the cookie. All are logged out, since the browser may send any of them next
 * @returns true if one of them decoded and carried a `jti` (Spec 4.3.1)
 * @throws {ClockSkewed} if this clock cannot decide whether a cookie has expired
 */
export async function logout(deps: LogoutDeps, cookies: readonly string[], origin: RequestOrigin): Promise<boolean> {
  let hasLoggedOut = false;
  for (const cookie of cookies) if (await logOutToken(deps, cookie, origin)) hasLoggedOut = true;
  return hasLoggedOut;
}

async function logOutToken(deps: LogoutDeps, cookie: string, origin: RequestOrigin): Promise<boolean> {
  const { clock, db, repeats, tokens } = deps;
  const now = clock.now();
  const claims = await tokens.verifyRefreshToken(cookie, now);
  if (claims === undefined || isMissing(claims.jti)) return false;

  const { jti, sub, signedBy } = claims; // Spec 4.3.2: the type is not checked
  const userId = isUuid(sub) ? sub : null;
  const text = typeof jti === 'string' ? jti : JSON.stringify(jti);
  const metadata = { jti: toText(text) };
  const event = { eventType: 'logout', userId, ipAddress: origin.ipAddress, userAgent: null, metadata } as const;
  const isRepeat = repeats.isOneTooMany('logout', claims);
  const record = signedBy === 'refresh' && isUuid(jti) ? jti : null;
  if (!(await revokeRecord(db, record, event, isRepeat, now))) repeats.suppressed('logout');
  return true;
}
