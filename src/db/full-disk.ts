/**
 * Interface 10: that a request has found the disk of the database full. The rehearsal of a login may still find room then,
 * in a page that is not full yet.
 */
import type { Clock } from '../platform/clock.js';
import { databaseStateOf } from './state.js';

/** How long that is believed: milliseconds. */
const BELIEVED_MS = 15_000;

export interface FullDisk {
  /** Takes what a request has failed with, whatever that is. */
  notice(error: unknown): void;
  /** What the last request has failed with that found the disk full; undefined where that is long ago. */
  lately(): unknown;
}

export function createFullDisk(clock: Clock): FullDisk {
  let last: { error: unknown; atMs: number } | undefined;
  return {
    notice: (error) => {
      if (databaseStateOf(error) === 'full') last = { error, atMs: clock.now().getTime() };
    },
    lately: () => {
      if (last === undefined) return undefined;
      const agoMs = clock.now().getTime() - last.atMs;
      const isBelieved = agoMs >= 0 && agoMs < BELIEVED_MS; // a clock may be set back
      return isBelieved ? last.error : undefined;
    },
  };
}
