/** Many events of the audit log, as refused logins write them */
import type { Postgres } from './postgres.js';

const AT_ONCE = 10_000;

export async function writeEvents(db: Postgres, count: number): Promise<void> {
  for (let written = 0; written < count; written += AT_ONCE)
    await db.query(
      `insert into audit_events (id, event_type, entity_type, ip_address, user_agent, metadata, created_at)
       select gen_random_uuid(), 'login_failure', 'user', '192.0.2.7', 'curl', '{"reason": "invalid_credentials"}', now()
       from generate_series(1, $1)`,
      [Math.min(AT_ONCE, count - written)],
    );
}
