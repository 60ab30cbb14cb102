/**
 * Cursors on the audit log. A cursor has two positions in the order of `written_at` and id. Its *front* is the last
 * event that was tried. Up to its *settled* position no event is missing. Between the two the database's clock may
 * still go back and put an event behind the front, so there `outbox_events` names each event that was sent, and
 * settling sends what is not named. (Interface 17)
 */
import type { AuditedEvent } from '../audit/events.js';
import { EVENT, EVENT_COLUMNS, type LoggedEvent, type Position, SETTLED_SECONDS, utc } from '../audit/order.js';
import { eventRows, insertEvents } from '../audit/write.js';
import type { OutboxKind } from '../db/entities/outbox-cursor.js';
import { type Db, only, type RowOf, statement } from '../db/statement.js';
import { countAttempts, insertAttempts, MAX_ATTEMPTS, type PastAttempt } from './attempts.js';
import { DOWN_AFTER } from './schedule.js';

/** How long an instance may work on a cursor before it must show itself, by the clock of the database: seconds. */
const CLAIM_SECONDS = 40;
/** How long a cursor rests after a turn that could do nothing: seconds. */
const IDLE_SECONDS = 0.25;

/**
 * The cursor with work whose last claim ended first, so that a few that are far behind do not hold up the others. While
 * nothing happens this reads a few index entries for each cursor, and writes nothing.
 */
const claimSql = statement(
  'claim_outbox',
  { me: 'uuid', kind: only<OutboxKind>('text'), busy: 'text[]', now: 'timestamptz' },
  {
    id: 'uuid',
    front_at: 'text',
    front_id: 'uuid',
    settled_at: 'text',
    settled_id: 'uuid',
    failures: 'integer',
  },
)`
  update outbox_cursors set claimed_by = :me, claimed_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
  where id = (
    select id from outbox_cursors as c
    where kind = :kind and id::text <> all(:busy) and paused_at is null
      and (claimed_until is null or claimed_until < clock_timestamp()) and (retry_at is null or retry_at <= :now)
      and (
        exists (select from audit_events where (written_at, audit_events.id) > (c.front_at, c.front_id))
        or exists (select from outbox_events where cursor_id = c.id and due_at <= :now)
        or (failures >= ${DOWN_AFTER} and exists (select from outbox_events where cursor_id = c.id and due_at is not null))
        or (settled_at < front_at and front_at < clock_timestamp() - make_interval(secs => ${SETTLED_SECONDS}))
      )
    order by claimed_until nulls first, id for update skip locked limit 1
  )
  returning id, ${utc('front_at')} as front_at, front_id, ${utc('settled_at')} as settled_at, settled_id, failures`;

export type Claimed = RowOf<typeof claimSql>;

/**
 * @param me an id for this claim
 * @param busy ids of cursors that must wait
 * @returns undefined if there is nothing to do
 */
export async function claim(
  db: Db,
  me: string,
  kind: OutboxKind,
  busy: string[],
  now: Date,
): Promise<Claimed | undefined> {
  const [claimed] = await db.run(claimSql, { me, kind, busy, now });
  return claimed;
}

const unsettledSql = statement(
  'outbox_unsettled',
  { cursor_id: 'uuid', at: 'text', id: 'uuid', until_at: 'text', until_id: 'uuid', limit: 'integer' },
  EVENT,
)`
  select ${EVENT_COLUMNS} from audit_events
  where (audit_events.written_at, id) > (:at::timestamptz, :id)
    and (audit_events.written_at, id) <= (:until_at::timestamptz, :until_id)
    and not exists (select from outbox_events where cursor_id = :cursor_id and event_id = audit_events.id)
  order by audit_events.written_at, id limit :limit`;

/** Events between two places that were not sent. Those that the receiver does not want are among them. */
export function readUnsettled(
  db: Db,
  cursorId: string,
  from: Position,
  to: Position,
  limit: number,
): Promise<LoggedEvent[]> {
  const { at: until_at, id: until_id } = to;
  return db.run(unsettledSql, { cursor_id: cursorId, ...from, until_at, until_id, limit });
}

const PARKED = { ...EVENT, attempts: 'integer' } as const;

const parkedSql = statement('outbox_parked', { cursor_id: 'uuid', now: 'timestamptz', limit: 'integer' }, PARKED)`
  select ${EVENT_COLUMNS}, attempts from outbox_events join audit_events on audit_events.id = event_id
  where cursor_id = :cursor_id and due_at <= :now
  order by outbox_events.written_at, event_id limit :limit`;

export type ParkedEvent = RowOf<typeof parkedSql>;

/** Parked events that are due, in their order. Events that the audit log has dropped are gone. */
export function readParked(db: Db, cursorId: string, now: Date, limit: number): Promise<ParkedEvent[]> {
  return db.run(parkedSql, { cursor_id: cursorId, now, limit });
}

/** SQL of the newest parked events of a cursor. Those that are under way are not among them. */
const newest = (cursor: string, columns: string, from: string, limit: string): string => `
  select ${columns} from ${from}
  where cursor_id = ${cursor} and due_at is not null and event_id::text <> all(:under_way)
  order by outbox_events.written_at desc, event_id desc limit ${limit}`;

const oldestSql = statement(
  'outbox_oldest_of_newest',
  { cursor_id: 'uuid', newest: 'integer', under_way: 'text[]' },
  PARKED,
)`
  select * from (
    ${newest(':cursor_id', `${EVENT_COLUMNS}, attempts`, 'outbox_events join audit_events on audit_events.id = event_id', ':newest')}
  ) as failed order by written_at, id limit 1`;

/** The oldest of so many newest parked events: the first of a row of failures. */
export async function readFirstOf(
  db: Db,
  cursorId: string,
  newest: number,
  under_way: string[],
): Promise<ParkedEvent | undefined> {
  const [first] = await db.run(oldestSql, { cursor_id: cursorId, newest, under_way });
  return first;
}

/** An event of a turn, for `outbox_events`. */
export interface Handled {
  event_id: string;
  written_at: string;
  /** When it is tried again; null: it was sent, or is not wanted */
  due_at: string | null;
  attempts: number;
}

export interface Progress {
  front: Position;
  settled: Position;
  failures: number;
  /** Nothing is sent before; null: no pause */
  retryAt: Date | null;
  handled: Handled[];
  /** The oldest first */
  attempted: PastAttempt[];
  /** Of the last attempt, if there was one */
  last: { at: Date; outcome: string; status: number | null } | undefined;
  /** The receiver is back, so as many of the newest parked events are due: those that failed while it was away. */
  back: number;
  /** Ids of events whose attempts last, and which are parked until their time is over */
  underWay: string[];
  isGone: boolean;
  /** Gives the claim up. */
  isOver: boolean;
  /** The turn has done nothing, as if a transaction holds the log back: it need not be looked at again at once. */
  isIdle: boolean;
}

/** Writes nothing if the claim is lost, or an operator has changed the cursor: then others have it, or will. */
const advanceSql = statement(
  'advance_outbox',
  {
    id: 'uuid',
    me: 'uuid',
    front_at: 'text',
    front_id: 'uuid',
    settled_at: 'text',
    settled_id: 'uuid',
    failures: 'integer',
    retry_at: 'timestamptz?',
    handled: 'jsonb',
    attempts: 'jsonb',
    events: 'jsonb',
    last_at: 'timestamptz?',
    last_outcome: 'text?',
    last_status: 'integer?',
    back: 'integer',
    under_way: 'text[]',
    is_gone: 'boolean',
    is_over: 'boolean',
    is_idle: 'boolean',
    now: 'timestamptz',
  },
  { advanced: 'integer' },
)`
  with moved as (
    update outbox_cursors set
      front_at = :front_at::timestamptz, front_id = :front_id,
      settled_at = :settled_at::timestamptz, settled_id = :settled_id,
      failures = :failures, retry_at = :retry_at,
      last_attempt_at = coalesce(:last_at, last_attempt_at),
      last_outcome = coalesce(:last_outcome, last_outcome),
      last_status = case when :last_outcome is null then last_status else :last_status end,
      ${countAttempts(':attempts')},
      paused_at = case when :is_gone then :now end, paused_by = case when :is_gone then 'receiver' end,
      claimed_by = case when :is_over then null else claimed_by end,
      claimed_until =
        case when not :is_over then clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
          when :is_idle then clock_timestamp() + make_interval(secs => ${IDLE_SECONDS})
          else clock_timestamp() end
    where id = :id and claimed_by = :me
    returning id as cursor, kind, attempt_count
  ), audited as (
    ${insertEvents(':events', 'moved')}
  ), attempted as (
    ${insertAttempts(':attempts', 'moved')}
  ), handled as (
    select * from jsonb_to_recordset(:handled)
      as event (event_id uuid, written_at timestamptz, due_at timestamptz, attempts integer)
  ), stored as (
    insert into outbox_events (cursor_id, event_id, written_at, due_at, attempts)
    select moved.cursor, event_id, handled.written_at, due_at, attempts from handled, moved
    where due_at is not null or (handled.written_at, event_id) > (:settled_at::timestamptz, :settled_id)
    on conflict (cursor_id, event_id) do update set due_at = excluded.due_at, attempts = excluded.attempts
  ), settled as (
    delete from outbox_events using moved
    where cursor_id = moved.cursor and (outbox_events.written_at, event_id) <= (:settled_at::timestamptz, :settled_id)
      and event_id not in (select event_id from handled where due_at is not null)
      and (due_at is null or event_id in (select event_id from handled))
  ), dropped as (
    -- the audit log has dropped the event
    delete from outbox_events using moved
    where cursor_id = moved.cursor and due_at <= :now and event_id not in (select event_id from handled)
      and not exists (select from audit_events where audit_events.id = event_id)
  ), returned as (
    update outbox_events set due_at = :now from moved
    where cursor_id = moved.cursor and due_at > :now and event_id not in (select event_id from handled)
      and event_id in (${newest(':id', 'event_id', 'outbox_events', ':back')})
  )
  select count(*)::integer as advanced from moved`;

const releaseSql = statement('release_outbox', { me: 'uuid' }, {})`
  update outbox_cursors set claimed_by = null, claimed_until = null where claimed_by = :me`;

/** Gives up a claim without any progress. */
export async function release(db: Db, me: string): Promise<void> {
  await db.run(releaseSql, { me });
}

/** Nobody's request: the gateway itself has no address. */
function pausedByReceiver(webhook_id: string): AuditedEvent {
  const metadata = { by: 'receiver', webhook_id } as const;
  return { eventType: 'webhook_paused', userId: null, ipAddress: 'gateway', userAgent: '', metadata };
}

/** @returns false if the claim is lost: then nothing was written */
export async function advance(db: Db, me: string, id: string, progress: Progress, now: Date): Promise<boolean> {
  const { front, settled, failures, retryAt, handled, attempted, last, back, underWay, isGone, isOver, isIdle } =
    progress;
  const [{ advanced } = { advanced: 0 }] = await db.run(advanceSql, {
    id,
    me,
    front_at: front.at,
    front_id: front.id,
    settled_at: settled.at,
    settled_id: settled.id,
    failures,
    retry_at: retryAt,
    handled,
    attempts: attempted.slice(-MAX_ATTEMPTS),
    events: eventRows(isGone ? [pausedByReceiver(id)] : [], now),
    last_at: last?.at ?? null,
    last_outcome: last?.outcome ?? null,
    last_status: last?.status ?? null,
    back,
    under_way: underWay,
    is_gone: isGone,
    is_over: isOver,
    is_idle: isIdle,
    now,
  });
  return advanced === 1;
}
