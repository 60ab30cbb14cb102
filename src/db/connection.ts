/** A connection that is not used again once PostgreSQL has left it waiting. */
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
