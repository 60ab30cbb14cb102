/** CONTRACT 6: `last_used_at`, without a write a request. */
import { addSeconds } from '../platform/clock.js';
import type { CallerDependencies } from './dependencies.js';

/** How stale the column may be: seconds. */
const TO_THE_SECONDS = 60;

/** Writes the time of use where the stored one is a minute old or more. */
export async function touchKey(
  { clock, db }: CallerDependencies,
  table: 'api_keys' | 'cron_keys',
  key: { key_id: string; last_used_at: Date | null },
): Promise<void> {
  const now = clock.now();
  const stale = addSeconds(now, -TO_THE_SECONDS);
  if (key.last_used_at !== null && key.last_used_at > stale) return;
  await db.sql
    .updateTable(table)
    .set({ last_used_at: now })
    .where('key_id', '=', key.key_id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', stale)]))
    .execute();
}
