/** Runs statements: named (prepared) on the connections of the routes, unnamed on those of administration. */
import type pg from 'pg';
import type { Budget } from '../platform/budget.js';
import { isPlanStale, isUndone } from './outage.js';
import { again } from './retry.js';
import { type Db, valuesOf } from './statement.js';

/** Sends a query on the connection or pool that it was made for. */
export type Ask = (query: pg.QueryConfig) => Promise<pg.QueryResult>;

/** Each connection plans a named statement once. Behind a pooler, `PooledConnection` drops the names. */
export function prepared(ask: Ask): Db {
  return {
    run: async (statement, values) => {
      const { name, text } = statement;
      return (await ask({ name, text, values: valuesOf(statement, values) })).rows;
    },
  };
}

/** For connections that the entity manager uses too: its queries have no names. */
export function unprepared(ask: Ask): Db {
  return {
    run: async (statement, values) => (await ask({ text: statement.text, values: valuesOf(statement, values) })).rows,
  };
}

/** Runs each query on any free connection. */
export function onPool(pool: pg.Pool, budget: Budget): Ask {
  const once = (query: pg.QueryConfig): Promise<pg.QueryResult> =>
    onConnection(pool, (client) => {
      budget.check(); // waiting for the connection may have taken too long
      return () => client.query(query);
    });
  const atOnce = (query: pg.QueryConfig): Promise<pg.QueryResult> =>
    once(query).catch((error: unknown) => {
      if (!isPlanStale(error)) throw error;
      const { name: _, ...unnamed } = query; // the next connection may have a stale plan as well
      return once(unnamed);
    });
  return (query) => again(budget, () => budget.spend(() => atOnce(query)));
}

/**
 * Runs one query on any free connection. After an error the connection is dropped, unless PostgreSQL has rolled back in
 * favour of others: its prepared plans may be of an altered table.
 * @param prepare decides, now that there is a connection. If it throws, the connection stays as it is
 */
export async function onConnection<T>(pool: pg.Pool, prepare: (client: pg.PoolClient) => () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failed = false;
  try {
    const query = prepare(client);
    failed = true; // then the connection is dropped
    const result = await query();
    failed = false;
    return result;
  } catch (error) {
    failed &&= !isUndone(error);
    throw error;
  } finally {
    client.release(failed);
  }
}

/**
 * A transaction, READ COMMITTED whatever the database's default is: a statement that has waited for a lock must see what
 * was committed meanwhile. The budget applies until the work begins.
 * @param opening SQL at the beginning of the transaction
 * @param queryTimeoutMs how long the driver waits for an answer, if not the default
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
        failed = true; // the connection may be broken
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
    client.release(hasBegun); // dropping the connection also rolls back
    throw error;
  }
}
