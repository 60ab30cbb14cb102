/** Reads all that is stored about a person, also one who is deleted as a user. (Interface 15) */
import type { EntityName, FilterQuery, QueryOrderMap } from '@mikro-orm/postgresql';
import { OPERATOR_EVENT_TYPES } from '../audit/events.js';
import { columnOf, type RawBuilder, type Reads, sql } from '../db/sql.js';
import { isUuid } from '../platform/ids.js';
import type { Deps } from '../services.js';
import { countRecoveryCodes } from './factors.js';
import { EMAIL_CHANGES, findUserId, unknownUser } from './users.js';

/** The ID of a user, or of a deleted one if it is given itself. @throws {AdminRefusal} for an e-mail that no user has */
export async function personIdOf(deps: Deps<'db'>, idOrEmail: string): Promise<string> {
  if (isUuid(idOrEmail)) return idOrEmail.toLowerCase();
  const id = await findUserId(deps, idOrEmail);
  if (id === undefined) throw unknownUser();
  return id;
}

/** Present and former e-mails, without those that another user has now. */
export async function emailsOfPerson(db: Reads, id: string): Promise<string[]> {
  const found = await db.read(sql<{ email: string }>`
    select own.email
    from (
      select email from users where id = ${id}
      union
      select named.email
      from audit_events, lateral (values
        (metadata ->> 'email'),
        (case when event_type in ${EMAIL_CHANGES} then metadata ->> 'from' end),
        (case when event_type in ${EMAIL_CHANGES} then metadata ->> 'to' end)
      ) as named (email)
      where user_id = ${id} and named.email like '%@%' -- a pseudonym has none
    ) as own
    where not exists (select from users where users.email = own.email and users.id <> ${id})
    order by own.email`);
  return found.map(({ email }) => email);
}

const ACCOUNT = sql`
  id, email, role, is_active, password_hash is not null as has_password,
  substring(password_hash from '^[$]?([A-Za-z0-9_-]+)[$]') as password_hash_kind, password_chosen_by_user,
  password_version, failed_login_attempts, locked_until, last_login_at, created_at`;

const PAGE_ROWS = 1_000;

interface StoredEvent {
  id: string;
  created_at: Date;
}

/** Everything but secrets and their hashes, under the names of the columns. Lists are read while they are consumed, in pages. */
export interface Person {
  user: object | null;
  /** Present and former ones, as far as the audit log has them */
  emails: string[];
  passwordLink: object | null;
  /** That the person has asked for */
  requestedLink: object | null;
  /** That the person has begun */
  emailChange: object | null;
  /** Former e-mails that can take a change back */
  emailUndos: object[];
  knownDevices: object[];
  factors: object[];
  /** Number of unused ones */
  recoveryCodes: number;
  /** Each with its `refresh_tokens` */
  sessions: AsyncIterable<object[]>;
  /** Events about the user */
  events: AsyncIterable<StoredEvent[]>;
  /** Changes that the person made to others as an administrator */
  eventsAsOperator: AsyncIterable<StoredEvent[]>;
  /** Failed logins with an e-mail of the person that no active user had at that time */
  failedLogins: AsyncIterable<StoredEvent[]>;
}

/** @param id also of a deleted user @throws {AdminRefusal} if nothing is stored about them */
export async function readPerson({ db }: Deps<'db'>, id: string): Promise<Person> {
  const { em, entities } = await db.manager();
  const { EmailChange, EmailUndo, Factor, KnownDevice, PasswordLink, RefreshToken, RequestedLink, Session } = entities;
  /** These properties of the rows, under the names of their columns. */
  async function stored<Entity extends object>(
    entity: EntityName<Entity>,
    where: Partial<Entity>,
    properties: ReadonlyArray<keyof Entity & string>,
    orderBy: QueryOrderMap<Entity> = {},
  ): Promise<Array<Record<string, unknown>>> {
    const rows = await em.find(entity, where as FilterQuery<NoInfer<Entity>>, {
      fields: properties as never[],
      orderBy,
      disableIdentityMap: true,
    });
    return rows.map((row) =>
      Object.fromEntries(properties.map((property) => [columnOf(property), (row as Entity)[property]])),
    );
  }
  async function* withRecords(sessions: Array<Record<string, unknown>>) {
    for (const session of sessions) {
      const records = await stored(RefreshToken, { familyId: session['family_id'] as string }, OF_RECORD, {
        createdAt: 'asc',
        jti: 'asc',
      });
      yield [{ ...session, refresh_tokens: records }];
    }
  }

  const [user = null] = await db.admin.read(sql<object>`select ${ACCOUNT} from users where id = ${id}`);
  const sessions = await stored(Session, { userId: id }, ['familyId', 'startedAt'], {
    startedAt: 'asc',
    familyId: 'asc',
  });
  const about = sql`user_id = ${id}`;
  const first = await eventsAfter(db.admin, about, BEGINNING);
  if (user === null && sessions.length === 0 && first.length === 0) throw unknownUser();
  const [passwordLink = null] = await stored(PasswordLink, { userId: id }, ['purpose', 'expiresAt']);
  const [requestedLink = null] = await stored(RequestedLink, { userId: id }, ['expiresAt']);
  const [emailChange = null] = await stored(EmailChange, { userId: id }, ['email', 'expiresAt']);
  const emails = await emailsOfPerson(db.admin, id);
  return {
    user,
    emails,
    passwordLink,
    requestedLink,
    emailChange,
    emailUndos: await stored(EmailUndo, { userId: id }, ['email', 'expiresAt'], { id: 'asc' }),
    knownDevices: await stored(KnownDevice, { userId: id }, OF_DEVICE, { createdAt: 'asc', id: 'asc' }),
    factors: await stored(Factor, { userId: id }, OF_FACTOR, { createdAt: 'asc', id: 'asc' }),
    recoveryCodes: (await countRecoveryCodes(db.admin, [id])).get(id) ?? 0,
    sessions: withRecords(sessions),
    events: pagesOf(db.admin, [about]),
    eventsAsOperator: pagesOf(
      db.admin,
      // By event type, because administrative events are few.
      OPERATOR_EVENT_TYPES.map(
        (type) =>
          sql`event_type = ${type} and metadata -> 'actor' ->> 'sub' = ${id} and user_id is distinct from ${id}::uuid`,
      ),
    ),
    failedLogins: pagesOf(
      db.admin,
      emails.map((email) => sql`metadata ->> 'email' = ${email} and user_id is null`),
    ),
  };
}

const OF_DEVICE = ['id', 'userAgent', 'failedLoginAttempts', 'lockedUntil', 'createdAt', 'lastUsedAt'] as const;
const OF_FACTOR = ['id', 'kind', 'name', 'createdAt', 'lastUsedAt'] as const;
const OF_RECORD = [
  'jti',
  'userAgent',
  'ipAddress',
  'createdAt',
  'expiresAt',
  'revoked',
  'revokedReason',
  'revokedAt',
  'predecessorJti',
  'retries',
  'retriedAt',
  'retriedIpAddress',
  'retriedUserAgent',
  'deviceId',
  'amr',
  'provedAt',
] as const;

const BEGINNING = { exactly: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/** Events by time, one page from one index. @param where a condition that the index serves */
function eventsAfter(
  db: Reads,
  where: RawBuilder<unknown>,
  { exactly, id }: typeof BEGINNING,
): Promise<Array<StoredEvent & { exactly: string }>> {
  return db.read(sql`
    select id, event_type, entity_type, user_id, ip_address, user_agent, metadata, created_at, created_at::text as exactly
    from audit_events where ${where} and (created_at, id) > (${exactly}::timestamptz, ${id}::uuid)
    order by created_at, id limit ${PAGE_ROWS}`);
}

/** @param conditions of the events, one after the other */
async function* pagesOf(db: Reads, conditions: Array<RawBuilder<unknown>>): AsyncGenerator<StoredEvent[]> {
  for (const where of conditions) {
    let last: typeof BEGINNING | undefined = BEGINNING;
    while (last !== undefined) {
      const rows: Array<StoredEvent & { exactly: string }> = await eventsAfter(db, where, last);
      if (rows.length > 0) yield rows.map(({ exactly: _, ...event }) => event);
      last = rows.length < PAGE_ROWS ? undefined : rows.at(-1);
    }
  }
}
