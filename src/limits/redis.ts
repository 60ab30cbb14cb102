/** Interface 10: Redis or Valkey, where `REDIS_URL` is set, and whether it counts. */
import type { Cluster, Redis } from 'ioredis';

/** One server (itself, or the master that Sentinel names), or a cluster. */
export type RedisClient = Redis | Cluster;

export type RedisState = 'ok' | 'unreachable' | 'forbidden' | 'read_only' | 'full';

/** By the first word of an error: rights of the user; a replica, or a disk or replicas that Redis insists on; and `maxmemory`. */
const STATES: Record<string, RedisState> = {
  NOPERM: 'forbidden',
  READONLY: 'read_only',
  MISCONF: 'read_only',
  NOREPLICAS: 'read_only',
  OOM: 'full',
};

/** Of a key that no limit has. */
const READINESS_KEY = 'login:readiness';

/** Whether it takes writes: of a cluster, each of its masters, since each has a share of the counters. */
export async function readRedisState(redis: RedisClient): Promise<RedisState> {
  if (!('slots' in redis)) return stateByKey(redis, READINESS_KEY);
  const { keysOfMasters } = await import('./redis-slots.js'); // which loads the client
  const keys = keysOfMasters(redis.slots, READINESS_KEY);
  if (redis.status !== 'ready' || keys.length === 0) return 'unreachable';
  const states = await Promise.all(keys.map((key) => stateByKey(redis, key)));
  return states.find((state) => state !== 'ok') ?? 'ok';
}

/** Asked by a write that changes nothing, since there is no such key. */
async function stateByKey(redis: RedisClient, key: string): Promise<RedisState> {
  try {
    await redis.call('set', key, '', 'XX');
    return 'ok';
  } catch (error) {
    return STATES[redisErrorWord(error) ?? ''] ?? 'unreachable';
  }
}

/** The word by which an answer of Redis says what is wrong, such as `READONLY`; undefined for other errors. */
export function redisErrorWord(error: unknown): string | undefined {
  return error instanceof Error ? /^[A-Z]+(?= )/.exec(error.message)?.[0] : undefined;
}
