/** PostgreSQL: connections for the routes, MikroORM on others for administration, and its migrations. */
import 'reflect-metadata';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { Client } from './client.js';
import { entities, type Tables } from './tables.js';

/** The query builder, on the pool or inside a transaction. */
export type Sql = Kysely<Tables>;

export interface Database {
  /** For the routes and for knowing callers. One statement, one round trip, committed when it answers. */
  sql: Sql;
  /** Several statements that stand or fall together (READ COMMITTED). */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** The connections of `sql`, for libraries that bring their own statements. */
  pool: pg.Pool;
  /** For administration: what dashboards list, on connections of their own, which no login waits for. */
  admin: Sql;
  /** A fresh entity manager on the connections of administration. */
  fork(): SqlEntityManager;
  /** Changes that stand or fall together, by statements and by an entity manager, on those connections. */
  change<T>(work: (sql: Sql, em: SqlEntityManager) => Promise<T>): Promise<T>;
  orm: MikroORM;
  url: string;
  close(): Promise<void>;
}

/** Most connections of one instance: of the routes, and of administration. */
const POOL_SIZE = 16;
const ADMIN_POOL_SIZE = 4;
/** How long a request waits for a connection before it is answered 503: milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000;
/** How long one statement may run: milliseconds. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** The same for what dashboards list: what takes longer is asked for in smaller parts. */
const LISTING_TIMEOUT_MS = 5_000;
/** The same for a statement of a change, which cannot be made smaller. */
export const CHANGE_TIMEOUT_MS = 20_000;
/** After this the server ends a transaction whose gateway has vanished, and its locks: milliseconds. */
const IDLE_IN_TRANSACTION_MS = 60_000;

type Timeouts = Pick<pg.ClientConfig, 'statement_timeout' | 'query_timeout' | 'idle_in_transaction_session_timeout'>;

function timeouts(statementMs: number, longestMs = statementMs): Timeouts {
  return {
    statement_timeout: statementMs, // the server's own
    query_timeout: longestMs + 5_000, // for a server that says nothing at all
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  };
}

const MIN_SERVER_VERSION = 140_000;

/**
 * @param limited false for work that is no request's and takes the time that it needs
 * @throws {DatabaseTooOld}, or the driver's error where the server cannot be reached (see `isOutage`)
 */
export async function openDatabase(url: string, limited = true): Promise<Database> {
  const connection = {
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'auth-gateway',
    Client,
  };
  // MikroORM leaves times as text; the query builder is to have them as Date, as the driver reads them by itself.
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ));
  const orm = await MikroORM.init({
    entities: [...entities],
    metadataProvider: ReflectMetadataProvider,
    extensions: [Migrator],
    clientUrl: url,
    pool: { min: 0, max: ADMIN_POOL_SIZE },
    ensureDatabase: false,
    logger: () => undefined, // its texts quote rows
    driverOptions: { ...connection, types, ...(limited ? timeouts(LISTING_TIMEOUT_MS, CHANGE_TIMEOUT_MS) : {}) },
    migrations: { migrationsList: migrations, snapshot: false, disableForeignKeys: false },
    schemaGenerator: { skipTables: ['rate_limits', 'mikro_orm_migrations'] },
  });
  const pool = new pg.Pool({
    ...connection,
    connectionString: url,
    max: POOL_SIZE,
    ...(limited ? timeouts(STATEMENT_TIMEOUT_MS) : {}),
  });
  pool.on('error', () => undefined); // of a connection that idles: the next one to need it is told
  const routes = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const admin = orm.em.fork().getKysely<Tables>();
  const database: Database = {
    url,
    sql: routes,
    transaction: (work) => routes.transaction().execute(work),
    pool,
    admin,
    fork: () => orm.em.fork(),
    // Not the ORM's own, which never gives a connection back whose rollback fails.
    change: (work) =>
      admin.transaction().execute((tx) => {
        const em = orm.em.fork();
        em.setTransactionContext(tx);
        return work(tx, em);
      }),
    orm,
    close: async () => {
      await routes.destroy();
      await orm.close(true);
    },
  };
  try {
    const { rows } = await sql<{ number: number }>`
      select current_setting('server_version_num')::int as number`.execute(database.sql);
    if ((rows[0]?.number ?? 0) < MIN_SERVER_VERSION) throw new DatabaseTooOld('PostgreSQL 14 or newer is needed');
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

export class DatabaseTooOld extends Error {
  override readonly name = 'DatabaseTooOld';
}
