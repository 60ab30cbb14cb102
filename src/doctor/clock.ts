/** `doctor`: compares the clock here with that of the database; if they are apart, further clocks may show which is wrong. (Interface 9 and 10) */
import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { isLoopback } from '../config/values.js';
import { databaseStateSql } from '../db/state.js';
import { SILENT } from '../platform/logger.js';
import { MAX_SKEW_SECONDS } from '../platform/watched-clock.js';
import { SKEW_LOGGED_SECONDS } from '../readiness/readiness.js';
import { type Finding, fault, ok, warning } from './finding.js';
import { ask, type Surroundings } from './surroundings.js';

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

/** Another clock. */
export interface Witness {
  name: string;
  /** How far the clock here is ahead of it */
  aheadSeconds: number;
  /** If it may be the clock here, its agreement with that proves nothing. */
  mayBeHere: boolean;
}

export interface Verdict {
  wrong: 'here' | 'database' | 'unknown';
  /** Number of clocks that were compared, the two among them */
  sides: number;
  /** Names of the witnesses that agree with the clock that is right */
  agreeing: string[];
}

/** By majority. @param aheadSeconds how far the clock here is ahead of the database's */
export function judgeClocks(aheadSeconds: number, witnesses: readonly Witness[]): Verdict {
  const within = Math.min(SKEW_LOGGED_SECONDS, Math.abs(aheadSeconds) / 3);
  const isNear = (seconds: number): boolean => Math.abs(seconds) <= within;
  const withDatabase = witnesses.filter((one) => isNear(one.aheadSeconds - aheadSeconds));
  const withHere = witnesses.filter((one) => isNear(one.aheadSeconds) && !one.mayBeHere);
  const others = witnesses.filter((one) => !isNear(one.aheadSeconds) && !withDatabase.includes(one));
  const sides = 2 + withDatabase.length + withHere.length + others.length;
  const namesOf = (list: Witness[]): string[] => list.map(({ name }) => name);
  if (withDatabase.length > withHere.length) return { wrong: 'here', sides, agreeing: namesOf(withDatabase) };
  if (withHere.length > withDatabase.length) return { wrong: 'database', sides, agreeing: namesOf(withHere) };
  return { wrong: 'unknown', sides, agreeing: [] };
}

/** Asks Redis and whatever answers at PUBLIC_URL. One that does not answer is left out: other checks report it. */
async function askWitnesses(at: Surroundings): Promise<Witness[]> {
  const asked = await Promise.allSettled([askRedis(at), askPublicUrl(at)]);
  return asked.flatMap((one) => (one.status === 'fulfilled' && one.value !== undefined ? [one.value] : []));
}

/** Less than a check has: the difference from the database is reported in any case. */
const WITHIN_MS = 3_000;

async function askRedis({ clock, config: { redis: place }, signal }: Surroundings): Promise<Witness | undefined> {
  if (place === undefined) return undefined;
  const { connectRedis } = await import('../rate-limits/redis-connection.js');
  const redis = connectRedis(place, SILENT);
  try {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
    if (redis.status !== 'ready') await once(redis, 'ready', { signal: inTime });
    const server: Redis | undefined = 'nodes' in redis ? redis.nodes('master')[0] : redis;
    if (server === undefined) return undefined;
    const askedMs = performance.now();
    const [seconds, microseconds] = await server.time();
    const agoMs = (performance.now() - askedMs) / 2;
    const there = Number(seconds) * 1000 + Number(microseconds) / 1000 + agoMs;
    const mayBeHere = place.hosts.some(({ host }) => isLoopback(host));
    return { name: 'Redis', aheadSeconds: (clock.now().getTime() - there) / 1000, mayBeHere };
  } finally {
    redis.disconnect();
  }
}

/** No cache stores it. */
const UNCACHED = '/health/live';

/** Its `Date` may be that of the gateway here, since a proxy forwards it. */
async function askPublicUrl({ clock, config, signal }: Surroundings): Promise<Witness | undefined> {
  const { date } = await ask(`${config.publicUrl}${UNCACHED}`, signal);
  if (date === undefined) return undefined;
  return { name: 'PUBLIC_URL', aheadSeconds: (clock.now().getTime() - date.getTime()) / 1000, mayBeHere: true };
}
