/** Somebody else's lock, for which statements of the gateway wait. */
import pg from 'pg';
import type { TestGateway } from './gateway.js';

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
