/** Interface 9 and 10, `doctor`: the clock here beside that of the database. */
import { databaseStateSql } from '../db/state.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

/** Further apart than this: seconds, as the health check has them. */
const WARNING_SECONDS = 5;
const FAULT_SECONDS = 60;
/** The quickest answer tells it best. */
const TRIES = 3;

export async function checkClock({ clock, database }: Surroundings): Promise<Finding[]> {
  const { db } = await database();
  let quickestMs = Number.POSITIVE_INFINITY;
  let aheadSeconds = 0;
  for (let i = 0; i < TRIES; i += 1) {
    const askedMs = performance.now();
    const [state] = await db.run(databaseStateSql, {});
    const tookMs = performance.now() - askedMs;
    if (state === undefined || tookMs > quickestMs) continue;
    quickestMs = tookMs;
    aheadSeconds = (clock.now().getTime() - tookMs / 2 - state.now.getTime()) / 1000;
  }
  const apart = Math.abs(aheadSeconds);
  const seen = `the clock here is ${apart.toFixed(2)} s ${aheadSeconds < 0 ? 'behind' : 'ahead of'} that of the database`;
  if (apart <= WARNING_SECONDS) return [ok('clock', seen)];
  const remedy = 'timedatectl set-ntp true, here and on the machine of PostgreSQL';
  if (apart <= FAULT_SECONDS) return [warning('clock', seen, remedy)];
  return [fault('clock', `${seen}: every login is answered 503`, remedy)];
}
