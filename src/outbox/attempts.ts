/**
 * The last attempts of each webhook: when, of which event, and how it ended; never what was sent or answered. They are
 * stored in a ring, so that no statement has to delete any, and two at once cannot leave one too many. (Interface 17)
 */
import { type Db, statement } from '../db/statement.js';

/** Of a webhook */
export const MAX_ATTEMPTS = 50;

export interface PastAttempt {
  event_id: string;
  event_type: string;
  /** Of the event, from 1; null: an operator has sent it */
  attempt: number | null;
  /** When it ended */
  at: Date;
  outcome: string;
  /** Of HTTP; null if there was no answer */
  status: number | null;
  milliseconds: number;
}

/** SQL for the `set` of an update of `outbox_cursors`: counts attempts, so that each has a number. @param attempts SQL of JSON */
export const countAttempts = (attempts: string): string =>
  `attempt_count = attempt_count + jsonb_array_length(${attempts})`;

/**
 * SQL that stores attempts of a webhook; those of other cursors are passed over.
 * @param attempts SQL of at most `MAX_ATTEMPTS` of `PastAttempt` as JSON, the oldest first
 * @param moved SQL of the cursor that `countAttempts` has updated: `cursor`, `kind` and `attempt_count`
 */
export const insertAttempts = (attempts: string, moved: string): string => `
    insert into webhook_attempts (webhook_id, slot, number, event_id, event_type, attempt, at, outcome, status, milliseconds)
    select cursor, number % ${MAX_ATTEMPTS}, number, event_id, event_type, attempt, at, outcome, status, milliseconds
    from ${moved}, rows from (jsonb_to_recordset(${attempts}) as (event_id uuid, event_type text, attempt integer,
        at timestamptz, outcome text, status integer, milliseconds integer)) with ordinality as attempted,
      lateral (select attempt_count - jsonb_array_length(${attempts}) + ordinality as number) as numbered
    where kind = 'webhook'
    on conflict (webhook_id, slot) do update set (number, event_id, event_type, attempt, at, outcome, status, milliseconds)
      = row(excluded.number, excluded.event_id, excluded.event_type, excluded.attempt, excluded.at, excluded.outcome,
        excluded.status, excluded.milliseconds)`;

const recordSql = statement(
  'record_webhook_attempt',
  { id: 'uuid', attempts: 'jsonb', at: 'timestamptz', outcome: 'text', status: 'integer?' },
  {},
)`
  with moved as (
    update outbox_cursors set ${countAttempts(':attempts')},
      last_attempt_at = :at, last_outcome = :outcome, last_status = :status
    where id = :id
    returning id as cursor, kind, attempt_count
  )
  ${insertAttempts(':attempts', 'moved')}`;

/** Stores an attempt that an operator has made; of a webhook that was deleted meanwhile, nothing. */
export async function recordAttempt(db: Db, id: string, attempt: PastAttempt): Promise<void> {
  const { at, outcome, status } = attempt;
  await db.run(recordSql, { id, attempts: [attempt], at, outcome, status });
}
