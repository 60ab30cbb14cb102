/** The windows of a limit in Redis, on one server or on every master of a cluster. (Interface 9) */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { RedisTarget } from '../config/redis-url.js';
import { addSeconds, type Clock } from '../platform/clock.js';
import { type RedisClient, redisErrorLabel, redisRemedy, serversOf } from './redis.js';
import { RedisAway, type Window, type Windows } from './windows.js';

/** How often it is looked whether the connection is there: milliseconds. */
const LOOK_MS = 50;
/** Keys that one SCAN visits, while other commands wait. */
const KEYS_AT_ONCE = 1_000;

/**
 * @param name of the limit, as in `createRateLimiter`
 * @param readyWithinMs how long a connection that is not there yet is waited for: milliseconds
 */
export function windowsInRedis(
  redis: RedisClient,
  place: RedisTarget,
  clock: Clock,
  name: string,
  readyWithinMs = 0,
): Windows {
  const prefix = `${name}:`;
  const asked = async <T>(work: (nodes: Redis[]) => Promise<T>): Promise<T> => {
    try {
      await ready(redis, readyWithinMs);
      return await work('slots' in redis ? redis.nodes('master') : [redis]);
    } catch (error) {
      const label = redisErrorLabel(error);
      const reason = `the rate limits cannot be read: Redis at ${serversOf(place)} does not answer (${label})`;
      throw new RedisAway(`${reason}; ${redisRemedy(label, place)}`, { cause: error });
    }
  };
  /** Until `work` returns false */
  const eachBatch = async (nodes: Redis[], work: (keys: string[], node: Redis) => Promise<boolean>): Promise<void> => {
    for (const node of nodes) {
      const batches = node.scanStream({ match: `${prefix}*`, count: KEYS_AT_ONCE });
      for await (const keys of batches as AsyncIterable<string[]>) if (!(await work(keys, node))) return;
    }
  };
  return {
    list: (most = Number.POSITIVE_INFINITY) =>
      asked(async (nodes) => {
        const found = new Map<string, Window>(); // a scan may give a key twice
        await eachBatch(nodes, async (keys, node) => {
          for (const window of await Promise.all(keys.map((key) => read(node, key, clock)))) {
            const key = window?.key.slice(prefix.length);
            if (window !== undefined && key !== undefined) found.set(key, { ...window, key });
          }
          return found.size < most;
        });
        return [...found.values()].sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1)).slice(0, most);
      }),
    clear: (keys) =>
      asked(async (nodes) => {
        if (keys !== undefined)
          return deleteEach(
            redis,
            keys.map((key) => prefix + key),
          );
        let cleared = 0;
        await eachBatch(nodes, async (found, node) => {
          cleared += await deleteEach(node, found);
          return true;
        });
        return cleared;
      }),
  };
}

/** Ignores errors meanwhile: the client tries again, or another sentinel. @throws if it takes too long */
async function ready(redis: RedisClient, withinMs: number): Promise<void> {
  let last: unknown = new Error('connect ETIMEDOUT');
  const remember = (error: unknown): void => {
    last = error;
  };
  redis.on('error', remember);
  try {
    for (let leftMs = withinMs; redis.status !== 'ready'; leftMs -= LOOK_MS) {
      if (leftMs <= 0) throw last;
      await sleep(LOOK_MS);
    }
  } finally {
    redis.off('error', remember);
  }
}

/** One by one, since keys of a cluster may be on different nodes. @returns how many existed */
async function deleteEach(redis: Pick<Redis, 'del'>, keys: string[]): Promise<number> {
  const deleted = await Promise.all(keys.map((key) => redis.del(key)));
  return deleted.reduce((sum, one) => sum + one, 0);
}

/** @returns undefined if the window has ended meanwhile */
async function read(node: Redis, key: string, clock: Clock): Promise<Window | undefined> {
  const [count, leftMs] = await Promise.all([node.get(key), node.pttl(key)]);
  if (count === null || leftMs <= 0) return undefined;
  return { key, count: Number(count), endsAt: addSeconds(clock.now(), leftMs / 1000) };
}
