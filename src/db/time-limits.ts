/** How long PostgreSQL may take: told to it once for a connection, or behind a pooler in each transaction. */

/** How long one statement of a route may run: milliseconds. */
export const STATEMENT_TIMEOUT_MS = 15_000;
/** The same for what dashboards list: what takes longer is asked for in smaller parts. */
export const LISTING_TIMEOUT_MS = 5_000;
/** The same for a statement of a change, which cannot be made smaller. */
export const CHANGE_TIMEOUT_MS = 20_000;
/** After this the server ends a transaction whose gateway has vanished, and its locks: milliseconds. */
const IDLE_IN_TRANSACTION_MS = 60_000;
/** How much longer the driver waits than the server may take, for a server that says nothing at all: milliseconds. */
const GRACE_MS = 5_000;

/** CONTRACT 2: what is between the gateway and PostgreSQL. */
export type Pooler = 'none' | 'transaction';

export interface TimeLimits {
  /** For the driver: what it tells the server when it connects, and how long it waits itself */
  connection: { statement_timeout?: number; idle_in_transaction_session_timeout?: number; query_timeout?: number };
  /** SQL at the begin of each transaction */
  transaction?: string;
}

/**
 * @param statementMs how long a statement may run
 * @param longestMs the same where a transaction gives itself more
 */
export function timeLimits(pooler: Pooler, statementMs: number, longestMs = statementMs): TimeLimits {
  const settings = {
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  };
  const query_timeout = longestMs + GRACE_MS;
  if (pooler === 'none') return { connection: { ...settings, query_timeout } };
  // What is set for a session would stay for whoever the pooler gives it to next.
  const transaction = Object.entries(settings).map(([name, ms]) => `set local ${name} = ${ms}`);
  return { connection: { query_timeout }, transaction: transaction.join('; ') };
}

export const NO_LIMITS: TimeLimits = { connection: {} };
