/** Kysely, by which listings are built and the entity manager asks. It is loaded where one of them is used. */
import { Kysely, PostgresDialect, type PostgresPoolClient, type RawBuilder } from 'kysely';
import type pg from 'pg';
import type { Ask } from './run.js';

/** What the entity manager asks goes where `ask` does. */
export function kyselyOn(ask: Ask): Kysely<unknown> {
  const query = (text: string, values: readonly unknown[]) => ask({ text, values: [...values] }); // it has no cursors
  const client = { query, release: () => undefined } as unknown as PostgresPoolClient;
  const pool = { connect: async () => client, end: async () => undefined, options: {} };
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/** Each query on whichever connection is free. */
export function kyselyOnPool(pool: pg.Pool): Kysely<unknown> {
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

const compiler = kyselyOn(() => Promise.reject(new Error('it only compiles')));

export function compile(query: RawBuilder<unknown>): { sql: string; parameters: readonly unknown[] } {
  return query.compile(compiler);
}
