/**
 * Changes of many users at once, in one transaction. Who cannot be changed is reported, and does not stop the others.
 * (Interface 11)
 */
import type { ChangeEvent } from '../audit/events.js';
import { checkedIds } from '../listing/ids.js';
import { AdminRefusal, type AdminRefusalReason } from '../listing/refusal.js';
import type { Deps } from '../services.js';
import { administer, type Change, type Needs, type Operator } from './administer.js';
import {
  changeLocked,
  sessionsEndedBy,
  setActive,
  setUserActive,
  unlock,
  unlockUser,
  type Work,
} from './user-changes.js';
import { existingUsers, type ListedUser } from './users.js';

export interface RefusedUser {
  id: string;
  reason: AdminRefusalReason;
  message: string;
}

export interface ChangedUsers {
  /** As the next query shows them, in the order of the request; also those who were as wanted before */
  users: ListedUser[];
  refused: RefusedUser[];
  /** Number of sessions ended by the change */
  revokedSessionCount: number;
}

/**
 * Activates users, or deactivates them and ends all their sessions.
 * @throws {AdminRefusal} `invalid_ids`
 */
export function setUsersActive(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  ids: readonly string[],
  isActive: boolean,
): Promise<ChangedUsers> {
  return changeMany(deps, operator, setUsersActive.needs, ids, setActive(isActive));
}
setUsersActive.needs = setUserActive.needs;

/** Clears the locks and the failed logins of accounts and their devices. @throws {AdminRefusal} `invalid_ids` */
export function unlockUsers(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  ids: readonly string[],
): Promise<ChangedUsers> {
  return changeMany(deps, operator, unlockUsers.needs, ids, unlock);
}
unlockUsers.needs = unlockUser.needs;

function changeMany(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  needs: Needs,
  ids: readonly string[],
  work: Work,
): Promise<ChangedUsers> {
  checkedIds(ids);
  return administer(deps, operator, needs, async (change) => {
    const { done, refused } = await changeEach(change, ids, work);
    const users = await existingUsers(change.db, [...done.keys()], change.now);
    const shown = [...done.keys()].flatMap((id) => users.get(id) ?? []);
    const ended = [...done.values()].map(sessionsEndedBy);
    return { users: shown, refused, revokedSessionCount: ended.reduce((sum, count) => sum + count, 0) };
  });
}

/**
 * The rows stay locked until the change is committed.
 * @param work refuses a user before it changes anything of theirs
 * @returns the event of each user who was not refused, by ID in lower case
 */
export async function changeEach(
  change: Change,
  ids: readonly string[],
  work: Work,
): Promise<{ done: Map<string, ChangeEvent | undefined>; refused: RefusedUser[] }> {
  const done = new Map<string, ChangeEvent | undefined>();
  const refused: RefusedUser[] = [];
  for (const id of new Set(ids.map((one) => one.toLowerCase()))) {
    try {
      done.set(id, await changeLocked(change, id, work));
    } catch (error) {
      if (!(error instanceof AdminRefusal)) throw error;
      refused.push({ id, reason: error.reason, message: error.message });
    }
  }
  return { done, refused };
}
