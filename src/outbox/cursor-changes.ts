/** Changes of a cursor by operators. Each ends the claim, so that a running turn writes nothing any more. (Interface 17) */

import { NIL } from '../audit/order.js';
import type { OutboxKind } from '../db/entities/outbox-cursor.js';
import { type Db, only, statement } from '../db/statement.js';

/** SQL of a new cursor: what is written from now on. Events that are being written have an earlier time. */
const startSql = statement('start_outbox', { id: 'uuid', kind: only<OutboxKind>('text') }, {})`
  insert into outbox_cursors (id, kind, front_at, front_id, settled_at, settled_id)
  select :id, :kind, now, '${NIL}', now, '${NIL}' from clock_timestamp() as now
  on conflict (id) do nothing`;

/** A cursor at the end of the log, unless it exists. */
export async function startCursor(db: Db, id: string, kind: OutboxKind): Promise<void> {
  await db.run(startSql, { id, kind });
}

const moveSql = statement('move_outbox', { id: 'uuid', since: 'timestamptz' }, {})`
  update outbox_cursors set front_at = since, front_id = '${NIL}', settled_at = since, settled_id = '${NIL}',
    failures = 0, retry_at = null, claimed_by = null, claimed_until = null
  from (select least(:since, clock_timestamp()) as since) as place
  where id = :id`;

/**
 * After the statement that changes the cursor, which waits for a turn that is being stored: in the same one it would not see
 * what the turn has stored.
 */
const forgetSql = statement('forget_outbox_events', { id: 'uuid' }, {})`
  delete from outbox_events where cursor_id = :id`;

/**
 * Moves a cursor, which drops every parked event: those since then are read again. Ends the claim.
 * @param db a transaction
 */
export async function moveCursor(db: Db, id: string, since: Date): Promise<void> {
  await db.run(moveSql, { id, since });
  await db.run(forgetSql, { id });
}

const pauseSql = statement('pause_outbox', { id: 'uuid', now: 'timestamptz' }, { id: 'uuid' })`
  update outbox_cursors set paused_at = :now, paused_by = 'operator', claimed_by = null, claimed_until = null
  where id = :id and paused_at is null
  returning id`;

/** @returns false if it was paused */
export async function pauseCursor(db: Db, id: string, now: Date): Promise<boolean> {
  return (await db.run(pauseSql, { id, now })).length > 0;
}

const resumeSql = statement('resume_outbox', { id: 'uuid', now: 'timestamptz' }, { id: 'uuid' })`
  with resumed as (
    update outbox_cursors set paused_at = null, paused_by = null, failures = 0, retry_at = null
    where id = :id and paused_at is not null
    returning id
  ), due as (
    update outbox_events set due_at = :now from resumed where cursor_id = resumed.id and due_at > :now
  )
  select id from resumed`;

/** What is parked is due at once. @returns false if it was not paused */
export async function resumeCursor(db: Db, id: string, now: Date): Promise<boolean> {
  return (await db.run(resumeSql, { id, now })).length > 0;
}

const endSql = statement('end_outbox', { id: 'uuid' }, {})`delete from outbox_cursors where id = :id`;

/** @param db a transaction */
export async function endCursor(db: Db, id: string): Promise<void> {
  await db.run(endSql, { id });
  await db.run(forgetSql, { id });
}
