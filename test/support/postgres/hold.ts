/** Stops statements half-way, so that an interleaving is arranged and not hoped for. */
import pg from 'pg';
import { until } from '../until.js';

/** Ends with its scope at the latest, so that a test that fails leaves nobody waiting. */
export interface Hold extends AsyncDisposable {
  /** Resolves once so many connections of the database wait for a lock. */
  waiting(count: number): Promise<void>;
  /** Lets everything go on. */
  release(): Promise<void>;
}

/** A database, and what runs SQL in it as its owner */
interface Held {
  database: { url: string };
  rows(text: string): Promise<unknown>;
}

const LOCK = 4_711;

/** Every INSERT of a refresh token waits inside its statement, with the row locks that it has taken so far. */
export function holdNewRecords(held: Held): Promise<Hold> {
  return holdNew('refresh_tokens', held);
}

/** The same of another table */
export async function holdNew(table: string, { database, rows }: Held): Promise<Hold> {
  await rows(`create or replace function wait_for_test() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock_shared(${LOCK}); return new; end'`);
  await rows(`create or replace trigger hold before insert on ${table}
    for each row execute function wait_for_test()`);
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query(`select pg_advisory_lock(${LOCK})`);
  return {
    waiting: (count) => untilWaiting(holder, count),
    release: () => holder.end(),
    [Symbol.asyncDispose]: () => holder.end(),
  };
}

/** A change of a user that is not committed yet: others that want the row wait, and then see what it has become. */
export async function holdUser({ database }: Pick<Held, 'database'>, id: string, change: string): Promise<Hold> {
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('begin');
  await holder.query(`update users set ${change} where id = $1`, [id]);
  return {
    waiting: (count) => untilWaiting(holder, count),
    release: async () => void (await holder.query('commit')),
    [Symbol.asyncDispose]: () => holder.end(),
  };
}

async function untilWaiting(holder: pg.Client, count: number): Promise<void> {
  const waiting = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await until(`${count} connections wait`, async () => {
    const result = await holder.query<{ count: number }>(waiting);
    return (result.rows[0]?.count ?? 0) >= count;
  });
}
