/** Kysely, which compiles what `sql` has built and runs the queries of the entity manager. */
import { Kysely, PostgresDialect, type PostgresPoolClient, type RawBuilder } from 'kysely';
import type pg from 'pg';
import type { Ask } from './run.js';

/** Sends every query through `ask`. */
export function kyselyOn(ask: Ask): Kysely<unknown> {
  const query = (text: string, values: readonly unknown[]) => ask({ text, values: [...values] }); // without cursors
  const client = { query, release: () => undefined } as unknown as PostgresPoolClient;
  const pool = { connect: async () => client, end: async () => undefined, options: {} };
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/** Runs each query on any free connection. */
export function kyselyOnPool(pool: pg.Pool): Kysely<unknown> {
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

const compiler = kyselyOn(() => Promise.reject(new Error('it only compiles')));

export function compile(query: RawBuilder<unknown>): { text: string; values: unknown[] } {
  const { sql, parameters } = query.compile(compiler);
  return { text: sql, values: [...parameters] };
}
