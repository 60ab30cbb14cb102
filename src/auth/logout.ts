/** Spec 4.3: logout. It never refuses. */
import { isMissing } from '../credentials/jwt.js';
import { isUuid } from '../platform/ids.js';
import { type Client, writeAudit } from './audit.js';
import type { AuthDependencies } from './dependencies.js';
import { endSession } from './refresh-tokens.js';

/** @returns true where the cookie decoded and carried a `jti`, so that a record was revoked and `logout` written */
export async function logout(deps: AuthDependencies, cookie: string | undefined, client: Client): Promise<boolean> {
  const now = deps.clock.now();
  const claims = cookie === undefined ? undefined : await deps.tokens.verifyRefreshToken(cookie, now);
  if (claims === undefined || isMissing(claims.jti)) return false;

  const { jti, sub } = claims; // the type is not checked
  const userId = isUuid(sub) ? sub : null;
  const event = { eventType: 'logout', userId, ipAddress: client.ipAddress, userAgent: null } as const;
  const metadata = { jti: String(jti) };
  if (isUuid(jti)) await endSession(deps.db.sql, jti, { ...event, metadata }, now);
  else await writeAudit(deps.db.sql, { ...event, metadata }, now); // there is no such record
  return true;
}
