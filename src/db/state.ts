/** The state of the database, in one word. (Interface 10) */
import type { SchemaState } from './migrate.js';
import { isOutage } from './outage.js';
import { statement } from './statement.js';

export type DatabaseState =
  | SchemaState
  | 'unreachable'
  | 'read_only'
  | 'full'
  | 'locked'
  | 'out_of_connections'
  | 'failing';

/** By SQLSTATE */
const STATES: Readonly<Record<string, DatabaseState>> = {
  25006: 'read_only', // read_only_sql_transaction
  53100: 'full', // disk_full
  53300: 'out_of_connections', // too_many_connections
  '55P03': 'locked', // lock_not_available
};

/** The state behind the error of a statement; `failing` if the database answers, but not as it should. */
export function databaseStateOf(error: unknown): DatabaseState {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const state = 'code' in cause && typeof cause.code === 'string' ? STATES[cause.code] : undefined;
    if (state !== undefined) return state;
  }
  return isOutage(error) ? 'unreachable' : 'failing';
}

/** A standby is always read-only; other servers are if their settings say so. */
export const databaseStateSql = statement('database_state', {}, { read_only: 'boolean', now: 'timestamptz' })`
  select current_setting('transaction_read_only') = 'on' as read_only, clock_timestamp() as now`;
