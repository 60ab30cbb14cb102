/** The windows of a limit in Redis, on one server or on every master of a cluster. (Interface 9) */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { RedisTarget } from '../config/redis-url.js';
import { addSeconds, type Clock } from '../platform/clock.js';
import { type RedisClient, redisErrorLabel, redisRemedy, serversOf } from './redis.js';
import { RedisAway, type Window, type Windows } from './windows.js';

const READY_WITHIN_MS = 5_000;
/** Keys that one SCAN visits, while other commands wait. */
const KEYS_AT_ONCE = 1_000;

/** @param name of the limit, as in `createRateLimiter` */
export function windowsInRedis(redis: RedisClient, place: RedisTarget, clock: Clock, name: string): Windows {
  const prefix = `${name}:`;
  const asked = async <T>(work: (nodes: Redis[]) => Promise<T>): Promise<T> => {
    try {
      await ready(redis);
      return await work('slots' in redis ? redis.nodes('master') : [redis]);
    } catch (error) {
      const label = redisErrorLabel(error);
      const reason = `the rate limits cannot be read: Redis at ${serversOf(place)} does not answer (${label})`;
      throw new RedisAway(`${reason}; ${redisRemedy(label, place)}`, { cause: error });
    }
  };
  const eachBatch = async (nodes: Redis[], work: (keys: string[], node: Redis) => Promise<void>): Promise<void> => {
    for (const node of nodes) {
      const batches = node.scanStream({ match: `${prefix}*`, count: KEYS_AT_ONCE });
      for await (const keys of batches as AsyncIterable<string[]>) await work(keys, node);
    }
  };
  return {
    list: () =>
      asked(async (nodes) => {
        const found = new Map<string, Window>(); // a scan may give a key twice
        await eachBatch(nodes, async (keys, node) => {
          for (const window of await Promise.all(keys.map((key) => read(node, key, clock)))) {
            const key = window?.key.slice(prefix.length);
            if (window !== undefined && key !== undefined) found.set(key, { ...window, key });
          }
        });
        return [...found.values()].sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
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
        });
        return cleared;
      }),
  };
}

/** Ignores errors meanwhile: the client tries again, or another sentinel. @throws if it takes too long */
async function ready(redis: RedisClient): Promise<void> {
  if (redis.status === 'ready') return;
  let last: unknown = new Error('connect ETIMEDOUT');
  redis.on('error', (error) => {
    last = error;
  });
  const connected = new Promise((resolve) => redis.once('ready', resolve));
  const late = sleep(READY_WITHIN_MS, undefined, { ref: false }).then(() => Promise.reject(last));
  await Promise.race([connected, late]);
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
