/** Counts what a login costs: password verifications and SQL statements, in place of measuring time. */
import type pg from 'pg';
import { createPasswords, type Passwords } from '../../src/credentials/passwords.js';

export interface Work {
  /** The stored hash that each verification was given; undefined for the placeholder. */
  verifications: Array<string | undefined>;
  /** Text of each statement, parameters left out. */
  statements: string[];
}

export interface WorkCounter {
  /** The real ones, counted; hand them to `startGateway`. */
  passwords: Promise<Passwords>;
  watch(pool: pg.Pool): void;
  during<T>(act: () => Promise<T>): Promise<[T, Work]>;
}

const OWASP_MINIMUM = { memoryKib: 19_456, passes: 2, lanes: 1 };

export function countWork(): WorkCounter {
  let work: Work = { verifications: [], statements: [] };
  const count = (passwords: Passwords): Passwords => ({
    ...passwords,
    verify: (hash, password) => {
      work.verifications.push(hash);
      return passwords.verify(hash, password);
    },
  });
  return {
    passwords: createPasswords(OWASP_MINIMUM, 4).then(count),
    watch: (pool) => {
      const watched = new WeakSet<pg.PoolClient>();
      pool.on('acquire', (client) => {
        if (watched.has(client)) return;
        watched.add(client);
        const query = client.query.bind(client) as (...args: unknown[]) => unknown;
        Object.assign(client, {
          query: (...args: unknown[]) => {
            const [first] = args;
            work.statements.push(typeof first === 'string' ? first : String((first as { text?: string }).text));
            return query(...args);
          },
        });
      });
    },
    during: async (act) => {
      work = { verifications: [], statements: [] };
      const result = await act();
      return [result, work];
    },
  };
}
