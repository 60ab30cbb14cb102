/** The time that events have waited. (Interface 17) */
import type { OutboxKind } from '../db/entities/outbox-cursor.js';
import { type Db, statement } from '../db/statement.js';

/**
 * SQL of the seconds that the oldest event of the cursor `outbox_cursors` waits; 0 if none does. Events that its receiver
 * does not want count until they are passed over, which takes a second if it works.
 */
export const LAG = `greatest(0, coalesce(extract(epoch from clock_timestamp() - least(
    (select written_at from audit_events
      where (written_at, audit_events.id) > (outbox_cursors.front_at, outbox_cursors.front_id)
      order by written_at, audit_events.id limit 1),
    (select min(written_at) from outbox_events where cursor_id = outbox_cursors.id and due_at is not null))), 0))`;

/** Rounded up, so that only what waits for nothing has 0. Paused cursors are left out. */
const longestLagSql = statement('outbox_lag', { kind: 'text' }, { seconds: 'integer' })`
  select coalesce(max(ceil(${LAG})), 0)::integer as seconds from outbox_cursors
  where kind = :kind and paused_at is null`;

/** Seconds for which the oldest event of any cursor of a kind waits. */
export async function longestLag(db: Db, kind: OutboxKind): Promise<number> {
  const [{ seconds } = { seconds: 0 }] = await db.run(longestLagSql, { kind });
  return seconds;
}
