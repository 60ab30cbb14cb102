/** Fixed windows, counted over all instances by rate-limiter-flexible in PostgreSQL or Redis. */
import { RateLimiterPostgres, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../db/database.js';
import { batched, statement } from '../db/statement.js';
import { type Expiring, expiring } from '../db/sweeper.js';
import { type Budget, NO_BUDGET } from '../platform/budget.js';
import { Outage } from '../platform/outage.js';
import type { Tracing } from '../platform/tracing.js';
import type { RedisClient } from './redis.js';

export interface Consumption {
  allowed: boolean;
  /** Requests left in this window */
  remaining: number;
  /** Whole seconds until the window ends, at least 1 */
  resetSeconds: number;
}

export interface Counted {
  /** Requests of this window, including this one */
  count: number;
  /** Milliseconds until it ends */
  msLeft: number;
}

export interface RateLimiter {
  /** Counts one request. @throws {Outage} if the store does not answer: never a pass */
  count(key: string): Promise<Counted>;
  /** Takes one request back. If its window has ended, the next one has one more. @throws as `count` */
  giveBack(key: string): Promise<void>;
  /** The same counters, within the time budget of a request. */
  within(budget: Budget): RateLimiter;
}

/** The counters are in Redis if it is configured, otherwise in PostgreSQL. */
export interface Stores {
  db: Database;
  redis: RedisClient | undefined;
  tracing: Tracing;
}

/** The limit of `/auth/login`; its keys are from `loginGroups` */
export const LOGIN_LIMIT_NAME = 'login';

/** Above every limit: the library only counts, and callers compare with their own limit. */
const UNLIMITED = 2_147_483_647;

/** @param name prefix of the keys, so that limits do not share counters */
export function createRateLimiter({ db, redis, tracing }: Stores, name: string, windowSeconds: number): RateLimiter {
  const options = { keyPrefix: name, points: UNLIMITED, duration: windowSeconds };
  const store =
    redis === undefined
      ? new RateLimiterPostgres({
          ...options,
          storeClient: countingIn(db),
          storeType: 'client',
          tableCreated: true,
          clearExpiredByTimeout: false, // the sweeper does it, with SKIP LOCKED
        })
      : new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true });
  const ask = (work: () => Promise<RateLimiterRes>): Promise<RateLimiterRes> =>
    redis === undefined ? work() : tracing.span('rate_limit', 'client', { 'db.system.name': 'redis' }, work);
  const within = (budget: Budget): RateLimiter => {
    const asked = (work: () => Promise<RateLimiterRes>): Promise<RateLimiterRes> =>
      budget
        .spend(() => ask(work))
        .catch((error: unknown) => {
          throw new Outage('the rate limit store does not answer', { cause: error });
        });
    return {
      within,
      count: async (key) => {
        const { consumedPoints, msBeforeNext } = await asked(() => store.consume(key));
        return { count: consumedPoints, msLeft: msBeforeNext };
      },
      giveBack: async (key) => {
        await asked(() => store.reward(key));
      },
    };
  };
  return within(NO_BUDGET);
}

export function consumption({ count, msLeft }: Counted, limit: number): Consumption {
  return {
    allowed: count <= limit,
    remaining: Math.max(limit - count, 0),
    resetSeconds: Math.max(Math.ceil(msLeft / 1000), 1),
  };
}

/** SQL of an instant in the library's unit. @param at SQL of a timestamp */
export function milliseconds(at: string): string {
  return `(extract(epoch from ${at}) * 1000)::bigint`;
}

/**
 * SQL that counts requests in PostgreSQL as the library does, to be part of a larger statement. It returns `key`, `points`
 * and `expire`, when the window ends in milliseconds.
 * @param now SQL of the current milliseconds
 * @param select SQL that gives a row for each key, none twice: the key, prefixed with the name of the limit and a colon; how
 *   many requests; and when a window that begins now ends
 */
export function counting(now: string, select: string): string {
  return `insert into rate_limits as counter (key, points, expire) ${select}
    on conflict (key) do update set
      points = case when counter.expire <= ${now} then excluded.points else counter.points + excluded.points end,
      expire = case when counter.expire <= ${now} then excluded.expire else counter.expire end
    returning key, points, expire`;
}

/** How long a batch waits for a counter: milliseconds. */
export const COUNTER_PATIENCE_MS = 50;

const countOneSql = statement(
  'rate_limit',
  { key: 'text', points: 'integer', ends: 'bigint', now: 'bigint' },
  { points: 'integer', expire: 'bigint?' },
)`
  with relaxed as materialized (
    select set_config('synchronous_commit', 'off', true)
  ), counted as (
    ${counting(':now', 'select :key, :points, :ends from relaxed')}
  )
  select points, expire from counted`;

/** Calls of one key are counted in their order. Batches of several instances lock the counters in the order of the keys. */
const countSql = batched(countOneSql, { lanes: 1, identity: (call) => call })`
  relaxed as materialized (
    select set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '${COUNTER_PATIENCE_MS}', true)
  ), numbered as materialized (
    select n, key, points, ends, now, sum(points) over (partition by key) as total,
      sum(points) over (partition by key order by n) as so_far
    from asked, relaxed
  ), counted as (
    ${counting('(select max(now) from numbered)', 'select key, total, max(ends) from numbered group by key, total order by key')}
  )
  select n, (counted.points - total + so_far)::integer as points, expire from numbered join counted using (key)`;

/**
 * A client for the library that sends its counts together. Their commit does not wait for the disk: the commit of a session or
 * of a failure, which follows, waits for both. So a crash of PostgreSQL may lose the counts of its last second only of requests
 * that were refused or not yet answered.
 */
function countingIn(db: Database): object {
  return {
    query: async ({ values: [key, points, ends, now] }: { values: [string, number, number, number] }) => ({
      rows: await db.run(countSql, { key, points, ends: String(ends), now: String(now) }),
    }),
  };
}

export const expiredWindows: Expiring = expiring(
  'rate_limits',
  'key',
  'expire < (extract(epoch from :before) * 1000)::bigint', // the library's milliseconds, in the type that is indexed
);
