/** The users for spreadsheets, oldest first. (Interface 24) */
import { sql } from '../db/sql.js';
import { exactTime } from '../listing/keyset.js';
import { scan } from '../listing/scan.js';
import type { Deps } from '../services.js';
import { isFound, matches, type UserFilter } from './users.js';

/**
 * Each user who exists now, unless deleted meanwhile, as it is when it is read. The order of creation never changes, so no
 * change of a user makes it appear twice or not at all.
 * @returns `until`, when the export began: RFC 3339; columns as they are printed; pages may be empty
 * @throws {AdminRefusal} for too many ids
 */
export async function exportUsers({ clock, db }: Deps<'clock' | 'db'>, filter: UserFilter) {
  const now = clock.now();
  const where = sql`${matches(filter, now)} and ${filter.search == null ? sql`true` : isFound(filter.search)}`;
  const [last] = await db.admin.read(sql<{ at: string; id: string }>`
    select ${exactTime(sql.ref('created_at'))} as at, id from users order by created_at desc, id desc limit 1`);
  const pages = scan<Record<string, unknown>>(db.admin, {
    table: 'users',
    time: 'created_at',
    columns: sql`id, email, role, is_active, password_hash is not null as has_password,
      coalesce(locked_until > ${now}, false) as is_locked, failed_login_attempts, locked_until, last_login_at, created_at`,
    until: last ? sql`(created_at, id) <= (${last.at}::timestamptz, ${last.id}::uuid)` : sql`false`,
    where,
  });
  return { until: now.toISOString(), pages };
}
