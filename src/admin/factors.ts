/** Second factors of users, without what is secret. (Interface 20) */
import { endFactors } from '../auth/factors/rows.js';
import { revokeAll } from '../auth/revocations.js';
import type { Factor } from '../db/entities/factor.js';
import { columnsOf, type Reads, sql } from '../db/sql.js';
import type { Deps } from '../services.js';
import type { Needs, Operator } from './administer.js';
import { changeUser, type EndingChange } from './user-changes.js';

const LISTED = ['id', 'userId', 'kind', 'name', 'createdAt', 'lastUsedAt'] as const;
const COLUMNS = columnsOf(LISTED);

export type ListedFactor = Pick<Factor, (typeof LISTED)[number]>;

/** The factors of each user, oldest first, in one statement. A user has at most 11. */
export async function listFactors(db: Reads, userIds: readonly string[]): Promise<Map<string, ListedFactor[]>> {
  const factors = await db.read(sql<ListedFactor>`
    select ${COLUMNS} from factors where user_id = any(${userIds}::uuid[]) order by created_at, id`);
  return Map.groupBy(factors, ({ userId }) => userId);
}

/** Number of unused recovery codes of each user, in one statement. @returns by user id; a user without one is left out */
export async function countRecoveryCodes(db: Reads, userIds: readonly string[]): Promise<Map<string, number>> {
  const counts = await db.read(sql<{ id: string; count: number }>`
    select user_id as id, count(*)::integer as count from recovery_codes
    where user_id = any(${userIds}::uuid[]) group by user_id`);
  return new Map(counts.map(({ id, count }) => [id, count]));
}

export interface FactorReset extends EndingChange {
  /** Number of factors that were removed */
  removedFactorCount: number;
}

/**
 * Removes all factors and recovery codes of a user and ends all their sessions, for who has lost them. The next login asks for
 * the password alone. Known devices stay. Has no effect on a user without factors.
 * @throws {AdminRefusal} for an unknown user
 */
export async function resetFactors(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  userId: string,
): Promise<FactorReset> {
  let [removedFactorCount, revokedSessionCount] = [0, 0];
  const user = await changeUser(deps, operator, resetFactors.needs, userId, async (_, { db, now }) => {
    removedFactorCount = await endFactors(db, userId);
    revokedSessionCount = 0; // the work may be repeated
    if (removedFactorCount === 0) return undefined;
    revokedSessionCount = (await revokeAll(db, { userId }, 'factors_reset', now)).length;
    const metadata = { factors: removedFactorCount, sessions_ended: revokedSessionCount };
    return { eventType: 'factors_reset', userId, metadata };
  });
  return { user, removedFactorCount, revokedSessionCount };
}
resetFactors.needs = { scope: 'users:write' } satisfies Needs;
