/** The windows of the login limit, where the gateway counts them. (Interface 9) */
import type { Config } from '../config/config.js';
import type { Db } from '../db/statement.js';
import type { Clock } from '../platform/clock.js';
import { LOGIN_LIMIT_NAME } from './rate-limiter.js';
import type { RedisClient } from './redis.js';
import { type Windows, windowsInPostgres } from './windows.js';

/**
 * @param redis undefined: they are in PostgreSQL
 * @param readyWithinMs how long a connection to Redis that is not there yet is waited for: milliseconds
 */
export async function openLoginWindows(
  { clock, config, redis }: { clock: Clock; config: Config; redis: RedisClient | undefined },
  db: Db,
  readyWithinMs = 0,
): Promise<Windows> {
  if (redis === undefined || config.redis === undefined) return windowsInPostgres(db, clock, LOGIN_LIMIT_NAME);
  const { windowsInRedis } = await import('./redis-windows.js');
  return windowsInRedis(redis, config.redis, clock, LOGIN_LIMIT_NAME, readyWithinMs);
}
