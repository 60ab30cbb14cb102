/**
 * Remembers that a request found the disk of the database full. The write probe may still succeed then, in a page that
 * is not full yet. (Interface 10)
 */
import type { Clock } from '../platform/clock.js';
import { databaseStateOf } from './state.js';

const REMEMBERED_MS = 15_000;

export interface FullDisk {
  /** Accepts any error of a request. */
  notice(error: unknown): void;
  /** The last error because of a full disk, if it is recent. */
  recentError(): unknown;
}

export function createFullDisk(clock: Clock): FullDisk {
  let last: { error: unknown; atMs: number } | undefined;
  return {
    notice: (error) => {
      if (databaseStateOf(error) === 'full') last = { error, atMs: clock.now().getTime() };
    },
    recentError: () => {
      if (last === undefined) return undefined;
      const agoMs = clock.now().getTime() - last.atMs;
      const isRecent = agoMs >= 0 && agoMs < REMEMBERED_MS; // the clock may be set back
      return isRecent ? last.error : undefined;
    },
  };
}
