/** The connection to Redis or Valkey, where `REDIS_URL` is set. */
import { Redis } from 'ioredis';
import { describeError, type Logger } from '../platform/logger.js';

/** Commands fail at once while it is away, so that an answer is 503 and not a long wait. */
export function connectRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url.replace(/^valkey/, 'redis'), {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 5_000,
    commandTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 200, 2_000),
  });
  redis.on('error', (error: unknown) => log.warn({ error: describeError(error) }, 'redis connection failed'));
  return redis;
}

export type RedisState = 'ok' | 'unreachable' | 'read_only' | 'full';

/** By the first word of an error: a replica, or a disk or replicas that Redis insists on; and `maxmemory`. */
const STATES: Record<string, RedisState> = {
  READONLY: 'read_only',
  MISCONF: 'read_only',
  NOREPLICAS: 'read_only',
  OOM: 'full',
};

/** Whether it takes writes. It is asked by one that changes nothing: of a key that no limit has, were it there. */
export async function stateOfRedis(redis: Redis): Promise<RedisState> {
  try {
    await redis.set('login:readiness', '', 'XX');
    return 'ok';
  } catch (error) {
    const [word = ''] = error instanceof Error ? error.message.split(' ') : [];
    return STATES[word] ?? 'unreachable';
  }
}
