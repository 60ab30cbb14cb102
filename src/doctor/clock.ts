/** Interface 9 and 10, `doctor`: compares the clock here with that of the database, and with others if they are apart. */
import { databaseStateSql } from '../db/state.js';
import { MAX_SKEW_SECONDS } from '../platform/watched-clock.js';
import { SKEW_LOGGED_SECONDS } from '../readiness/readiness.js';
import { askWitnesses, judgeClocks, type Verdict } from './clock-witnesses.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

/** The fastest answer is the most exact one. */
const TRIES = 3;

export async function checkClock(at: Surroundings): Promise<Finding[]> {
  const { clock, database } = at;
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
  const verdict = judgeClocks(aheadSeconds, await askWitnesses(at));
  const remedy = REMEDIES[verdict.wrong];
  const judged = `${wordsOf(verdict)}, seen from ${verdict.sides} sides`;
  if (apart <= MAX_SKEW_SECONDS) return [warning('clock', `${seen}; ${judged}`, remedy)];
  return [fault('clock', `${seen}, so every login is answered 503; ${judged}`, remedy)];
}

const RUN = 'run: timedatectl set-ntp true';

const REMEDIES: Record<Verdict['wrong'], string> = {
  here: `${RUN}, on this machine`,
  database: `${RUN}, on the machine of PostgreSQL, and leave the clock here alone`,
  unknown: `compare with the instances on other hosts: if all differ by as much, the clock of PostgreSQL is wrong, otherwise the one here; there ${RUN}`,
};

/** A machine of its own is a side of its own. Which are is not visible from here. */
function wordsOf({ wrong, agreeing }: Verdict): string {
  if (wrong === 'unknown') return 'either may be wrong';
  const names = agreeing.join(' and ');
  const agree = agreeing.length === 1 ? 'agrees' : 'agree';
  const [right, other] = wrong === 'here' ? ['the database', 'this host'] : ['this host', 'the database'];
  return `${names} ${agree} with ${right}, so unless they share a machine the clock of ${other} is wrong`;
}
