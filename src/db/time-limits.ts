/** How long PostgreSQL may take. The limits are set once for each connection, or behind a pooler in each transaction. */

/** How long one statement of a route or a listing may run: milliseconds. */
export const STATEMENT_TIMEOUT_MS = 3_500;
/** How long a statement may wait for one lock: milliseconds. */
export const LOCK_TIMEOUT_MS = 2_000;
/** How long a statement of a change may run, because it cannot be split: milliseconds. */
const CHANGE_TIMEOUT_MS = 20_000;
/** When the server ends an idle transaction, whose gateway has vanished, and its locks: milliseconds. */
const IDLE_IN_TRANSACTION_MS = 60_000;
/** How much longer the driver waits, in case the server gives no answer at all: milliseconds. */
const GRACE_MS = 500;

/** Interface 2: what is between the gateway and PostgreSQL. */
export type Pooler = 'none' | 'transaction';

export interface TimeLimits {
  /** For the driver: settings that it sends when it connects, and how long it waits itself */
  connection: {
    statement_timeout?: number;
    lock_timeout?: number;
    idle_in_transaction_session_timeout?: number;
    query_timeout?: number;
  };
  /** SQL at the start of each transaction */
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
  // A setting of the session would affect the next client to which the pooler gives that session.
  return { connection: { query_timeout }, transaction: [setLocal(settings)] };
}

export const NO_LIMITS: TimeLimits = { connection: {}, transaction: [] };

/** SQL for a change that waits for its turn, which is a lock: the time of its request is the limit. */
export const TURN_LIMITS = setLocal({ lock_timeout: 0 });

/** For a change whose turn has come: SQL for its transaction, and how long the driver waits for each statement. */
export const CHANGE_LIMITS = {
  transaction: setLocal({ statement_timeout: CHANGE_TIMEOUT_MS, lock_timeout: LOCK_TIMEOUT_MS }),
  queryTimeoutMs: CHANGE_TIMEOUT_MS + GRACE_MS,
};

function setLocal(settings: Record<string, number>): string {
  return Object.entries(settings)
    .map(([name, ms]) => `set local ${name} = ${ms}`)
    .join('; ');
}
