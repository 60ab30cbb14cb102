/** Whether a login came from a browser and system that its user has not used before. (Interface 21) */
import { type Db, statement } from '../db/statement.js';
import { deviceKind } from './devices.js';

/** Of logins and of sessions: the newest. Programs log in often. */
const MOST = 1_000;

/**
 * User agents of what was there before a login: logins in the audit log, sessions that last longer than it, and devices that
 * were not used since.
 */
const earlierSql = statement('earlier_user_agents', { user_id: 'uuid', at: 'timestamptz' }, { user_agent: 'text' })`
  (
    select coalesce(user_agent, '') as user_agent from audit_events
    where user_id = :user_id and event_type = 'login_success' and created_at < :at
    order by created_at desc limit ${MOST}
  ) union (
    select newest.user_agent
    from sessions, lateral (
      select user_agent from refresh_tokens where refresh_tokens.family_id = sessions.family_id
      order by created_at desc limit 1
    ) as newest
    where sessions.user_id = :user_id and started_at < :at
    order by started_at desc limit ${MOST}
  ) union (
    select user_agent from known_devices where user_id = :user_id and last_used_at < :at
  )`;

/** @returns false for the first login of a user, with which nothing can be compared */
export async function isNewLogin(db: Db, userId: string, userAgent: string, at: Date): Promise<boolean> {
  const earlier = await db.run(earlierSql, { user_id: userId, at });
  const kind = deviceKind(userAgent);
  return earlier.length > 0 && !earlier.some(({ user_agent }) => deviceKind(user_agent) === kind);
}
