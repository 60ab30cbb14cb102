/** Connections: none is used again once PostgreSQL has left it waiting, and behind a pooler nothing stays prepared. */
import pg from 'pg';

/**
 * After `query_timeout` the driver reports the error and keeps the connection, with the statement still on its way:
 * a `begin` or `rollback` that comes through later leaves whoever gets the connection next inside a transaction that
 * nobody commits. So the connection ends with the time limit.
 */
export class Connection extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined); // it also fails the statement, which is enough
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    const endIfLate = (error: unknown): void => {
      if (!(error instanceof Error) || error.message !== 'Query read timeout') return;
      this.end().catch(() => undefined); // from now on no pool takes it back
      this.connection.stream.destroy();
    };
    Object.assign(this, {
      query: (...args: unknown[]) => {
        const result = query(...args);
        if (result instanceof Promise) result.catch(endIfLate);
        return result;
      },
    });
  }
}

/**
 * Behind a pooler each transaction may run on another connection of the server: what one has prepared under a name is
 * not there in the next, or is there already. So statements go without names, whoever has named them.
 */
export class PooledConnection extends Connection {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const query = this.query as (...args: unknown[]) => unknown;
    Object.assign(this, {
      query: (asked: string | pg.QueryConfig, ...rest: unknown[]) =>
        query(typeof asked === 'object' && 'name' in asked ? { ...asked, name: undefined } : asked, ...rest),
    });
  }
}
