/** Under which instances take turns. */
import { statement } from './statement.js';

/** Keys of the advisory locks; no two alike. */
export const LOCKS = {
  migration: 7_241_093_518,
  /** So that "the last administrator" is exact */
  administration: 7_241_093_519,
} as const;

/** Waits until no other administrative change is under way, and keeps others waiting until its transaction ends. */
export const takeTurnSql = statement('take_turn', {}, { taken: 'text' })`
  select pg_advisory_xact_lock(${LOCKS.administration})::text as taken`;
