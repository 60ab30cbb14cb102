/** Whether the audit log has what has happened, for a reader of the tables at any moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../experiment.js';
import type { Postgres } from './postgres.js';

/** What was answered 200 */
export interface Acknowledged {
  /** Of logins: the `family_id` of each */
  families: string[];
  /** If an earlier request for the same logout had no answer, it may have its own event. */
  logouts: Array<{ jti: string; wasAskedOnce: boolean }>;
}

export interface AuditWatch {
  /** Looks for the event of each. */
  compare(acknowledged: Acknowledged): Promise<void>;
  stop(): Promise<void>;
  /** @param over what happened meanwhile @param rounds how often */
  rows(over: string, rounds: number): Row[];
}

/** Between two snapshots: milliseconds */
const PAUSE_MS = 10;
const LOOKS_PER_ROUND = 10;

/** A login stores its session and its event with the same time. Both sides are of one snapshot. */
const TORN = `
  select (session.user_id is null) as "isEvent", count(*)::integer as torn
  from (select user_id, started_at as at from sessions where started_at > $1) as session
  full join (
    select user_id, created_at as at from audit_events
    where event_type = 'login_success' and created_at > $1
  ) as event on event.user_id = session.user_id and event.at = session.at
  where session.user_id is null or event.user_id is null
  group by 1`;

const EVENTS_OF_LOGINS = `
  select family_id as of, (
    select count(*)::integer from sessions join audit_events on audit_events.user_id = sessions.user_id
      and audit_events.created_at = sessions.started_at and event_type = 'login_success'
    where sessions.family_id = acknowledged.family_id
  ) as events
  from unnest($1::uuid[]) as acknowledged (family_id)`;

const EVENTS_OF_LOGOUTS = `
  select jti as of, (
    select count(*)::integer from audit_events where event_type = 'logout' and metadata ->> 'jti' = acknowledged.jti
  ) as events
  from unnest($1::text[]) as acknowledged (jti)`;

/** Looks at what begins from now on, again and again, until it is stopped: a login that is committed before its event is seen without it. */
export function watchAudit(db: Postgres): AuditWatch {
  const looks: Omit<Row, 'what' | 'least'> & { examples: string[] } = { trials: 0, violations: 0, examples: [] };
  const compared = { ...looks, examples: [] as string[] };
  const since = new Date();
  let isOver = false;
  const look = async (): Promise<void> => {
    const found = await db.query<{ isEvent: boolean; torn: number }>(TORN, [since]);
    looks.trials += 1;
    if (found.length > 0) looks.violations += 1;
    for (const { isEvent, torn } of found) looks.examples.push(`${torn} ${isEvent ? 'events' : 'sessions'} alone`);
  };
  const looking = (async () => {
    while (!isOver) {
      await look().catch(() => undefined); // the server is dead
      await sleep(PAUSE_MS);
    }
  })();
  const count = async (
    what: string,
    sql: string,
    values: string[],
    isRight: (events: number, i: number) => boolean,
  ) => {
    const found = await db.query<{ of: string; events: number }>(sql, [values]);
    for (const [i, { events }] of found.entries()) {
      compared.trials += 1;
      if (isRight(events, i)) continue;
      compared.violations += 1;
      compared.examples.push(`${events} events of an acknowledged ${what}`);
    }
  };
  return {
    compare: async ({ families, logouts }) => {
      await count('login', EVENTS_OF_LOGINS, families, (events) => events === 1);
      const jtis = logouts.map(({ jti }) => jti);
      const isRight = (events: number, i: number): boolean =>
        events === 1 || (events > 1 && logouts[i]?.wasAskedOnce === false);
      await count('logout', EVENTS_OF_LOGOUTS, jtis, isRight);
    },
    stop: async () => {
      isOver = true;
      await looking;
    },
    rows: (over, rounds) => [
      { what: `acknowledged logins and logouts without exactly one event ${over}`, least: 2 * rounds, ...compared },
      {
        what: `snapshots with a session without its event, or the reverse, ${over}`,
        least: LOOKS_PER_ROUND * rounds,
        ...looks,
      },
    ],
  };
}
