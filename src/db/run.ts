/** Runs statements: named on the connections of the routes, without names on those of administration. */
import type pg from 'pg';
import type { Budget } from '../platform/budget.js';
import { isPlanStale, isUndone } from './outage.js';
import { again } from './retry.js';
import { type Db, valuesOf } from './statement.js';

/** Asks PostgreSQL, on whatever connection it is for. */
export type Ask = (query: pg.QueryConfig) => Promise<pg.QueryResult>;

/** Named, so that a connection plans each statement once; behind a pooler `PooledConnection` leaves the names out. */
export function prepared(ask: Ask): Db {
  return {
    run: async (statement, values) => {
      const { name, text } = statement;
      return (await ask({ name, text, values: valuesOf(statement, values) })).rows;
    },
  };
}

/** On the connections that are the entity manager's too, which does not know of names. */
export function unprepared(ask: Ask): Db {
  return {
    run: async (statement, values) => (await ask({ text: statement.text, values: valuesOf(statement, values) })).rows,
  };
}

/** Each query by itself, on whichever connection is free. */
export function onPool(pool: pg.Pool, budget: Budget): Ask {
  const once = async (query: pg.QueryConfig): Promise<pg.QueryResult> => {
    const client = await pool.connect();
    let failed = false;
    try {
      budget.check(); // the connection may have come too late
      failed = true; // then it is not used again: what it has prepared may be of a table that was changed
      const result = await client.query(query);
      failed = false;
      return result;
    } catch (error) {
      failed &&= !isUndone(error);
      throw error;
    } finally {
      client.release(failed);
    }
  };
  const atOnce = (query: pg.QueryConfig): Promise<pg.QueryResult> =>
    once(query).catch((error: unknown) => {
      if (!isPlanStale(error)) throw error;
      const { name: _, ...unnamed } = query; // on the next connection the plan may be as old
      return once(unnamed);
    });
  return (query) => again(budget, () => budget.spend(() => atOnce(query)));
}

/**
 * Queries that stand or fall together, READ COMMITTED whatever the database's default is: a statement that has waited
 * for a lock is to see what was committed meanwhile. The budget counts until the work begins.
 * @param opening SQL with which each transaction begins
 * @param queryTimeoutMs how long the driver waits for an answer; undefined as for any other query
 */
export function inTransaction<T>(
  pool: pg.Pool,
  budget: Budget,
  opening: readonly string[],
  work: (ask: Ask) => Promise<T>,
  queryTimeoutMs?: number,
): Promise<T> {
  return again(budget, async () => {
    const client = await budget.spend(() => begin(pool, budget, opening));
    const ask: Ask = (query) => client.query({ ...query, ...(queryTimeoutMs && { query_timeout: queryTimeoutMs }) });
    let failed = false;
    try {
      const result = await work(ask);
      await ask({ text: 'commit' });
      return result;
    } catch (error) {
      await ask({ text: 'rollback' }).catch(() => {
        failed = true; // it may be gone
      });
      throw error;
    } finally {
      client.release(failed);
    }
  });
}

async function begin(pool: pg.Pool, budget: Budget, opening: readonly string[]): Promise<pg.PoolClient> {
  const client = await pool.connect();
  let hasBegun = false;
  try {
    for (const text of ['begin isolation level read committed', ...opening]) {
      budget.check();
      hasBegun = true;
      await client.query(text);
    }
    budget.check();
    return client;
  } catch (error) {
    client.release(hasBegun); // then it is not used again, which also undoes what has begun
    throw error;
  }
}
