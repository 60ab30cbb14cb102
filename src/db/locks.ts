/** Advisory locks between instances. */
import { statement } from './statement.js';

/** Their keys, all different. */
export const LOCKS = {
  migration: 7_241_093_518,
  /** So that "the last administrator" is exact */
  administration: 7_241_093_519,
} as const;

/** Serialises administrative changes: waits for the other one, and holds the lock until the transaction ends. */
export const lockChangesSql = statement('lock_changes', {}, { taken: 'text' })`
  select pg_advisory_xact_lock(${LOCKS.administration})::text as taken`;
