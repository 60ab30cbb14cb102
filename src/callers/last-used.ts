/** Stores `last_used_at` without a write for each request. (Interface 6) */
import { statement } from '../db/statement.js';
import { addSeconds } from '../platform/clock.js';
import type { Deps } from '../services.js';

const STALE_SECONDS = 60;

/** Returns a function that updates `last_used_at` if the stored time is stale. */
export function touching(table: 'api_keys' | 'cron_keys') {
  const touch = statement(`touch_${table}`, { key_id: 'text', now: 'timestamptz', stale: 'timestamptz' }, {})`
    update ${table} set last_used_at = :now
    where key_id = :key_id and (last_used_at is null or last_used_at <= :stale)`;
  return async ({ clock, db }: Deps<'clock' | 'db'>, key: { key_id: string; last_used_at: Date | null }) => {
    const now = clock.now();
    const stale = addSeconds(now, -STALE_SECONDS);
    if (key.last_used_at !== null && key.last_used_at > stale) return;
    await db.run(touch, { key_id: key.key_id, now, stale });
  };
}
