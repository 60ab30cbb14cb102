/** Interface 6 and 9, `doctor`: keys that will soon be refused because they expire. */
import { isLive } from '../db/live-key.js';
import { schemaState } from '../db/migrate.js';
import { statement } from '../db/statement.js';
import { addSeconds } from '../platform/clock.js';
import { numberOf } from '../platform/number-of.js';
import { type Finding, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

const SOON_DAYS = 14;

const expiringSql = statement(
  'doctor_expiring_keys',
  { now: 'timestamptz', soon: 'timestamptz' },
  { key_id: 'text', command: 'text', expires_at: 'timestamptz' },
)`
  select key_id, 'api-key' as command, expires_at from api_keys where ${isLive(':now')} and expires_at < :soon
  union all select key_id, 'cron-key', expires_at from cron_keys where ${isLive(':now')} and expires_at < :soon
  order by expires_at`;

export async function checkKeyExpiry({ clock, database }: Surroundings): Promise<Finding[]> {
  const { db } = await database();
  if ((await schemaState(db)) === 'behind') return [];
  const now = clock.now();
  const keys = await db.run(expiringSql, { now, soon: addSeconds(now, SOON_DAYS * 86_400) });
  const [first] = keys;
  if (first === undefined) return [ok('key_expiry', `no key expires within ${SOON_DAYS} days`)];
  const seen = `${numberOf(keys.length, 'key')} will expire within ${SOON_DAYS} days; the first is ${first.key_id}, at ${first.expires_at.toISOString()}`;
  const command = `${first.command} rotate ${first.key_id} --expires 90d`;
  return [warning('key_expiry', seen, { advice: 'for each, if it is still needed,', command })];
}
