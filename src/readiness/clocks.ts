/** The clock here and the database's, in words. One instance cannot know which of the two is wrong. (Interface 10) */
import type { ClockReadings } from '../platform/watched-clock.js';

/** As the body of `/health/ready` and the log have it. */
export interface DescribedClocks {
  /** RFC 3339 */
  here: string;
  database: string;
  /** Negative if the clock here is behind */
  ahead_seconds: number;
  /** The difference, and how to find out whose clock is wrong */
  meaning: string;
}

export function describeClocks({ here, database }: ClockReadings): DescribedClocks {
  const aheadSeconds = Math.round((here.getTime() - database.getTime()) / 100) / 10;
  const side = aheadSeconds < 0 ? 'behind' : 'ahead of';
  return {
    here: here.toISOString(),
    database: database.toISOString(),
    ahead_seconds: aheadSeconds,
    meaning:
      `the clock of this host is ${Math.abs(aheadSeconds)} s ${side} the database's; one of the two is wrong. ` +
      "Compare with the instances on other hosts: if all differ by as much, it is the database's, otherwise this host's",
  };
}
