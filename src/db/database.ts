/** PostgreSQL: connections for the routes, and others for administration, with MikroORM. */
import 'reflect-metadata';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql';
import type { RawBuilder } from 'kysely';
import pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { parseDatabaseUrl } from '../config/database-url.js';
import { type Budget, NO_BUDGET } from '../platform/budget.js';
import { Connection, PooledConnection, renewConnections } from './connection.js';
import { ApiKey } from './entities/api-key.js';
import { AuditEvent } from './entities/audit-event.js';
import { CronKey } from './entities/cron-key.js';
import { RefreshToken } from './entities/refresh-token.js';
import { Session } from './entities/session.js';
import { SignatureNonce } from './entities/signature-nonce.js';
import { User } from './entities/user.js';
import { takeTurnSql } from './locks.js';
import { isStartupRefused } from './outage.js';
import { type Ask, inTransaction, kyselyOn, onPool, prepared, unprepared } from './run.js';
import { type Db, statement } from './statement.js';
import { CHANGE_LIMITS, NO_LIMITS, type Pooler, TURN_LIMITS, timeLimits } from './time-limits.js';

export interface Database extends Db {
  /** The same database, asked within what a request may wait in all; a change may take longer once it is its turn. */
  within(budget: Budget): Database;
  /** Statements that stand or fall together (READ COMMITTED). The work is done again where a deadlock has undone it. */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** The connections of the routes and of resolving callers, for libraries that bring their own statements. */
  pool: pg.Pool;
  /** Connections of administration, for which no login waits. */
  admin: Db & {
    /** Rows of what a listing has built. */
    list<Row>(query: RawBuilder<Row>): Promise<Row[]>;
  };
  /**
   * Changes that stand or fall together, by statements and by an entity manager, on those connections, one change at a
   * time over all instances. The work is done again where a deadlock has undone it.
   */
  change<T>(work: (db: Db, em: SqlEntityManager) => Promise<T>): Promise<T>;
  orm: MikroORM;
  url: string;
  pooler: Pooler;
  close(): Promise<void>;
}

/** Most connections of one instance: of the routes, and of administration. */
const POOL_SIZE = 16;
const ADMIN_POOL_SIZE = 4;
/** How long is waited for a connection, be it a new one or one that others use: milliseconds. */
const CONNECT_TIMEOUT_MS = 3_500;
/** How long a connection may say nothing before the kernel asks whether the other end is there: milliseconds. */
const KEEP_ALIVE_MS = 10_000;

const MIN_SERVER_VERSION = 140_000;

export interface DatabaseOptions {
  /** What is between the gateway and PostgreSQL */
  pooler?: Pooler;
  /** False for work that is no request's and takes the time that it needs */
  limited?: boolean;
}

/**
 * @throws {DatabaseUrlFault}, {DatabaseTooOld}, {PoolerInBetween}, {ReadOnlyServer}, or the driver's error where the server cannot be reached (see `isOutage`)
 */
export async function openDatabase(
  url: string,
  { pooler = 'none', limited = true }: DatabaseOptions = {},
): Promise<Database> {
  const { driverUrl, hosts } = parseDatabaseUrl(url);
  const connection = {
    connectionString: driverUrl, // also of the ORM, which by itself takes no parameter such as sslmode from a URL
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'auth-gateway',
    hosts,
    Client: pooler === 'none' ? Connection : PooledConnection,
  };
  const limits = limited ? timeLimits(pooler) : NO_LIMITS;
  // MikroORM leaves times as text; rows are to have them as Date, as the driver reads them by itself.
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ));
  const orm = await MikroORM.init({
    entities: [User, Session, RefreshToken, AuditEvent, ApiKey, CronKey, SignatureNonce],
    metadataProvider: ReflectMetadataProvider,
    extensions: [Migrator],
    clientUrl: driverUrl,
    pool: { min: 0, max: ADMIN_POOL_SIZE },
    ensureDatabase: false,
    logger: () => undefined, // its texts quote rows
    driverOptions: { ...connection, types, ...limits.connection, onPoolCreated: renewConnections },
    migrations: { migrationsList: migrations, snapshot: false, disableForeignKeys: false },
    schemaGenerator: { skipTables: ['rate_limits', 'mikro_orm_migrations'] },
  });
  const pool = new pg.Pool({ ...connection, max: POOL_SIZE, ...limits.connection });
  renewConnections(pool);
  pool.on('error', () => undefined); // of a connection that idles: the next one to need it is told
  const adminPool: pg.Pool = await orm.em.getConnection().getNativeClient();
  const compiler = orm.em.fork().getKysely<unknown>();
  const within = (budget: Budget): Database => {
    const admin = onPool(adminPool, budget);
    return {
      ...prepared(onPool(pool, budget)),
      within,
      transaction: (work) => inTransaction(pool, budget, limits.transaction, (ask) => work(prepared(ask))),
      pool,
      admin: {
        ...unprepared(admin),
        list: async (query) => {
          const { sql: text, parameters } = query.compile(compiler);
          const listing = { text, values: [...parameters] };
          if (limits.transaction.length === 0) return (await admin(listing)).rows;
          const limitedList = () => inTransaction(adminPool, budget, limits.transaction, (ask) => ask(listing));
          return (await budget.spend(limitedList)).rows;
        },
      },
      change: (work) => {
        const opening = [...limits.transaction, TURN_LIMITS, takeTurnSql.text, CHANGE_LIMITS.transaction];
        const changes = (ask: Ask): ReturnType<typeof work> => {
          const em = orm.em.fork();
          em.setTransactionContext(kyselyOn(ask));
          return work(unprepared(ask), em);
        };
        return inTransaction(adminPool, budget, opening, changes, CHANGE_LIMITS.queryTimeoutMs);
      },
      orm,
      url,
      pooler,
      close: async () => {
        await pool.end();
        await orm.close(true);
        if (!adminPool.ending) await adminPool.end(); // the ORM ends it only where it has itself asked something
      },
    };
  };
  const database = within(NO_BUDGET);
  try {
    const [{ number } = { number: 0 }] = await database.run(serverVersionSql, {});
    if (number < MIN_SERVER_VERSION) throw new DatabaseTooOld('PostgreSQL 14 or newer is needed');
  } catch (error) {
    await database.close();
    throw isStartupRefused(error) && pooler === 'none' ? new PoolerInBetween() : error;
  }
  return database;
}

const serverVersionSql = statement('server_version', {}, { number: 'integer' })`
  select current_setting('server_version_num')::integer as number`;

export class DatabaseTooOld extends Error {
  override readonly name = 'DatabaseTooOld';
}

/** What a pooler in transaction mode says to what is set for a session. */
export class PoolerInBetween extends Error {
  override readonly name = 'PoolerInBetween';
  override readonly message =
    'DATABASE_URL is of a connection pooler such as PgBouncer, which refuses settings of a session: set DATABASE_POOLER=transaction';
}
