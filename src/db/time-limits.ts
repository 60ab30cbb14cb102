/** How long PostgreSQL may take: told to it once for a connection, or behind a pooler in each transaction. */

/** How long one statement may run, of a route or of what dashboards list: milliseconds. */
export const STATEMENT_TIMEOUT_MS = 3_500;
/** How long it may wait for one lock: milliseconds. */
export const LOCK_TIMEOUT_MS = 2_000;
/** How long a statement of a change may run, which cannot be made smaller. */
const CHANGE_TIMEOUT_MS = 20_000;
/** After this the server ends a transaction whose gateway has vanished, and its locks: milliseconds. */
const IDLE_IN_TRANSACTION_MS = 60_000;
/** How much longer the driver waits than the server may take, for a server that says nothing at all: milliseconds. */
const GRACE_MS = 500;

/** Interface 2: what is between the gateway and PostgreSQL. */
export type Pooler = 'none' | 'transaction';

export interface TimeLimits {
  /** For the driver: what it tells the server when it connects, and how long it waits itself */
  connection: {
    statement_timeout?: number;
    lock_timeout?: number;
    idle_in_transaction_session_timeout?: number;
    query_timeout?: number;
  };
  /** SQL at the begin of each transaction */
  transaction: string[];
}

export function timeLimits(pooler: Pooler): TimeLimits {
  const settings = {
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  };
  const query_timeout = STATEMENT_TIMEOUT_MS + GRACE_MS;
  if (pooler === 'none') return { connection: { ...settings, query_timeout }, transaction: [] };
  // What is set for a session would stay for whoever the pooler gives it to next.
  return { connection: { query_timeout }, transaction: [setLocal(settings)] };
}

export const NO_LIMITS: TimeLimits = { connection: {}, transaction: [] };

/** Of a change that waits for its turn, which is a lock: as long as its request has time. SQL for its transaction. */
export const TURN_LIMITS = setLocal({ lock_timeout: 0 });

/** Of a change, once it is its turn: SQL for its transaction, and how long the driver waits for each statement. */
export const CHANGE_LIMITS = {
  transaction: setLocal({ statement_timeout: CHANGE_TIMEOUT_MS, lock_timeout: LOCK_TIMEOUT_MS }),
  queryTimeoutMs: CHANGE_TIMEOUT_MS + GRACE_MS,
};

function setLocal(settings: Record<string, number>): string {
  return Object.entries(settings)
    .map(([name, ms]) => `set local ${name} = ${ms}`)
    .join('; ');
}
