/** The mails that wait, and the last attempt, from the cursor of mail. (Interface 17) */
import type { EventType } from '../audit/events.js';
import { only, statement } from '../db/statement.js';
import { MAX_COUNTED } from '../listing/page.js';
import { LAG } from '../outbox/lag.js';
import type { Deps } from '../services.js';
import { MAIL_CURSOR } from './mail-cursor.js';
import { mailedTypes } from './mailed-events.js';

/** Events of a type that may be mailed */
export interface WaitingMails {
  eventType: EventType;
  /** Number that has not been tried */
  queued: number;
  /** Number that has failed and will be tried again, or is being tried */
  retried: number;
}

export interface MailState {
  waiting: WaitingMails[];
  /** False if there are more than `MAX_COUNTED` events to read, or to try again: the counts are then too low. */
  isComplete: boolean;
  /** Seconds for which the oldest event has waited */
  lag: number;
  lastAttempt: { at: Date; outcome: string; status: number | null } | null;
}

const stateSql = statement(
  'mail_state',
  { id: 'uuid', types: 'text[]' },
  {
    waiting: only<WaitingMails[]>('jsonb'),
    is_complete: 'boolean',
    lag: 'integer',
    last_attempt_at: 'timestamptz?',
    last_outcome: 'text?',
    last_status: 'integer?',
  },
)`
  with unread as (
    select event_type from outbox_cursors cross join lateral (
      select event_type from audit_events
      where (written_at, audit_events.id) > (outbox_cursors.front_at, outbox_cursors.front_id)
      order by written_at, audit_events.id limit ${MAX_COUNTED}
    ) as event
    where outbox_cursors.id = :id
  ), parked as (
    select event_type from outbox_events join audit_events on audit_events.id = event_id
    where cursor_id = :id and due_at is not null limit ${MAX_COUNTED}
  ), counted as (
    select event_type, count(*) filter (where not is_parked) as queued, count(*) filter (where is_parked) as retried
    from (
      select event_type, false as is_parked from unread where event_type = any(:types)
      union all select event_type, true from parked
    ) as waiting
    group by event_type
  )
  select
    coalesce((
      select jsonb_agg(
        jsonb_build_object('eventType', event_type, 'queued', queued, 'retried', retried)
        order by queued + retried desc, event_type
      ) from counted
    ), '[]') as waiting,
    (select count(*) from unread) < ${MAX_COUNTED} and (select count(*) from parked) < ${MAX_COUNTED} as is_complete,
    ceil(${LAG})::integer as lag, last_attempt_at, last_outcome, last_status
  from outbox_cursors where id = :id`;

export async function readMailState({ config, db }: Deps<'config' | 'db'>): Promise<MailState> {
  const [found] = await db.admin.run(stateSql, { id: MAIL_CURSOR, types: mailedTypes(config.mail.notices) });
  if (found === undefined) return { waiting: [], isComplete: true, lag: 0, lastAttempt: null };
  const { waiting, is_complete: isComplete, lag, last_attempt_at: at, last_outcome, last_status: status } = found;
  const lastAttempt = at && last_outcome !== null ? { at, outcome: last_outcome, status } : null;
  return { waiting, isComplete, lag, lastAttempt };
}
