/** Connections: to a server that takes writes, and none used again after an error that says more than of one statement. */
import pg from 'pg';
import type { Host } from '../config/database-url.js';
import { ServerConnection } from './hosts.js';

/** How long connecting may take, all hosts together, where the driver is not told: milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000;

export interface ConnectionOptions extends pg.ClientConfig {
  /** Where there are several, in their order; else the driver knows the one */
  hosts?: Host[];
}

/** SQLSTATE classes and codes after which another connection may find what this one does not. */
const SPENT_SQLSTATE = /^(08|25006|53|57P|XX)/;

/** How long a server may take to close a connection that is ended, before it is cut: milliseconds. */
const GOODBYE_MS = 1_000;

/** How long a connection lives; drawn for each, so that those made together do not end together: seconds. */
const MIN_LIFETIME_SECONDS = 240;
const MAX_LIFETIME_SECONDS = 300;

/**
 * Of the hosts it takes the first that takes writes. After an error of SPENT_SQLSTATE the pool drops it.
 *
 * After `query_timeout` the driver reports the error and keeps the connection, with the statement still on its way:
 * a `begin` or `rollback` that comes through later leaves whoever gets the connection next inside a transaction that
 * nobody commits. So the connection ends with the time limit.
 */
export class Connection extends pg.Client {
  /** True from an error on after which no pool may take it back */
  isSpent = false;

  /** @param isPooled whether a pooler may tell what its server was like some time ago */
  constructor(config: ConnectionOptions = {}, isPooled = false) {
    super(config);
    this.on('error', () => undefined); // it also fails the statement, which is enough
    const { keepAlive, keepAliveInitialDelayMillis, hosts = [], connectionTimeoutMillis = CONNECT_TIMEOUT_MS } = config;
    const { ssl, sslNegotiation } = this as unknown as { ssl: unknown; sslNegotiation: unknown };
    // Ends a little earlier than the driver's own limit, which would hide why it took so long.
    const choice = { hosts, limitMs: 0.9 * connectionTimeoutMillis, isPooled };
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    Object.assign(this, {
      connection: new ServerConnection({ ssl, sslNegotiation, keepAlive, keepAliveInitialDelayMillis }, choice),
      query: (...args: unknown[]) => {
        const result = query(...args);
        // Who hands in a callback instead is the pool, which drops a connection after any error.
        if (result instanceof Promise) result.catch((error: unknown) => this.#judge(error));
        return result;
      },
    });
  }

  /** A server that cannot be heard any more does not close its side. */
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(...args: []): Promise<void> {
    setTimeout(() => this.connection.stream.destroy(), GOODBYE_MS).unref();
    return super.end(...args);
  }

  #judge(error: unknown): void {
    if (!(error instanceof Error)) return;
    const isLate = error.message === 'Query read timeout';
    if (isLate || (error instanceof pg.DatabaseError && SPENT_SQLSTATE.test(error.code ?? ''))) this.isSpent = true;
    if (!isLate) return; // a rollback may follow
    this.end().catch(() => undefined);
    this.connection.stream.destroy();
  }
}

/**
 * Behind a pooler each transaction may run on another connection of the server: what one has prepared under a name is
 * not there in the next, or is there already. So statements go without names, whoever has named them.
 */
export class PooledConnection extends Connection {
  constructor(config: ConnectionOptions = {}) {
    super(config, true);
    const query = this.query as (...args: unknown[]) => unknown;
    Object.assign(this, {
      query: (asked: string | pg.QueryConfig, ...rest: unknown[]) =>
        query(typeof asked === 'object' && 'name' in asked ? { ...asked, name: undefined } : asked, ...rest),
    });
  }
}

/** Ends a connection that is given back to its pool after its lifetime, or after an error that has spent it. */
export function renewConnections(pool: pg.Pool): void {
  const drawLifetime = (): void => {
    const range = MAX_LIFETIME_SECONDS - MIN_LIFETIME_SECONDS;
    pool.options.maxLifetimeSeconds = MIN_LIFETIME_SECONDS + Math.random() * range; // of the next one
  };
  drawLifetime();
  pool.on('connect', drawLifetime);
  pool.on('release', (_error, client) => {
    if (client instanceof Connection && client.isSpent) client.end().catch(() => undefined); // looked at after this
  });
}
