/** The connection to Redis or Valkey if `REDIS_URL` is set, and whether it accepts writes. (Interface 10) */
import type { Cluster, Redis } from 'ioredis';
import type { RedisTarget } from '../config/redis-url.js';
import { errorLabel } from '../platform/error-label.js';

/** One server (named directly or by Sentinel), or a cluster. */
export type RedisClient = Redis | Cluster;

export type RedisState = 'ok' | 'unreachable' | 'forbidden' | 'read_only' | 'full';

/** By the first word of an error. MISCONF: cannot save to disk. NOREPLICAS: too few replicas. OOM: `maxmemory` is reached. */
const STATES: Record<string, RedisState> = {
  NOPERM: 'forbidden',
  READONLY: 'read_only',
  MISCONF: 'read_only',
  NOREPLICAS: 'read_only',
  OOM: 'full',
};

/** Texts of the client, and words of servers, that are safe to log: they never quote what was sent. */
export const REDIS_TEXTS = [
  /^Connection is closed\.$/,
  /^Command timed out$/,
  /^Command aborted due to connection close$/,
  /^Stream isn't writeable and enableOfflineQueue options is false$/,
  /^Cluster isn't ready and enableOfflineQueue options is false$/,
  /^Socket timeout\. Expecting data, but didn't receive any in \d+ms\.$/,
  // followed by figures and other errors
  /^Reached the max retries per request limit/,
  /^All sentinels are unreachable/,
  /^(CLUSTERDOWN|LOADING|MASTERDOWN|MISCONF|NOAUTH|NOPERM|NOREPLICAS|OOM|READONLY|WRONGPASS)\b/,
];

/** A key that no limit uses. */
const READINESS_KEY = 'login:readiness';

/** In a cluster, every master must accept writes, since each has a share of the counters. */
export async function readRedisState(redis: RedisClient): Promise<RedisState> {
  if (!('slots' in redis)) return stateByKey(redis, READINESS_KEY);
  const { keysOfMasters } = await import('./redis-slots.js'); // loads ioredis
  const keys = keysOfMasters(redis.slots, READINESS_KEY);
  if (redis.status !== 'ready' || keys.length === 0) return 'unreachable';
  const states = await Promise.all(keys.map((key) => stateByKey(redis, key)));
  return states.find((state) => state !== 'ok') ?? 'ok';
}

/** Tries a write that changes nothing, since the key does not exist. */
async function stateByKey(redis: RedisClient, key: string): Promise<RedisState> {
  try {
    await redis.call('set', key, '', 'XX');
    return 'ok';
  } catch (error) {
    return STATES[redisErrorWord(error) ?? ''] ?? 'unreachable';
  }
}

/** The first word of an error that Redis answered, such as `READONLY`; undefined for other errors. */
export function redisErrorWord(error: unknown): string | undefined {
  return error instanceof Error ? /^[A-Z]+(?= )/.exec(error.message)?.[0] : undefined;
}

/** The same, or the code of the system or a fixed text. */
export function redisErrorLabel(error: unknown): string {
  return redisErrorWord(error) ?? errorLabel(error, REDIS_TEXTS);
}

/** Hosts and ports of REDIS_URL. */
export function serversOf({ hosts }: RedisTarget): string {
  return hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join();
}

/** What to do if a connection fails. @param label see `redisErrorLabel` */
export function redisRemedy(label: string, { tls }: RedisTarget): string {
  if (/^(WRONGPASS|NOAUTH|NOPERM)/.test(label)) return 'correct user and password in REDIS_URL';
  if (/^All sentinels are unreachable/.test(label)) {
    return 'correct the sentinels and the name of the master in REDIS_URL, or start the sentinels';
  }
  const plain = tls ? ', or use redis:// if it does not speak TLS' : '';
  return `start Redis, or correct REDIS_URL${plain}; check that no firewall is in the way`;
}
