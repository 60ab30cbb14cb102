/** PostgreSQL: connections for the routes, and others for administration, with MikroORM. */
import 'reflect-metadata';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely, type RawBuilder } from 'kysely';
import pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { Connection } from './connection.js';
import { ApiKey } from './entities/api-key.js';
import { AuditEvent } from './entities/audit-event.js';
import { CronKey } from './entities/cron-key.js';
import { RefreshToken } from './entities/refresh-token.js';
import { SignatureNonce } from './entities/signature-nonce.js';
import { User } from './entities/user.js';
import { type Db, statement, valuesOf } from './statement.js';

export interface Database extends Db {
  /** Statements that stand or fall together (READ COMMITTED). */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** The connections of the routes and of resolving callers, for libraries that bring their own statements. */
  pool: pg.Pool;
  /** Connections of administration, for which no login waits. */
  admin: Db & {
    /** Rows of what a listing has built. */
    list<Row>(query: RawBuilder<Row>): Promise<Row[]>;
  };
  /** Changes that stand or fall together, by statements and by an entity manager, on those connections. */
  change<T>(work: (db: Db, em: SqlEntityManager) => Promise<T>): Promise<T>;
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

function timeouts(statementMs: number, longestMs = statementMs) {
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
export async function openDatabase(url: string, { limited = true } = {}): Promise<Database> {
  const connection = {
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'auth-gateway',
    Client: Connection,
  };
  // MikroORM leaves times as text; rows are to have them as Date, as the driver reads them by itself.
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ));
  const orm = await MikroORM.init({
    entities: [User, RefreshToken, AuditEvent, ApiKey, CronKey, SignatureNonce],
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
  const admin = orm.em.fork().getKysely<unknown>();
  const database: Database = {
    ...prepared(pool),
    transaction: (work) => inTransaction(pool, work),
    pool,
    admin: { ...unprepared(admin), list: async (query) => (await query.execute(admin)).rows },
    // Not the ORM's own, which never gives a connection back whose rollback fails.
    change: (work) =>
      admin.transaction().execute((tx) => {
        const em = orm.em.fork();
        em.setTransactionContext(tx);
        return work(unprepared(tx), em);
      }),
    orm,
    url,
    close: async () => {
      await pool.end();
      await orm.close(true);
    },
  };
  try {
    const [{ number } = { number: 0 }] = await database.run(serverVersionSql, {});
    if (number < MIN_SERVER_VERSION) throw new DatabaseTooOld('PostgreSQL 14 or newer is needed');
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

const serverVersionSql = statement('server_version', {}, { number: 'integer' })`
  select current_setting('server_version_num')::integer as number`;

/** Named, so that a connection plans each statement once. */
function prepared(client: Pick<pg.ClientBase, 'query'>): Db {
  return {
    run: async (statement, values) => {
      const { name, text } = statement;
      return (await client.query({ name, text, values: valuesOf(statement, values) })).rows;
    },
  };
}

/** On the connections of the ORM, which does not know of names. */
function unprepared(kysely: Kysely<unknown>): Db {
  return {
    run: async (statement, values) => {
      const query = CompiledQuery.raw(statement.text, valuesOf(statement, values));
      return (await kysely.executeQuery<never>(query)).rows;
    },
  };
}

async function inTransaction<T>(pool: pg.Pool, work: (db: Db) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failed = true; // such a connection is not used again: what it has prepared may be of a table that was changed
  try {
    await client.query('begin');
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

export class DatabaseTooOld extends Error {
  override readonly name = 'DatabaseTooOld';
}
