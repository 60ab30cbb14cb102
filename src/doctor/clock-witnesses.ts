/** Interface 9, `doctor`: further clocks than the two that are apart, which may show which of the two is wrong. */
import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { isLoopback } from '../config/values.js';
import { SILENT } from '../platform/logger.js';
import { SKEW_LOGGED_SECONDS } from '../readiness/readiness.js';
import { readPublic } from './public-request.js';
import type { Surroundings } from './surroundings.js';

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
export async function askWitnesses(at: Surroundings): Promise<Witness[]> {
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
  const { date } = await readPublic(`${config.publicUrl}${UNCACHED}`, signal);
  if (date === undefined) return undefined;
  return { name: 'PUBLIC_URL', aheadSeconds: (clock.now().getTime() - date.getTime()) / 1000, mayBeHere: true };
}
