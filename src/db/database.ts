/** PostgreSQL: one pool of connections for the routes, and one for administration, with MikroORM. */
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { parseDatabaseUrl } from '../config/database-url.js';
import { type Budget, NO_BUDGET } from '../platform/budget.js';
import { ExplainedError } from '../platform/explained.js';
import { NO_TRACING, type Tracing } from '../platform/tracing.js';
import { createBatches } from './batches.js';
import { Connection, PooledConnection, renewConnections } from './connection.js';
import { compile } from './kysely.js';
import { lockChangesSql } from './locks.js';
import type { Manager } from './orm.js';
import { isStartupRefused } from './outage.js';
import { type Ask, inTransaction, onPool, prepared, unprepared } from './run.js';
import { createSpans } from './spans.js';
import type { Reads } from './sql.js';
import { type Db, statement } from './statement.js';
import { CHANGE_LIMITS, NO_LIMITS, type Pooler, TURN_LIMITS, timeLimits } from './time-limits.js';

export interface Database extends Db {
  /** The same database within the time that a request may wait in total. A change may take longer once its turn has come. */
  within(budget: Budget): Database;
  /** Runs statements in one transaction (READ COMMITTED). The work is repeated if a deadlock undoes it. */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Connections of the routes and of resolving callers, for libraries with statements of their own. */
  pool: pg.Pool;
  /** Connections of administration. No login waits for them. */
  adminPool: pg.Pool;
  /** Statements and reads on `adminPool`. */
  admin: Db & Reads;
  /** An entity manager on `adminPool`, for reading; loads the ORM at the first call */
  manager(): Promise<Manager>;
  /**
   * Runs a change in one transaction on `adminPool`. All instances together run one change at a time. The work is repeated if a
   * deadlock undoes it.
   * @param isTurnTaken the caller has the turn, and holds it until the change is committed
   * @throws also what `work` throws; an error of the database without the row that it quotes
   */
  change<T>(work: (change: Manager & { db: Db & Reads }) => Promise<T>, isTurnTaken?: boolean): Promise<T>;
  /** On `adminPool`; created at the first call */
  orm(): Promise<MikroORM>;
  url: string;
  pooler: Pooler;
  close(): Promise<void>;
}

/** Maximum connections of one instance: for the routes, and for administration. */
export const POOL_SIZE = 16;
export const ADMIN_POOL_SIZE = 4;
/** How long to wait for a connection, new or in use: milliseconds. */
const CONNECT_TIMEOUT_MS = 3_500;
/** How long a connection may be silent before the kernel probes the other end: milliseconds. */
const KEEP_ALIVE_MS = 10_000;

/**
 * Statements of the routes find rows by key. A connection keeps their plans, and one that was made while a table was small
 * must not read the whole table when it has grown. If there is no key, PostgreSQL up to 17 counts a cost of 10^10, for which it
 * would compile the statement at each run: 0.1 s (`jit`).
 */
const BY_KEY = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off';

const MIN_SERVER_VERSION = 140_000;

export interface DatabaseOptions {
  /** What is between the gateway and PostgreSQL */
  pooler?: Pooler;
  /** False for work outside a request, which may take as long as it needs */
  limited?: boolean;
  tracing?: Tracing;
}

/**
 * @throws {DatabaseUrlFault}, {DatabaseTooOld}, {SchemaMissing}, {PoolerInBetween}, {ReadOnlyServer}, or the driver's error if the server cannot be reached (see `isOutage`)
 */
export async function openDatabase(
  url: string,
  { pooler = 'none', limited = true, tracing = NO_TRACING }: DatabaseOptions = {},
): Promise<Database> {
  const { driverUrl, hosts, channelBinding } = parseDatabaseUrl(url);
  const connection = {
    connectionString: driverUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'auth-gateway',
    hosts,
    channelBinding,
    Client: pooler === 'none' ? Connection : PooledConnection,
  };
  const limits = limited ? timeLimits(pooler) : NO_LIMITS;
  const openPool = (max: number, settings = ''): pg.Pool => {
    const pool = new pg.Pool({ ...connection, max, settings, ...limits.connection } as pg.PoolConfig);
    renewConnections(pool);
    pool.on('error', () => undefined); // of an idle connection: its next user gets the error
    return pool;
  };
  const pool = openPool(POOL_SIZE, pooler === 'none' ? BY_KEY : '');
  const adminPool = openPool(ADMIN_POOL_SIZE);
  const batches = createBatches(pool);
  const { ofStatements, named } = createSpans(tracing);
  let openedOrm: Promise<MikroORM> | undefined;
  const orm = (): Promise<MikroORM> => {
    openedOrm ??= import('./orm.js').then(({ openOrm }) => openOrm(driverUrl, adminPool));
    return openedOrm;
  };
  const within = (budget: Budget): Database => {
    const admin = onPool(adminPool, budget);
    return {
      ...ofStatements(batches(budget, prepared(onPool(pool, budget)))),
      within,
      transaction: (work) =>
        named('transaction', () =>
          inTransaction(pool, budget, limits.transaction, (ask) => work(ofStatements(prepared(ask)))),
        ),
      pool,
      adminPool,
      admin: {
        ...ofStatements(unprepared(admin)),
        ...reads((query) =>
          named('read', () => {
            if (limits.transaction.length === 0) return admin(query);
            return budget.spend(() => inTransaction(adminPool, budget, limits.transaction, (ask) => ask(query)));
          }),
        ),
      },
      manager: async () => {
        const { managerOn } = await import('./orm.js');
        return managerOn(await orm(), (query) => named('read', () => admin(query)));
      },
      change: async (work, isTurnTaken = false) => {
        const { managerOn, withoutRow } = await import('./orm.js');
        const opened = await orm();
        const turn = isTurnTaken ? [] : [TURN_LIMITS, lockChangesSql.text];
        const opening = [...limits.transaction, ...turn, CHANGE_LIMITS.transaction];
        const changes = (ask: Ask): ReturnType<typeof work> =>
          work({ ...managerOn(opened, ask), db: { ...ofStatements(unprepared(ask)), ...reads(ask) } });
        const change = () => inTransaction(adminPool, budget, opening, changes, CHANGE_LIMITS.queryTimeoutMs);
        return named('change', change).catch((error: unknown) => {
          throw withoutRow(error);
        });
      },
      orm,
      url,
      pooler,
      close: async () => {
        await pool.end();
        await adminPool.end();
      },
    };
  };
  const database = within(NO_BUDGET);
  try {
    const [server] = await database.run(serverSql, {});
    if ((server?.number ?? 0) < MIN_SERVER_VERSION) throw new DatabaseTooOld();
    if (server?.missing != null) throw new SchemaMissing(server.missing, server.role);
  } catch (error) {
    await database.close();
    throw isStartupRefused(error) && pooler === 'none' ? new PoolerInBetween() : error;
  }
  return database;
}

function reads(ask: Ask): Reads {
  return { read: async (query) => (await ask(compile(query))).rows };
}

/** `missing`: the schemas of search_path, if none exists. Tables would be created nowhere. */
const serverSql = statement('server', {}, { number: 'integer', role: 'text', missing: 'text?' })`
  select current_setting('server_version_num')::integer as number, quote_ident(current_user) as role,
    case when current_schema() is null then (
      select string_agg(name, ', ') from (
        select replace(trim(part), '"$user"', quote_ident(current_user)) as name
        from unnest(string_to_array(current_setting('search_path'), ',')) as part) as parts
      where name <> '""' having bool_and(to_regnamespace(name) is null)) end as missing`;

/** Every name in search_path is of a schema that does not exist. */
export class SchemaMissing extends ExplainedError {
  override readonly name = 'SchemaMissing';

  constructor(schemas: string, role: string) {
    const [first = schemas] = schemas.split(', ');
    super(
      `no schema of search_path exists: ${schemas}`,
      `create it (create schema ${first} authorization ${role}), or correct search_path in DATABASE_URL or of the role`,
    );
  }
}

export class DatabaseTooOld extends ExplainedError {
  override readonly name = 'DatabaseTooOld';

  constructor() {
    super('this PostgreSQL is too old', 'upgrade it to version 14 or newer');
  }
}

/** A pooler in transaction mode refuses what is set for a session. */
export class PoolerInBetween extends ExplainedError {
  override readonly name = 'PoolerInBetween';

  constructor() {
    const reason = 'a pooler such as PgBouncer is in front of PostgreSQL, and it refuses settings of a session';
    super(reason, 'set DATABASE_POOLER=transaction');
  }
}
