/** Connections to a server that accepts writes. They are dropped after errors that may concern the connection itself. */
import pg from 'pg';
import type { Host } from '../config/database-url.js';
import { ServerConnection } from './hosts.js';

/** Default time limit of connecting, over all hosts. */
const CONNECT_TIMEOUT_MS = 5_000;

export interface ConnectionOptions extends pg.ClientConfig {
  /** Several hosts, in order; a single one is in `host` */
  hosts?: Host[];
  /** SCRAM-SHA-256-PLUS if the server offers it, or nothing else */
  channelBinding?: 'prefer' | 'require' | undefined;
  /** Of the session, besides those in DATABASE_URL, such as `-c enable_seqscan=off` */
  settings?: string;
}

/** What the driver has read of its configuration. */
interface Internals {
  ssl: unknown;
  sslNegotiation: unknown;
  connectionParameters: { options?: string };
}

/** SQLSTATE classes and codes after which another connection may work. */
const SPENT_SQLSTATE = /^(08|25006|53|57P|XX)/;

/** How long a server may take to close an ended connection before it is destroyed. */
const GOODBYE_MS = 1_000;

/** Lifetime of a connection: random, so that those opened together do not end together. */
const MIN_LIFETIME_SECONDS = 240;
const MAX_LIFETIME_SECONDS = 300;

/**
 * Connects to the first host that accepts writes. After an error of SPENT_SQLSTATE the pool drops the connection.
 *
 * After `query_timeout` the driver reports the error and keeps the connection, although the statement may still run. A
 * late `begin` or `rollback` would leave the next user of the connection in a transaction that nobody commits. So a
 * timeout ends the connection.
 */
export class Connection extends pg.Client {
  /** True after an error: the pool must not take it back */
  isSpent = false;

  /** @param isPooled a pooler may report an outdated state of its server */
  constructor(config: ConnectionOptions = {}, isPooled = false) {
    super({ ...config, enableChannelBinding: config.channelBinding !== undefined } as pg.ClientConfig);
    this.on('error', () => undefined); // the statement fails as well, which is enough
    const { keepAlive, keepAliveInitialDelayMillis, hosts = [], connectionTimeoutMillis = CONNECT_TIMEOUT_MS } = config;
    const { ssl, sslNegotiation, connectionParameters } = this as unknown as Internals;
    connectionParameters.options = [connectionParameters.options, config.settings].filter(Boolean).join(' ');
    // A little earlier than the driver's own limit, whose error would hide the cause.
    const isBindingRequired = config.channelBinding === 'require';
    const choice = { hosts, limitMs: 0.9 * connectionTimeoutMillis, isPooled, isBindingRequired };
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    Object.assign(this, {
      connection: new ServerConnection({ ssl, sslNegotiation, keepAlive, keepAliveInitialDelayMillis }, choice),
      query: (...args: unknown[]) => {
        const result = query(...args);
        // The pool passes a callback instead, and drops a connection after any error.
        if (result instanceof Promise) result.catch((error: unknown) => this.#judge(error));
        return result;
      },
    });
  }

  /** An unreachable server would never close its side. */
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
 * Behind a pooler each transaction may run on another server connection, where a prepared statement does not exist or
 * already exists. So all statements are sent without names.
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

/** Ends connections that return to the pool after their lifetime or after an error. */
export function renewConnections(pool: pg.Pool): void {
  const drawLifetime = (): void => {
    const range = MAX_LIFETIME_SECONDS - MIN_LIFETIME_SECONDS;
    pool.options.maxLifetimeSeconds = MIN_LIFETIME_SECONDS + Math.random() * range; // of the next one
  };
  drawLifetime();
  pool.on('connect', drawLifetime);
  pool.on('release', (_error, client) => {
    if (client instanceof Connection && client.isSpent) client.end().catch(() => undefined); // before the pool checks it
  });
}
