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
