/** Lists and clears the current windows of a limit. (Interface 9) */
import { type Db, statement } from '../db/statement.js';
import type { Clock } from '../platform/clock.js';
import { Outage } from '../platform/outage.js';

export interface Window {
  key: string;
  /** Requests so far */
  count: number;
  endsAt: Date;
}

/** Redis holds the windows and does not answer. */
export class RedisAway extends Outage {
  override readonly name = 'RedisAway';
}

export interface Windows {
  /**
   * Most requests first.
   * @param most windows that are read, by default all; Redis then gives those that its scan finds first
   * @throws {RedisAway}, or the database's error
   */
  list(most?: number): Promise<Window[]>;
  /** Clears the counters of these keys, or of all. @returns how many windows were cleared @throws as `list` */
  clear(keys?: readonly string[]): Promise<number>;
}

const windowsSql = statement(
  'rate_limit_windows',
  { prefix: 'text', now: 'timestamptz', most: 'integer?' },
  { key: 'text', count: 'integer', endsAt: 'timestamptz' },
)`
  select substr(key, length(:prefix) + 1) as key, points as count, to_timestamp(expire / 1000.0) as "endsAt"
  from rate_limits
  where starts_with(key, :prefix) and expire > (extract(epoch from :now) * 1000)::bigint
  order by points desc, key limit :most`;

const clearWindowsSql = statement(
  'clear_rate_limit_windows',
  { prefix: 'text', keys: 'text[]?', now: 'timestamptz' },
  { cleared: 'integer' },
)`
  with cleared as (
    delete from rate_limits
    where key = any(:keys) or (:keys is null and starts_with(key, :prefix))
    returning expire
  )
  select count(*)::integer as cleared from cleared where expire > (extract(epoch from :now) * 1000)::bigint`;

/** @param name of the limit, as in `createRateLimiter` */
export function windowsInPostgres(db: Db, clock: Clock, name: string): Windows {
  const prefix = `${name}:`;
  return {
    list: (most) => db.run(windowsSql, { prefix, now: clock.now(), most: most ?? null }),
    clear: async (keys) => {
      const [{ cleared } = { cleared: 0 }] = await db.run(clearWindowsSql, {
        prefix,
        keys: keys?.map((key) => prefix + key) ?? null,
        now: clock.now(),
      });
      return cleared;
    },
  };
}
