/** CONTRACT 9 and 11: administration of users. Each change and its audit event stand or fall together. */
import { LockMode, type SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ChangeEvent } from '../audit/events.js';
import { revokeAll } from '../auth/sessions.js';
import { User } from '../db/entities/user.js';
import { type Db, only, type RowOf, statement } from '../db/statement.js';
import { emailSchema, normaliseEmail } from '../email.js';
import type { Deps } from '../parts.js';
import { isUuid, uuidInTimeOrder } from '../platform/ids.js';
import type { Role } from '../roles.js';
import type { Scopes } from '../scopes.js';
import { administer, type Change, type Needs, type Operator, requireScope } from './administer.js';
import {
  allOf,
  checkFirst,
  decodeCursor,
  encodeCursor,
  type Page,
  type PageRequest,
  pageOf,
  readPage,
  readRows,
} from './page.js';
import { checkNewPassword } from './passwords.js';
import { AdminRefusal } from './refusal.js';

export interface NewUser {
  email: string;
  password: string;
  role: Role;
}

const createUserSql = statement(
  'create_user',
  { id: 'uuid', email: 'text', password_hash: 'text', role: 'text', now: 'timestamptz' },
  {},
)`
  insert into users (id, email, password_hash, role, created_at) values (:id, :email, :password_hash, :role, :now)`;

/** @throws {AdminRefusal} for a bad or taken e-mail, or a bad password */
export async function createUser(
  deps: Deps<'clock' | 'db' | 'passwords'>,
  operator: Operator,
  { email, password, role }: NewUser,
): Promise<User> {
  requireScope(await operator.scopesNow(deps.db.admin), createUser.needs.scope); // before the work of hashing
  const parsed = emailSchema.safeParse(email);
  if (!parsed.success) throw new AdminRefusal('invalid_email', 'The e-mail is not an address', { argument: 'email' });
  checkNewPassword(password);
  const passwordHash = await deps.passwords.hash(password);
  return administer(deps, operator, createUser.needs, async ({ em, db, now, scopes, audit }) => {
    if (role === 'admin') requireAllScopes(scopes);
    if ((await em.count(User, { email: parsed.data })) > 0) {
      throw new AdminRefusal('email_taken', 'A user with this e-mail exists', { argument: 'email' });
    }
    const id = uuidInTimeOrder(now);
    await db.run(createUserSql, { id, email: parsed.data, password_hash: passwordHash, role, now });
    const user = await em.findOneOrFail(User, id);
    await audit({ eventType: 'user_created', userId: id, metadata: { email: user.email, role } });
    return user;
  });
}
createUser.needs = { scope: 'users:write' } satisfies Needs;

const COLUMNS = `id, email, role, is_active as "isActive", failed_login_attempts as "failedLoginAttempts",
  locked_until as "lockedUntil", last_login_at as "lastLoginAt", created_at as "createdAt"`;

const findUserSql = statement(
  'find_user',
  { id: 'uuid' },
  {
    id: 'uuid',
    email: 'text',
    role: only<Role>('text'),
    isActive: 'boolean',
    failedLoginAttempts: 'integer',
    lockedUntil: 'timestamptz?',
    lastLoginAt: 'timestamptz?',
    createdAt: 'timestamptz',
  },
)`
  select ${COLUMNS} from users where id = :id`;

/** A user without anything of its password. */
export type ListedUser = RowOf<typeof findUserSql>;

export interface UserFilter {
  /** Part of the e-mail */
  search?: string | null | undefined;
  role?: Role | null | undefined;
  isActive?: boolean | null | undefined;
  /** Locked by failed logins at present */
  locked?: boolean | null | undefined;
}

interface Span {
  lookedAt: number;
  last: string | null;
}

/** Users that a search for part of an e-mail looks at for one page: no index serves it. */
const SEARCHED_USERS = 10_000;

/**
 * A page of users, by e-mail. A search may find fewer than asked for, or none, while there is a next page: it has
 * looked at as many as it may, and goes on from there.
 * @throws {AdminRefusal} for a bad page
 */
export async function findUsers(
  { clock, db }: Deps<'clock' | 'db'>,
  filter: UserFilter,
  page: PageRequest,
): Promise<Page<ListedUser>> {
  checkFirst(page);
  const now = clock.now();
  const isLocked = sql`locked_until > ${now}`;
  const isUnlocked = sql`(locked_until is null or locked_until <= ${now})`;
  const conditions = allOf(
    page.after != null && sql`email > ${decodeCursor(page.after, 1)[0]}`,
    filter.role != null && sql`role = ${filter.role}`,
    filter.isActive != null && sql`is_active = ${filter.isActive}`,
    filter.locked != null && (filter.locked ? isLocked : isUnlocked),
  );
  const firstUsers = (limit: number) => sql`
    select ${sql.raw(COLUMNS)} from users where ${conditions} order by email limit ${limit}`;
  const cursorOf = ({ email }: { email: string }): string => encodeCursor(email);

  if (filter.search == null) {
    return readPage(db, page, sql<ListedUser>`${firstUsers(page.first + 1)}`, cursorOf);
  }
  const pattern = `%${escapeLike(normaliseEmail(filter.search))}%`;
  const rows = await readRows(
    db,
    sql<{ [K in keyof ListedUser]: ListedUser[K] | null } & Span>`
      with looked_at as materialized (${firstUsers(SEARCHED_USERS)})
      select found.*, span."lookedAt", span.last
      from (select count(*)::int as "lookedAt", max(email) as last from looked_at) as span
      left join (select * from looked_at where email like ${pattern} order by email limit ${page.first + 1}) as found
        on true
      order by found.email`,
  );
  // One row without a user only says how many were looked at.
  const users = rows.filter((row): row is ListedUser & Span => row.id !== null);
  const found = pageOf(users, page.first, cursorOf);
  const [{ lookedAt, last } = { lookedAt: 0, last: null }] = rows;
  if (found.hasNextPage || lookedAt < SEARCHED_USERS || last === null) return found;
  return { ...found, hasNextPage: true, endCursor: encodeCursor(last) };
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

const anyUserSql = statement('any_user', {}, { id: 'uuid' })`
  select id from users limit 1`;

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.run(anyUserSql, {})).length > 0;
}

export async function findUser({ db }: Deps<'db'>, id: string): Promise<ListedUser | undefined> {
  const [user] = isUuid(id) ? await db.admin.run(findUserSql, { id }) : [];
  return user;
}

const findUserIdSql = statement('find_user_id', { id: 'uuid?', email: 'text?' }, { id: 'uuid' })`
  select id from users where id = :id or email = :email`;

/** Finds the id of a user by id or e-mail. @throws {AdminRefusal} */
export async function userIdOf({ db }: Deps<'db'>, idOrEmail: string): Promise<string> {
  const named = isUuid(idOrEmail) ? { id: idOrEmail, email: null } : { id: null, email: normaliseEmail(idOrEmail) };
  const [user] = await db.admin.run(findUserIdSql, named);
  if (user === undefined) throw unknownUser();
  return user.id;
}

/** @throws {AdminRefusal} for an unknown user, or where the last active administrator would lose the role */
export function setUserRole(deps: Deps<'clock' | 'db'>, operator: Operator, id: string, role: Role): Promise<User> {
  return changeUser(deps, operator, setUserRole.needs, id, async (user, { em, scopes }) => {
    if (user.role === role) return undefined;
    if (role === 'admin') requireAllScopes(scopes);
    if (role !== 'admin') await keepAnAdministrator(em, user);
    const metadata = { from: user.role, to: role };
    user.role = role;
    return { eventType: 'user_role_changed', userId: id, metadata };
  });
}
setUserRole.needs = { scope: 'users:write' } satisfies Needs;

/**
 * Activates, or deactivates and ends every session of the user.
 * @throws {AdminRefusal} for an unknown user or the last active administrator
 */
export function setUserActive(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  id: string,
  active: boolean,
): Promise<User> {
  return changeUser(deps, operator, setUserActive.needs, id, async (user, { em, db, now }) => {
    if (user.isActive === active) return undefined;
    if (!active) await keepAnAdministrator(em, user);
    user.isActive = active;
    if (active) return { eventType: 'user_activated', userId: id, metadata: {} };
    const ended = await revokeAll(db, { userId: id }, 'user_deactivated', now);
    return { eventType: 'user_deactivated', userId: id, metadata: { sessions_ended: ended.length } };
  });
}
setUserActive.needs = { scope: 'users:write' } satisfies Needs;

/** Clears the lock and the count of failures. @throws {AdminRefusal} for an unknown user */
export function unlockUser(deps: Deps<'clock' | 'db'>, operator: Operator, id: string): Promise<User> {
  return changeUser(deps, operator, unlockUser.needs, id, async (user) => {
    if (user.lockedUntil === null && user.failedLoginAttempts === 0) return undefined;
    user.lockedUntil = null;
    user.failedLoginAttempts = 0;
    return { eventType: 'user_unlocked', userId: id, metadata: {} };
  });
}
unlockUser.needs = { scope: 'users:write' } satisfies Needs;

const setPasswordSql = statement('set_password', { id: 'uuid', password_hash: 'text' }, {})`
  update users
  set password_hash = :password_hash,
    password_version = password_version + 1 -- voids a login that has just verified the old one
  where id = :id`;

/**
 * Sets a password and ends every session of the user.
 * @throws {AdminRefusal} for an unknown user or a bad password
 */
export async function setUserPassword(
  deps: Deps<'clock' | 'db' | 'passwords'>,
  operator: Operator,
  id: string,
  password: string,
): Promise<User> {
  requireScope(await operator.scopesNow(deps.db.admin), setUserPassword.needs.scope); // before the work of hashing
  checkNewPassword(password);
  const passwordHash = await deps.passwords.hash(password);
  return changeUser(deps, operator, setUserPassword.needs, id, async (_user, { db, now }) => {
    await db.run(setPasswordSql, { id, password_hash: passwordHash });
    const ended = await revokeAll(db, { userId: id }, 'user_password_set', now);
    return { eventType: 'user_password_set', userId: id, metadata: { sessions_ended: ended.length } };
  });
}
setUserPassword.needs = { scope: 'users:write' } satisfies Needs;

/**
 * Locks the user's row, applies the change and writes its event; a change that changes nothing writes none. A login
 * in flight waits for the row, and then sees the change.
 */
function changeUser(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  needs: Needs,
  id: string,
  work: (user: User, change: Change) => Promise<ChangeEvent | undefined>,
): Promise<User> {
  return administer(deps, operator, needs, async (change) => {
    const { em, audit } = change;
    const user = isUuid(id) ? await em.findOne(User, id, { lockMode: LockMode.PESSIMISTIC_WRITE }) : null;
    if (user === null) throw unknownUser();
    if (user.role === 'admin') requireAllScopes(change.scopes);
    const event = await work(user, change);
    await em.flush();
    if (event !== undefined) await audit(event);
    return user;
  });
}

/**
 * An administrator has every scope: who lacks one can neither make an administrator nor become one, by changing the
 * password of one.
 */
function requireAllScopes(scopes: Scopes): void {
  if (scopes !== 'all')
    throw new AdminRefusal('every_scope_needed', 'Administrators are changed by those who hold every scope');
}

export function unknownUser(): AdminRefusal {
  return new AdminRefusal('user_unknown', 'There is no such user');
}

/** Nobody removes the last active administrator. */
async function keepAnAdministrator(em: SqlEntityManager, user: User): Promise<void> {
  if (user.role !== 'admin' || !user.isActive) return;
  const others = await em.count(User, { role: 'admin', isActive: true, id: { $ne: user.id } });
  if (others === 0) {
    throw new AdminRefusal('last_administrator', 'The last active administrator cannot be demoted or deactivated');
  }
}
