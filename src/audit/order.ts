/**
 * The order of the audit log for those who follow it: by `written_at`, the database's clock at the insert, then by id.
 * `audit/export.ts` says why the log is complete up to its horizon. (Interface 9, 17 and 24)
 */
import { type Db, type RowOf, statement } from '../db/statement.js';

/** A position in the audit log. Positions compare as text, first by `at`. */
export interface Position {
  /** `written_at` in UTC with microseconds */
  at: string;
  id: string;
}

/** Before every event of its moment */
export const NIL = '00000000-0000-0000-0000-000000000000';

/** How far the database's clock may go back, also in a failover. */
export const SETTLED_SECONDS = 10;

export function isBefore(a: Position, b: Position): boolean {
  return a.at < b.at || (a.at === b.at && a.id < b.id);
}

export const earlier = (a: Position, b: Position): Position => (isBefore(a, b) ? a : b);

/** SQL of a time as `Position.at` */
export const utc = (time: string): string => `to_char((${time}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** SQL for `pg_locks`: those of transactions that have written to the log, and have not ended */
export const OF_WRITERS = `locktype = 'relation' and relation = 'audit_events'::regclass and mode = 'RowExclusiveLock' and granted
  and database = (select oid from pg_database where datname = current_database())`;

/**
 * Up to `complete` the log is complete: a transaction that has written to the log, and has not ended, began later. (A
 * transaction without a write lock on the table will write later than now.) Up to `settled` it stays complete even if the
 * clock goes back. Null: a transaction of unknown age is writing.
 */
const horizonSql = statement('audit_horizon', { settled_seconds: 'integer' }, { complete: 'text?', settled: 'text?' })`
  select ${utc('complete')} as complete, ${utc('complete - make_interval(secs => :settled_seconds)')} as settled
  from (
    select case when bool_and(xact_start is not null) is not false
      then least(statement_timestamp(), min(xact_start)) end as complete
    from pg_locks left join pg_stat_activity using (pid)
    where ${OF_WRITERS}
  ) as writers`;

export interface Horizon {
  complete: string;
  settled: string;
}

/** @returns undefined while it is unknown */
export async function readHorizon(db: Db, settled_seconds = SETTLED_SECONDS): Promise<Horizon | undefined> {
  const [{ complete, settled } = { complete: null, settled: null }] = await db.run(horizonSql, { settled_seconds });
  return complete === null || settled === null ? undefined : { complete, settled };
}

/** Types of an event in this order, for statements */
export const EVENT = {
  id: 'uuid',
  event_type: 'text',
  entity_type: 'text',
  user_id: 'uuid?',
  ip_address: 'text',
  user_agent: 'text?',
  metadata: 'jsonb',
  created_at: 'timestamptz',
  written_at: 'text',
  /** That the user has now */
  user_email: 'text?',
} as const;

/** SQL of the columns of `EVENT` */
export const EVENT_COLUMNS = `audit_events.id, event_type, entity_type, user_id, ip_address, user_agent, metadata, created_at,
  ${utc('audit_events.written_at')} as written_at,
  (select email from users where users.id = audit_events.user_id) as user_email`;

const newEventsSql = statement('new_audit_events', { at: 'text', id: 'uuid', until: 'text', limit: 'integer' }, EVENT)`
  select ${EVENT_COLUMNS} from audit_events
  where (audit_events.written_at, id) > (:at::timestamptz, :id) and audit_events.written_at < :until::timestamptz
  order by audit_events.written_at, id limit :limit`;

export type LoggedEvent = RowOf<typeof newEventsSql>;

export const positionOf = ({ written_at: at, id }: LoggedEvent): Position => ({ at, id });

const eventByIdSql = statement('audit_event_by_id', { id: 'uuid' }, EVENT)`
  select ${EVENT_COLUMNS} from audit_events where id = :id`;

/** @returns undefined if the log does not have it */
export async function readEvent(db: Db, id: string): Promise<LoggedEvent | undefined> {
  const [event] = await db.run(eventByIdSql, { id });
  return event;
}

/** Events behind a place, in their order, up to a moment to which the log is complete. */
export function readNew(db: Db, { at, id }: Position, until: string, limit: number): Promise<LoggedEvent[]> {
  return db.run(newEventsSql, { at, id, until, limit });
}
