/** Finds and lists users. (Interface 9 and 11) */
import type { User } from '../db/entities/user.js';
import { columnsOf, type RawBuilder, type Reads, sql } from '../db/sql.js';
import { normaliseEmail } from '../domain/email.js';
import type { Role } from '../domain/roles.js';
import { checkedIds, type IdFilter } from '../listing/ids.js';
import { column, type OrderedPageRequest, type Orders, walkBy } from '../listing/keyset.js';
import { allOf, type Count, countRows, type Keyed, type Page, pageOf, readPage, readRows } from '../listing/page.js';
import { AdminRefusal } from '../listing/refusal.js';
import { isUuid } from '../platform/ids.js';
import type { Deps } from '../services.js';

/** A user without the password hash. */
export interface ListedUser
  extends Omit<User, 'passwordHash' | 'passwordVersion' | 'passwordChosenByUser' | 'hasFactors'> {
  isLocked: boolean;
}

const STORED = [
  'id',
  'email',
  'role',
  'isActive',
  'failedLoginAttempts',
  'lockedUntil',
  'lastLoginAt',
  'createdAt',
] satisfies Array<keyof ListedUser>;

const COLUMNS = columnsOf(STORED, 'users');

/** Select list of a `ListedUser`. */
function columns(now: Date): RawBuilder<unknown> {
  return sql`${COLUMNS}, password_hash is not null as "hasPassword",
    coalesce(locked_until > ${now}, false) as "isLocked"`;
}

export interface UserFilter extends IdFilter {
  /** Part of the e-mail */
  search?: string | null | undefined;
  role?: Role | null | undefined;
  isActive?: boolean | null | undefined;
  /** Locked by failed logins at present */
  isLocked?: boolean | null | undefined;
  hasPassword?: boolean | null | undefined;
}

export type UserOrder = 'email' | 'created_at' | 'last_login_at';

/** Number of users that a search reads for one page or a count: no index helps to find a part of an e-mail. */
const SEARCHED_USERS = 10_000;

const ID = column('id', 'uuid');

/**
 * There is no index of `last_login_at`: each login would have to update it. So a page in this order reads every user that
 * the filter leaves, and sorts.
 */
const ORDERS: Orders<UserOrder> = {
  email: { columns: [column('email', 'text')], direction: 'asc' },
  created_at: { columns: [column('created_at', 'timestamptz'), ID], direction: 'desc', name: 'created_at' },
  last_login_at: {
    columns: [column('last_login_at', 'timestamptz', true), ID],
    direction: 'desc',
    name: 'last_login_at',
  },
};

interface Span {
  lookedAt: number;
  last: string[] | null;
}

/**
 * A page of users. A search may return fewer users than requested, or none, although there is a next page: it stops after
 * `SEARCHED_USERS`, and the next page continues there.
 * @throws {AdminRefusal} for an invalid page, too many ids, or if reading takes too long
 */
export async function findUsers(
  { clock, db }: Deps<'clock' | 'db'>,
  filter: UserFilter,
  page: OrderedPageRequest<UserOrder>,
): Promise<Page<ListedUser>> {
  const walk = walkBy(ORDERS, 'email', page);
  const now = clock.now();
  const conditions = allOf(walk.beyond(), matches(filter, now));
  const firstUsers = (columns: RawBuilder<unknown>, limit: number) => sql`
    select ${columns} from users where ${conditions} order by ${walk.rows()} limit ${limit}`;
  const keyed = sql`${columns(now)}, ${walk.key} as key`;

  if (filter.search == null) {
    return readPage(db, walk, sql<ListedUser & Keyed>`${firstUsers(keyed, walk.limit)}`);
  }
  const rows = await readRows(
    db,
    sql<{ [K in keyof (ListedUser & Keyed)]: (ListedUser & Keyed)[K] | null } & Span>`
      with looked_at as materialized (
        ${firstUsers(sql`${columns(now)}, created_at, last_login_at`, SEARCHED_USERS)}
      )
      select found.*, span."lookedAt", span.last
      from (
        select count(*)::int as "lookedAt",
          (select ${walk.key} from looked_at order by ${walk.reversed} limit 1) as last
        from looked_at
      ) as span
      left join (
        select *, ${walk.key} as key from looked_at where ${isFound(filter.search)}
        order by ${walk.rows()} limit ${walk.limit}
      ) as found on true
      order by ${walk.rows()}`,
  );
  // A row without a user has only the number of users read.
  const users = rows.filter((row): row is ListedUser & Keyed & Span => row.id !== null);
  const [{ lookedAt, last } = { lookedAt: 0, last: null }] = rows;
  return pageOf(walk, users, (user) => user, lookedAt < SEARCHED_USERS ? null : last);
}

/**
 * Number of users that match a filter. A search counts among the first `SEARCHED_USERS` by e-mail.
 * @throws {AdminRefusal} for too many ids, or if counting takes too long
 */
export async function countUsers({ clock, db }: Deps<'clock' | 'db'>, filter: UserFilter): Promise<Count> {
  const conditions = matches(filter, clock.now());
  if (filter.search == null) return countRows(db, sql`select from users where ${conditions} order by email`);
  const [{ count, isMore } = { count: 0, isMore: false }] = await readRows(
    db,
    sql<{ count: number; isMore: boolean }>`
      select count(*) filter (where place <= ${SEARCHED_USERS} and ${isFound(filter.search)})::int as count,
        coalesce(max(place) > ${SEARCHED_USERS}, false) as "isMore"
      from (
        select email, row_number() over (order by email) as place from users where ${conditions}
        order by email limit ${SEARCHED_USERS + 1}
      ) as looked_at`,
  );
  return { count, precision: isMore ? 'at_least' : 'exact' };
}

/** The filter without its search. @throws {AdminRefusal} */
export function matches({ ids, role, isActive, isLocked, hasPassword }: UserFilter, now: Date): RawBuilder<unknown> {
  const locked = sql`locked_until > ${now}`;
  const unlocked = sql`(locked_until is null or locked_until <= ${now})`;
  return allOf(
    ids != null && sql`id = any(${checkedIds(ids).filter(isUuid)}::uuid[])`,
    role != null && sql`role = ${role}`,
    isActive != null && sql`is_active = ${isActive}`,
    isLocked != null && (isLocked ? locked : unlocked),
    hasPassword != null && (hasPassword ? sql`password_hash is not null` : sql`password_hash is null`),
  );
}

export function isFound(search: string): RawBuilder<unknown> {
  const escaped = normaliseEmail(search).replace(/[\\%_]/g, '\\$&');
  return sql`email like ${`%${escaped}%`}`;
}

/** Interface 1: created by the first start on an empty embedded database */
export const FIRST_ADMINISTRATOR = 'admin@example.com';

export async function hasUsers(db: Reads): Promise<boolean> {
  return (await db.read(sql`select from users limit 1`)).length > 0;
}

export async function findUser(deps: Deps<'clock' | 'db'>, id: string): Promise<ListedUser | undefined> {
  return isUuid(id) ? (await usersById(deps, [id])).get(id.toLowerCase()) : undefined;
}

/** @throws {AdminRefusal} */
export async function existingUser(db: Reads, id: string, now: Date): Promise<ListedUser> {
  const [user] = await db.read(sql<ListedUser>`select ${columns(now)} from users where id = ${id}`);
  if (user === undefined) throw unknownUser();
  return user;
}

/** Null if there is none, or no such user. */
export async function passwordHashOf(db: Reads, id: string): Promise<string | null> {
  const [user] = await db.read(sql<{ hash: string | null }>`select password_hash as hash from users where id = ${id}`);
  return user?.hash ?? null;
}

/** Finds the id of a user by id or e-mail. @throws {AdminRefusal} */
export async function userIdOf(deps: Deps<'db'>, idOrEmail: string): Promise<string> {
  const id = await findUserId(deps, idOrEmail);
  if (id === undefined) throw unknownUser();
  return id;
}

export async function findUserId({ db }: Deps<'db'>, idOrEmail: string): Promise<string | undefined> {
  const named = isUuid(idOrEmail) ? sql`id = ${idOrEmail}` : sql`email = ${normaliseEmail(idOrEmail)}`;
  const [user] = await db.admin.read(sql<{ id: string }>`select id from users where ${named}`);
  return user?.id;
}

export function unknownUser(): AdminRefusal {
  return new AdminRefusal('user_unknown', 'There is no such user');
}

/** The existing users, by ID. */
export function usersById(
  { clock, db }: Deps<'clock' | 'db'>,
  ids: readonly string[],
): Promise<Map<string, ListedUser>> {
  return existingUsers(db.admin, ids, clock.now());
}

export async function existingUsers(db: Reads, ids: readonly string[], now: Date): Promise<Map<string, ListedUser>> {
  const users = await db.read(sql<ListedUser>`
    select ${columns(now)} from users where id = any (${[...new Set(ids)]}::uuid[])`);
  return new Map(users.map((user) => [user.id, user]));
}

/** SQL: the events by which a user got another e-mail */
export const EMAIL_CHANGES = sql`('user_email_changed', 'email_changed', 'email_change_undone')`;

/** Number of changes of e-mails, the newest, among which an earlier e-mail is found: no index has it. */
const RENAMES = 1_000;

/** The users who have the e-mails now, or else had them last, as far as the audit log knows them; by e-mail. */
export async function usersByEmail(
  { clock, db }: Deps<'clock' | 'db'>,
  emails: readonly string[],
): Promise<Map<string, ListedUser>> {
  const asked = [...new Set(emails)];
  const users = await db.admin.read(sql<ListedUser & { asked: string }>`
    with renamed as materialized (
      select user_id, metadata ->> 'from' as email, created_at from audit_events
      where event_type in ${EMAIL_CHANGES} order by created_at desc, id desc limit ${RENAMES}
    )
    select distinct on (asked) asked, ${columns(clock.now())} from (
      select email as asked, id as user_id, 'infinity' as until from users where email = any (${asked})
      union all
      select email, user_id, created_at from renamed where email = any (${asked})
    ) as holders join users on users.id = holders.user_id order by asked, until desc`);
  return new Map(users.map(({ asked, ...user }) => [asked, user]));
}

/** The e-mail as one word of a shell, or the ID if the e-mail has special characters. */
export function wordFor({ email, id }: Pick<ListedUser, 'email' | 'id'>): string {
  return /^[\w.@+-]+$/.test(email) ? email : id;
}
