/** The expiry of the next key, measured in each round of the sweeper. (Interface 14) */
import { isLive } from '../db/live-key.js';
import { statement } from '../db/statement.js';
import { epochSeconds } from '../platform/clock.js';
import type { Deps } from '../services.js';

const nextExpirySql = statement('next_key_expiry', { now: 'timestamptz' }, { next: 'timestamptz?' })`
  select least(
    (select min(expires_at) from api_keys where ${isLive(':now')}),
    (select min(expires_at) from cron_keys where ${isLive(':now')})) as next`;

export async function measureKeyExpiry({ clock, db, metrics }: Deps<'clock' | 'db' | 'metrics'>): Promise<void> {
  const [{ next } = { next: null }] = await db.admin.run(nextExpirySql, { now: clock.now() });
  metrics.keyExpiry.set(next === null ? 0 : epochSeconds(next));
}
