/** A lock of another session, for which statements of the gateway wait. */
import pg from 'pg';
import type { TestGateway } from '../gateway/gateway.js';

/** Holds a lock by this SQL while `work` goes on, which is given how many statements wait. */
export async function withLock(
  { database, rows }: TestGateway,
  takes: string,
  work: (waiting: () => Promise<number>) => Promise<void>,
): Promise<void> {
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  // Not by the holder: a transaction sees no connections that are made after it first looked.
  const waiting = async () => {
    const [row] = await rows<{ count: number }>(`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
    return row?.count ?? 0;
  };
  try {
    await holder.query(takes);
    await work(waiting);
  } finally {
    await holder.end();
  }
}

export const wholeTable = (table: string) => `begin; lock table ${table} in access exclusive mode`;

/** Each reading of a table takes so many seconds while `work` goes on. */
export function whileReadsTake(
  { rows }: TestGateway,
  table: string,
  seconds: number,
  work: () => Promise<void>,
): Promise<void> {
  return whileReadsDo(rows, table, `perform pg_sleep(${seconds})`, work);
}

async function whileReadsDo(
  rows: TestGateway['rows'],
  table: string,
  first: string,
  work: () => Promise<void>,
): Promise<void> {
  await rows(`create function wait() returns void language plpgsql as 'begin ${first}; end';
    alter table ${table} rename to hidden;
    create view ${table} as select * from hidden where (select wait() is not null)`);
  try {
    await work();
  } finally {
    await rows(`drop view ${table}; alter table hidden rename to ${table}; drop function wait`);
  }
}

/**
 * Each reading of a table waits while `work` goes on, as if it read for long: not for a lock, which is an outage sooner.
 * `work` is given how many statements wait.
 */
export async function whileReadsWait(
  gateway: TestGateway,
  table: string,
  work: (waiting: () => Promise<number>) => Promise<void>,
): Promise<void> {
  const { rows } = gateway;
  const waiting = async () => {
    const [row] = await rows<{ count: number }>(`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event = 'PgSleep'`);
    return row?.count ?? 0;
  };
  const untilUnlocked = 'while not pg_try_advisory_xact_lock_shared(1) loop perform pg_sleep(0.01); end loop';
  await whileReadsDo(rows, table, untilUnlocked, () =>
    withLock(gateway, 'select pg_advisory_lock(1)', () => work(waiting)),
  );
}
