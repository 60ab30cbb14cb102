/** Interface 15: all that is stored about a person, also one who is deleted as a user. */
import { OPERATOR_EVENT_TYPES } from '../audit/events.js';
import { type Fields, only, type RowOf, statement, type ValuesOf } from '../db/statement.js';
import type { LinkPurpose } from '../domain/link-purpose.js';
import type { Role } from '../domain/roles.js';
import { isUuid } from '../platform/ids.js';
import type { Deps } from '../services.js';
import { findUserId, unknownUser } from './users.js';

/** The ID of a user, or of a deleted one if it is given itself. @throws {AdminRefusal} for an e-mail that no user has */
export async function personIdOf(deps: Deps<'db'>, idOrEmail: string): Promise<string> {
  if (isUuid(idOrEmail)) return idOrEmail.toLowerCase();
  const id = await findUserId(deps, idOrEmail);
  if (id === undefined) throw unknownUser();
  return id;
}

/** Present and former e-mails, without those that another user has now. */
export const emailsOfPersonSql = statement('emails_of_person', { id: 'uuid' }, { email: 'text' })`
  select own.email
  from (
    select email from users where id = :id
    union
    select named.email
    from audit_events, lateral (values
      (metadata ->> 'email'),
      (case when event_type = 'user_email_changed' then metadata ->> 'from' end),
      (case when event_type = 'user_email_changed' then metadata ->> 'to' end)
    ) as named (email)
    where user_id = :id and named.email like '%@%' -- a pseudonym has none
  ) as own
  where not exists (select from users where users.email = own.email and users.id <> :id)
  order by own.email`;

const accountSql = statement(
  'account_of_person',
  { id: 'uuid' },
  {
    id: 'uuid',
    email: 'text',
    role: only<Role>('text'),
    is_active: 'boolean',
    has_password: 'boolean',
    password_hash_kind: 'text?',
    password_chosen_by_user: 'boolean',
    password_version: 'integer',
    failed_login_attempts: 'integer',
    locked_until: 'timestamptz?',
    last_login_at: 'timestamptz?',
    created_at: 'timestamptz',
  },
)`
  select id, email, role, is_active, password_hash is not null as has_password,
    substring(password_hash from '^[$]?([A-Za-z0-9_-]+)[$]') as password_hash_kind, password_chosen_by_user,
    password_version, failed_login_attempts, locked_until, last_login_at, created_at
  from users where id = :id`;

const linkSql = statement(
  'link_of_person',
  { id: 'uuid' },
  { purpose: only<LinkPurpose>('text'), expires_at: 'timestamptz' },
)`
  select purpose, expires_at from password_links where user_id = :id`;

const requestedLinkSql = statement('requested_link_of_person', { id: 'uuid' }, { expires_at: 'timestamptz' })`
  select expires_at from requested_links where user_id = :id`;

const devicesSql = statement(
  'devices_of_person',
  { id: 'uuid' },
  {
    id: 'uuid',
    user_agent: 'text',
    failed_login_attempts: 'integer',
    locked_until: 'timestamptz?',
    created_at: 'timestamptz',
    last_used_at: 'timestamptz',
  },
)`
  select id, user_agent, failed_login_attempts, locked_until, created_at, last_used_at from known_devices
  where user_id = :id order by created_at, id`;

const sessionsSql = statement('sessions_of_person', { id: 'uuid' }, { family_id: 'uuid', started_at: 'timestamptz' })`
  select family_id, started_at from sessions where user_id = :id order by started_at, family_id`;

const recordsSql = statement(
  'records_of_session',
  { family_id: 'uuid' },
  {
    jti: 'uuid',
    user_agent: 'text',
    ip_address: 'text',
    created_at: 'timestamptz',
    expires_at: 'timestamptz',
    revoked: 'boolean',
    revoked_reason: 'text?',
    revoked_at: 'timestamptz?',
    predecessor_jti: 'uuid?',
    retries: 'integer?',
    retried_at: 'timestamptz?',
    retried_ip_address: 'text?',
    retried_user_agent: 'text?',
    device_id: 'uuid?',
  },
)`
  select jti, user_agent, ip_address, created_at, expires_at, revoked, revoked_reason, revoked_at, predecessor_jti,
    retries, retried_at, retried_ip_address, retried_user_agent, device_id
  from refresh_tokens where family_id = :family_id order by created_at, jti`;

const PAGE_ROWS = 1_000;

/** Events by time, read page by page from one index. @param where SQL of a condition that the index serves */
function eventsPage<const Whose extends Fields>(name: string, whose: Whose, where: string) {
  return statement(
    name,
    { ...whose, time: 'text', after: 'uuid' },
    {
      id: 'uuid',
      event_type: 'text',
      entity_type: 'text',
      user_id: 'uuid?',
      ip_address: 'text',
      user_agent: 'text?',
      metadata: 'jsonb',
      created_at: 'timestamptz',
      exactly: 'text',
    },
  )`
    select id, event_type, entity_type, user_id, ip_address, user_agent, metadata, created_at, created_at::text as exactly
    from audit_events where ${where} and (created_at, id) > (:time::timestamptz, :after)
    order by created_at, id limit ${PAGE_ROWS}`;
}

const aboutSql = eventsPage('events_about_person', { id: 'uuid' }, 'user_id = :id');
/** By event type, because administrative events are few. */
const byOperatorSql = eventsPage(
  'events_by_person',
  { id: 'uuid', type: 'text' },
  `event_type = :type and metadata -> 'actor' ->> 'sub' = :id::text and user_id is distinct from :id`,
);
const failedSql = eventsPage(
  'failed_logins_of_person',
  { email: 'text' },
  `metadata ->> 'email' = :email and user_id is null`,
);

type EventsPage = typeof aboutSql;
type StoredEvent = Omit<RowOf<EventsPage>, 'exactly'>;

/** Everything but secrets and their hashes. Lists are read while they are consumed, in pages. */
export interface Person {
  user: RowOf<typeof accountSql> | null;
  /** Present and former ones, as far as the audit log has them */
  emails: string[];
  passwordLink: RowOf<typeof linkSql> | null;
  /** That the person has asked for */
  requestedLink: RowOf<typeof requestedLinkSql> | null;
  knownDevices: Array<RowOf<typeof devicesSql>>;
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
  const { admin } = db;
  const [[user = null], [passwordLink = null], [requestedLink = null], knownDevices, sessions, named, first] = [
    await admin.run(accountSql, { id }),
    await admin.run(linkSql, { id }),
    await admin.run(requestedLinkSql, { id }),
    await admin.run(devicesSql, { id }),
    await admin.run(sessionsSql, { id }),
    await admin.run(emailsOfPersonSql, { id }),
    await admin.run(aboutSql, { id, ...BEGINNING }),
  ];
  if (user === null && sessions.length === 0 && first.length === 0) throw unknownUser();
  const emails = named.map(({ email }) => email);
  return {
    user,
    emails,
    passwordLink,
    requestedLink,
    knownDevices,
    sessions: withRecords(db, sessions),
    events: pagesOf(db, aboutSql, [{ id }]),
    eventsAsOperator: pagesOf(
      db,
      byOperatorSql,
      OPERATOR_EVENT_TYPES.map((type) => ({ id, type })),
    ),
    failedLogins: pagesOf(
      db,
      failedSql,
      emails.map((email) => ({ email })),
    ),
  };
}

async function* withRecords({ admin }: Deps<'db'>['db'], sessions: Array<RowOf<typeof sessionsSql>>) {
  for (const session of sessions) {
    const { family_id } = session;
    yield [{ ...session, refresh_tokens: await admin.run(recordsSql, { family_id }) }];
  }
}

const BEGINNING = { time: '-infinity', after: '00000000-0000-0000-0000-000000000000' };

/** @param asked values of the statement, one after the other */
async function* pagesOf<Whose extends Fields>(
  { admin }: Deps<'db'>['db'],
  page: ReturnType<typeof eventsPage<Whose>>,
  asked: Array<ValuesOf<Whose>>,
): AsyncGenerator<StoredEvent[]> {
  for (const whose of asked) {
    for (let place = BEGINNING; ; ) {
      const values = { ...whose, ...place } as Parameters<typeof admin.run<typeof page.parameters, typeof page.row>>[1];
      const rows = await admin.run(page, values);
      if (rows.length > 0) yield rows.map(({ exactly: _, ...event }) => event);
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_ROWS) break;
      place = { time: last.exactly, after: last.id };
    }
  }
}
