/** Counts what a login costs: password verifications and SQL statements, in place of measuring time. */
import type pg from 'pg';
import { createPasswords, type Passwords } from '../../../src/credentials/passwords/passwords.js';
import type { Database } from '../../../src/db/database.js';

export interface Work {
  /** The stored hash that each verification was given; undefined for the placeholder. */
  verifications: Array<string | undefined>;
  /** Text of each statement, parameters left out. */
  statements: string[];
}

export interface WorkCounter {
  /** The real ones, counted; hand them to `startGateway`. */
  passwords: Promise<Passwords>;
  watch(db: Database): Promise<void>;
  during<T>(act: () => Promise<T>): Promise<[T, Work]>;
}

const OWASP_MINIMUM = { memoryKib: 19_456, passes: 2, lanes: 1 };

export function countWork(): WorkCounter {
  let work: Work = { verifications: [], statements: [] };
  const count = (passwords: Passwords): Passwords => ({
    ...passwords,
    verify: (hash, password, place) => {
      work.verifications.push(hash);
      return passwords.verify(hash, password, place);
    },
  });
  return {
    passwords: createPasswords(OWASP_MINIMUM, 4).then(count),
    watch: async (db) => watchStatements(db, ({ sql }) => work.statements.push(sql)),
    during: async (act) => {
      work = { verifications: [], statements: [] };
      const result = await act();
      return [result, work];
    },
  };
}

export interface Statement {
  sql: string;
  parameters: unknown[];
}

/** Reports every statement that the connections are given from now on, of the routes and of administration. */
export function watchStatements(db: Database, onStatement: (statement: Statement) => void): void {
  for (const pool of [db.pool, db.adminPool]) watchPool(pool, onStatement);
}

function watchPool(pool: pg.Pool, onStatement: (statement: Statement) => void): void {
  const watched = new WeakSet<pg.PoolClient>();
  pool.setMaxListeners(0); // a file may watch it for each of its tests
  pool.on('acquire', (client) => {
    if (watched.has(client)) return;
    watched.add(client);
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query: (...args: [string | pg.QueryConfig, unknown]) => {
        const [first, second] = args;
        const { text, values = second } = typeof first === 'string' ? { text: first } : first;
        onStatement({ sql: text, parameters: Array.isArray(values) ? values : [] });
        return query(...args);
      },
    });
  });
}
