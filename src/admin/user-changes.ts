/** Changes of users. A change and its audit event are one transaction. (Interface 9 and 11) */
import type { ChangeEvent } from '../audit/events.js';
import { takenEmails } from '../auth/email/rows.js';
import { endCeremonies, endFactors } from '../auth/factors/rows.js';
import { endDevices, unlockDevices } from '../auth/known-devices.js';
import { endLinks } from '../auth/password-links.js';
import { revokeAll } from '../auth/revocations.js';
import type { User } from '../db/entities/user.js';
import { emailSchema } from '../domain/email.js';
import type { Role } from '../domain/roles.js';
import type { Scopes } from '../domain/scopes.js';
import { AdminRefusal } from '../listing/refusal.js';
import { isUuid, uuidInTimeOrder } from '../platform/ids.js';
import type { Deps } from '../services.js';
import { administer, authorize, type Change, FOR_UPDATE, type Needs, type Operator } from './administer.js';
import { checkNewPassword, refuseCurrent, type SetsPasswords } from './passwords.js';
import { existingUser, findUser, type ListedUser, passwordHashOf, unknownUser } from './users.js';

export interface NewUser {
  email: string;
  /** Without one the user cannot log in before a link has set it. */
  password?: string | null | undefined;
  role: Role;
}

/** @throws {AdminRefusal} for an invalid or taken e-mail, or an invalid password */
export async function createUser(
  deps: Deps<'clock' | 'db' | 'passwordRules'> & SetsPasswords,
  operator: Operator,
  { email, password, role }: NewUser,
): Promise<ListedUser> {
  await authorize(deps.db.admin, operator, createUser.needs); // before the expensive hash
  const address = parseEmail(email);
  if (password != null) await checkNewPassword(deps, password, address);
  const passwordHash = password == null ? null : await deps.passwords.hash(password);
  return administer(deps, operator, createUser.needs, async (change) => {
    const { db, now, scopes, secrets, audit } = change;
    if (role === 'admin') requireAllScopes(scopes);
    await requireFreeEmail(change, address);
    const id = uuidInTimeOrder(now);
    await secrets.insertInto('users').values({ id, email: address, passwordHash, role, createdAt: now }).execute();
    await audit({ eventType: 'user_created', userId: id, metadata: { email: address, role } });
    return existingUser(db, id, now);
  });
}
createUser.needs = { scope: 'users:write' } satisfies Needs;

/** @throws {AdminRefusal} */
function parseEmail(email: string): string {
  const { data } = emailSchema.safeParse(email);
  if (data === undefined)
    throw new AdminRefusal('invalid_email', 'The e-mail address is not valid', { argument: 'email' });
  return data;
}

/** Changes are made one at a time, so that the address stays free until the change is committed. */
async function requireFreeEmail({ db, now }: Change, email: string, owner: string | null = null): Promise<void> {
  const [taken] = await takenEmails(db, [email], now, owner);
  if (taken !== undefined)
    throw new AdminRefusal('email_taken', 'A user with this e-mail already exists', { argument: 'email' });
}

/**
 * Changes the e-mail of a user and ends their password links, which were sent to the former one. Sessions stay.
 * @throws {AdminRefusal} for an unknown user, or an invalid or taken e-mail
 */
export async function setUserEmail(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  id: string,
  email: string,
): Promise<ListedUser> {
  return changeUser(deps, operator, setUserEmail.needs, id, async (user, change) => {
    const to = parseEmail(email);
    if (user.email === to) return undefined;
    await requireFreeEmail(change, to, id);
    await endLinks(change.db, id);
    const metadata = { from: user.email, to };
    user.email = to;
    return { eventType: 'user_email_changed', userId: id, metadata };
  });
}
setUserEmail.needs = { scope: 'users:write' } satisfies Needs;

/** @throws {AdminRefusal} for an unknown user, or if no administrator who can log in would be left */
export function setUserRole(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  id: string,
  role: Role,
): Promise<ListedUser> {
  return changeUser(deps, operator, setUserRole.needs, id, async (user, change) => {
    if (user.role === role) return undefined;
    if (role === 'admin') requireAllScopes(change.scopes);
    if (role !== 'admin') await requireAnotherAdministrator(change, user);
    const metadata = { from: user.role, to: role };
    user.role = role;
    return { eventType: 'user_role_changed', userId: id, metadata };
  });
}
setUserRole.needs = { scope: 'users:write' } satisfies Needs;

export interface EndingChange {
  user: ListedUser;
  /** Number of sessions ended by the change */
  revokedSessionCount: number;
}

/**
 * Activates the user, or deactivates the user and ends all their sessions.
 * @throws {AdminRefusal} for an unknown user or the last administrator who can log in
 */
export async function setUserActive(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  id: string,
  isActive: boolean,
): Promise<EndingChange> {
  let event: ChangeEvent | undefined;
  const user = await changeUser(deps, operator, setUserActive.needs, id, async (found, change) => {
    event = await setActive(isActive)(found, change);
    return event;
  });
  return { user, revokedSessionCount: sessionsEndedBy(event) };
}
setUserActive.needs = { scope: 'users:write' } satisfies Needs;

export function setActive(isActive: boolean): Work {
  return async (user, change) => {
    const { id } = user;
    const { db, now } = change;
    if (user.isActive === isActive) return undefined;
    if (isActive) {
      user.isActive = true;
      return { eventType: 'user_activated', userId: id, metadata: {} };
    }
    await requireAnotherAdministrator(change, user);
    await endLinks(db, id);
    await endCeremonies(db, id);
    user.isActive = false;
    const ended = await revokeAll(db, { userId: id }, 'user_deactivated', now);
    await endDevices(db, id);
    return { eventType: 'user_deactivated', userId: id, metadata: { sessions_ended: ended.length } };
  };
}

export function sessionsEndedBy(event: ChangeEvent | undefined): number {
  return event?.eventType === 'user_deactivated' ? event.metadata.sessions_ended : 0;
}

/** Clears the locks and the failed logins of the account and its devices. @throws {AdminRefusal} for an unknown user */
export function unlockUser(deps: Deps<'clock' | 'db'>, operator: Operator, id: string): Promise<ListedUser> {
  return changeUser(deps, operator, unlockUser.needs, id, unlock);
}
unlockUser.needs = { scope: 'users:write' } satisfies Needs;

export const unlock: Work = async (user, { db }) => {
  const devices = await unlockDevices(db, user.id);
  if (user.lockedUntil === null && user.failedLoginAttempts === 0 && devices === 0) return undefined;
  user.lockedUntil = null;
  user.failedLoginAttempts = 0;
  return { eventType: 'user_unlocked', userId: user.id, metadata: {} };
};

/**
 * Sets a password and ends all sessions of the user.
 * @throws {AdminRefusal} for an unknown user or an invalid password
 */
export async function setUserPassword(
  deps: Deps<'clock' | 'db' | 'passwordRules'> & SetsPasswords,
  operator: Operator,
  id: string,
  password: string,
): Promise<EndingChange> {
  const scopes = await authorize(deps.db.admin, operator, setUserPassword.needs); // before the expensive hash
  const current = await findUser(deps, id);
  if (current === undefined) throw unknownUser();
  if (current.role === 'admin') requireAllScopes(scopes);
  await checkNewPassword(deps, password, current.email);
  const passwordHash = await deps.passwords.hash(password);
  await refuseCurrent(deps, await passwordHashOf(deps.db.admin, id), password);
  let revokedSessionCount = 0;
  const user = await changeUser(deps, operator, setUserPassword.needs, id, async (found, { db, now, secrets }) => {
    await secrets.updateTable('users').set({ passwordHash }).where('id', '=', id).execute();
    found.passwordChosenByUser = false;
    found.passwordVersion += 1; // fails a login that has just verified the old one
    revokedSessionCount = (await revokeAll(db, { userId: id }, 'user_password_set', now)).length;
    await endDevices(db, id);
    await endCeremonies(db, id);
    return { eventType: 'user_password_set', userId: id, metadata: { sessions_ended: revokedSessionCount } };
  });
  return { user, revokedSessionCount };
}
setUserPassword.needs = { scope: 'users:write' } satisfies Needs;

/**
 * Deletes a user and ends all their sessions; session records and the audit log stay.
 * @returns the ID
 * @throws {AdminRefusal} for an unknown user or the last administrator who can log in
 */
export async function deleteUser(deps: Deps<'clock' | 'db'>, operator: Operator, id: string): Promise<string> {
  return administer(deps, operator, deleteUser.needs, async (change) => {
    await changeLocked(change, id, removeUser);
    return id.toLowerCase();
  });
}
deleteUser.needs = { scope: 'users:write' } satisfies Needs;

/** @returns the event, to be written after the flush @throws {AdminRefusal} for the last administrator who can log in */
export async function removeUser(user: User, change: Change): Promise<ChangeEvent> {
  const { em, db, now } = change;
  const { id, email, role } = user;
  await requireAnotherAdministrator(change, user);
  const ended = await revokeAll(db, { userId: id }, 'user_deleted', now);
  await endDevices(db, id);
  await endLinks(db, id);
  await endFactors(db, id);
  em.remove(user);
  return { eventType: 'user_deleted', userId: id, metadata: { email, role, sessions_ended: ended.length } };
}

export type Work = (user: User, change: Change) => Promise<ChangeEvent | undefined>;

/** @returns the user as the next query shows them @throws {AdminRefusal} for an unknown user, or what `work` throws */
export function changeUser(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  needs: Needs,
  id: string,
  work: Work,
): Promise<ListedUser> {
  return administer(deps, operator, needs, async (change) => {
    await changeLocked(change, id, work);
    return existingUser(change.db, id, change.now);
  });
}

/**
 * Locks the row of the user, applies the change and writes its event, if anything changed. A login in flight waits for the
 * row, and then sees the change.
 */
export async function changeLocked(change: Change, id: string, work: Work): Promise<ChangeEvent | undefined> {
  const user = await lockUser(change, id);
  if (user === null) throw unknownUser();
  const event = await work(user, change);
  await change.em.flush();
  if (event !== undefined) await change.audit(event);
  return event;
}

/** @throws {AdminRefusal} if the user is an administrator whom the operator may not change */
export async function lockUser({ em, entities, scopes }: Change, id: string): Promise<User | null> {
  const user = isUuid(id) ? await em.findOne(entities.User, id, { lockMode: FOR_UPDATE }) : null;
  if (user?.role === 'admin') requireAllScopes(scopes);
  return user;
}

/**
 * An administrator has every scope, so a caller without one of them must not create an administrator, or take over one by
 * setting a password.
 */
export function requireAllScopes(scopes: Scopes): void {
  if (scopes !== 'all')
    throw new AdminRefusal(
      'every_scope_needed',
      'Only a caller that has every scope can create or change an administrator',
    );
}

/**
 * Of the administrators who can log in, one must stay, or only the command line could bring one back. If nobody can, as after
 * an invitation into an empty database, one of the invited must stay. Changes are made one at a time, so that two administrators
 * do not remove each other.
 */
async function requireAnotherAdministrator({ em, entities }: Change, leaving: User): Promise<void> {
  if (leaving.role !== 'admin' || !leaving.isActive) return;
  const canLogIn = leaving.hasPassword ? { passwordHash: { $ne: null } } : {};
  const others = { id: { $ne: leaving.id }, role: 'admin', isActive: true, ...canLogIn } as const;
  if ((await em.count(entities.User, others)) === 0) {
    throw new AdminRefusal(
      'last_administrator',
      'The last active administrator cannot be demoted, deactivated or deleted: no other one could log in',
    );
  }
}
