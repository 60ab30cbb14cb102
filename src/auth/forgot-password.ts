/**
 * Answers somebody who has forgotten a password. Neither the answer nor its time reveals whether the e-mail is known.
 * (Interface 15)
 */
import { eventRows, insertEvents } from '../audit/write.js';
import { type Db, statement } from '../db/statement.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import type { Deps } from '../services.js';

/** The row of an unknown or deactivated e-mail has no user, and costs the same. */
const requestResetSql = statement('request_reset', { email: 'text', events: 'jsonb' }, {})`
  ${insertEvents(`jsonb_set(:events, '{0,user_id}',
    coalesce((select to_jsonb(users.id) from users where email = :email and is_active), 'null'))`)}`;

/**
 * Writes the request into the audit log. Mail reads it later, and decides whether it sends a link.
 * @param email normalised
 * @throws {Outage} if the database does not answer
 */
export async function requestReset(
  { clock, db }: Deps<'clock'> & { db: Db },
  email: string,
  { ipAddress, userAgent }: RequestOrigin,
): Promise<void> {
  const event = {
    eventType: 'password_reset_requested',
    userId: null,
    ipAddress,
    userAgent,
    metadata: { email },
  } as const;
  await db.run(requestResetSql, { email, events: eventRows([event], clock.now()) });
}
