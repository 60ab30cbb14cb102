/** Interface 9 and 10, `doctor`: compares the clock here with that of the database. */
import { databaseStateSql } from '../db/state.js';
import { MAX_SKEW_SECONDS } from '../platform/watched-clock.js';
import { SKEW_LOGGED_SECONDS } from '../readiness/readiness.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

/** The fastest answer is the most exact one. */
const TRIES = 3;

export async function checkClock({ clock, database }: Surroundings): Promise<Finding[]> {
  const { db } = await database();
  let fastestMs = Number.POSITIVE_INFINITY;
  let aheadSeconds = 0;
  for (let i = 0; i < TRIES; i += 1) {
    const askedMs = performance.now();
    const [state] = await db.run(databaseStateSql, {});
    const tookMs = performance.now() - askedMs;
    if (state === undefined || tookMs > fastestMs) continue;
    fastestMs = tookMs;
    aheadSeconds = (clock.now().getTime() - tookMs / 2 - state.now.getTime()) / 1000;
  }
  const apart = Math.abs(aheadSeconds);
  const seen = `the clock here is ${apart.toFixed(2)} s ${aheadSeconds < 0 ? 'behind' : 'ahead of'} that of the database`;
  if (apart <= SKEW_LOGGED_SECONDS) return [ok('clock', seen)];
  const remedy = 'run: timedatectl set-ntp true, here and on the machine of PostgreSQL';
  if (apart <= MAX_SKEW_SECONDS) return [warning('clock', seen, remedy)];
  return [fault('clock', `${seen}, so every login is answered 503`, remedy)];
}
