/** Runs statements: named on the connections of the routes, without names on those of administration. */
import { CompiledQuery, type Kysely } from 'kysely';
import type pg from 'pg';
import { type Db, valuesOf } from './statement.js';
import type { TimeLimits } from './time-limits.js';

/** Named, so that a connection plans each statement once; behind a pooler `PooledConnection` leaves the names out. */
export function prepared(client: Pick<pg.ClientBase, 'query'>): Db {
  return {
    run: async (statement, values) => {
      const { name, text } = statement;
      return (await client.query({ name, text, values: valuesOf(statement, values) })).rows;
    },
  };
}

/** On the connections of the ORM, which does not know of names. */
export function unprepared(kysely: Kysely<unknown>): Db {
  return {
    run: async (statement, values) => {
      const query = CompiledQuery.raw(statement.text, valuesOf(statement, values));
      return (await kysely.executeQuery<never>(query)).rows;
    },
  };
}

export async function inTransaction<T>(pool: pg.Pool, limits: TimeLimits, work: (db: Db) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failed = true; // such a connection is not used again: what it has prepared may be of a table that was changed
  try {
    await client.query(limits.transaction === undefined ? 'begin' : `begin; ${limits.transaction}`);
    const result = await work(prepared(client));
    await client.query('commit');
    failed = false;
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined); // it may be gone
    throw error;
  } finally {
    client.release(failed);
  }
}
