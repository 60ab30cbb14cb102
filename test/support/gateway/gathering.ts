/** Requests that find no connection wait, and those of one statement are then sent as one: docs/architecture.md, Batches. */
import type pg from 'pg';
import { POOL_SIZE } from '../../../src/db/database.js';
import { until } from '../until.js';
import type { Instance } from './gateway.js';

/**
 * Makes the requests while the routes have no connection. When they wait for one, it gives the connections back.
 * @param lanes of their statement
 */
export async function gathering<T>(instance: Instance, lanes: number, make: () => Promise<T>): Promise<T> {
  const { pool } = instance.app.db;
  const taken: pg.PoolClient[] = [];
  while (taken.length < POOL_SIZE) taken.push(await pool.connect());
  const made = make();
  try {
    // Each lane has sent one call alone, has lost its patience and waits with all others.
    await until('a batch waits', () => pool.waitingCount >= 2 * lanes);
    for (let times = 0; times < 5; times += 1) await instance.send('GET', '/health/live'); // the last ones have arrived
  } finally {
    for (const client of taken) client.release();
  }
  return made;
}
