/** The audit log. (Interface 11) */
import type { Database } from '../db/database.js';
import { type RawBuilder, sql } from '../db/sql.js';
import { statement } from '../db/statement.js';
import { normaliseEmail } from '../domain/email.js';
import { column, type OrderedPageRequest, type Orders, type Walk, walkBy } from '../listing/keyset.js';
import { allOf, type Count, countRows, type Keyed, MAX_COUNTED, type Page, readPage } from '../listing/page.js';
import { isUuid } from '../platform/ids.js';
import type { EventType } from './events.js';
import { about, madeBy, ofSession } from './lookups.js';

export interface AuditEventFilter {
  eventTypes?: EventType[] | null | undefined;
  /** `token_theft` events that are thefts; if false, those with `ended_by`, which are none (Interface 5) */
  isTheft?: boolean | null | undefined;
  userId?: string | null | undefined;
  ipAddress?: string | null | undefined;
  /** Events of the user with this e-mail, and failed logins that named it */
  email?: string | null | undefined;
  /** Events that this user or key has made */
  actorId?: string | null | undefined;
  /** Events about this user, key or webhook */
  entityId?: string | null | undefined;
  /** Events of this session */
  sessionId?: string | null | undefined;
  /** Inclusive */
  since?: Date | null | undefined;
  /** Exclusive */
  until?: Date | null | undefined;
  /** Number of a transaction: only events of this one and later ones */
  fromTransaction?: string | undefined;
}

export interface AuditRow {
  id: string;
  eventType: string;
  entityType: string;
  userId: string | null;
  ipAddress: string;
  userAgent: string | null;
  metadata: Record<string, unknown>;
  createdAt: Date;
}

export type AuditOrder = 'created_at';

const ORDERS: Orders<AuditOrder> = {
  created_at: { columns: [column('created_at', 'timestamptz'), column('id', 'uuid')], direction: 'desc' },
};

/**
 * A page of the log, newest first unless asked otherwise. If a filter allows several values, each value is read by its index
 * and cut to the page size before the results are merged, so that the listing never reads much more than it shows.
 * @throws {AdminRefusal} for an invalid page, or if reading takes too long
 */
export async function listAuditEvents(
  { db }: { db: Database },
  filter: AuditEventFilter,
  page: OrderedPageRequest<AuditOrder>,
): Promise<Page<AuditRow>> {
  const walk = auditWalk(page);
  return readPage(db, walk, await auditEventsQuery(db, filter, walk));
}

/** @throws {AdminRefusal} for an invalid page */
export const auditWalk = (page: OrderedPageRequest<AuditOrder>): Walk => walkBy(ORDERS, 'created_at', page);

/** The statement of `listAuditEvents`, exported so that tests can see its plan. */
export async function auditEventsQuery(
  db: Database,
  filter: AuditEventFilter,
  walk: Walk,
): Promise<RawBuilder<AuditRow & Keyed>> {
  const rows = sql`order by ${walk.rows()} limit ${walk.limit}`;
  const conditions = await conditionsOf(db, filter, walk);
  return sql<AuditRow & Keyed>`
    select id, event_type as "eventType", entity_type as "entityType", user_id as "userId",
      ip_address as "ipAddress", user_agent as "userAgent", metadata, created_at as "createdAt", ${walk.key} as key
    from (${unionOf(conditions, (where) => sql`select * from audit_events where ${where} ${rows}`)}) as events ${rows}`;
}

/** @throws {AdminRefusal} if counting takes too long */
export async function countAuditEvents({ db }: { db: Database }, filter: AuditEventFilter): Promise<Count> {
  return countRows(db, await countedEventsQuery(db, filter));
}

/** The rows that `countAuditEvents` counts; each branch reads at most `MAX_COUNTED` + 1 of its index. */
export async function countedEventsQuery(db: Database, filter: AuditEventFilter): Promise<RawBuilder<unknown>> {
  const newest = sql`order by created_at desc, id desc limit ${MAX_COUNTED + 1}`;
  const conditions = await conditionsOf(db, filter);
  const counted = unionOf(conditions, (where) => sql`select from audit_events where ${where} ${newest}`);
  return sql`select from (${counted}) as events`;
}

/** @param conditions mutually exclusive, so that `union all` has no duplicates */
export function unionOf(
  conditions: Array<RawBuilder<unknown>>,
  select: (where: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql.join(
    conditions.map((where) => sql`(${select(where)})`),
    sql` union all `,
  );
}

/** A filter as mutually exclusive conditions, each served by one index. */
export async function conditionsOf(
  db: Database,
  filter: AuditEventFilter,
  walk?: Walk,
): Promise<Array<RawBuilder<unknown>>> {
  const { isTheft, userId, ipAddress, email, actorId, entityId, sessionId, fromTransaction } = filter;
  const eventTypes = isTheft == null ? filter.eventTypes : withinThefts(filter.eventTypes);
  const inEach = allOf(
    isTheft != null && (isTheft ? sql`metadata ->> 'ended_by' is null` : sql`metadata ->> 'ended_by' is not null`),
    userId != null && (isUuid(userId) ? sql`user_id = ${userId}` : sql`false`),
    ipAddress != null && sql`ip_address = ${ipAddress}`,
    actorId != null && madeBy(actorId),
    fromTransaction !== undefined && sql`age(xmin) <= age(${fromTransaction}::text::xid)`, // transaction numbers wrap around
    ...spanOf(filter, walk),
  );
  const types = eventTypes == null ? [sql`true`] : [...new Set(eventTypes)].map((type) => sql`event_type = ${type}`);
  const people = email == null ? [sql`true`] : await concerning(db, email);
  const entities = entityId == null ? [sql`true`] : about(entityId);
  const sessions = sessionId == null ? [sql`true`] : await ofSession(db, sessionId);
  const conditions = [people, entities, sessions, [inEach]].reduce(both, types);
  return conditions.length > 0 ? conditions : [sql`false`];
}

/** The index of the types finds thefts: few events are of their type. */
function withinThefts(eventTypes: AuditEventFilter['eventTypes']): EventType[] {
  return eventTypes == null || eventTypes.includes('token_theft') ? ['token_theft'] : [];
}

/** Each condition of one list together with each of the other. */
function both(some: Array<RawBuilder<unknown>>, others: Array<RawBuilder<unknown>>): Array<RawBuilder<unknown>> {
  return some.flatMap((one) => others.map((other) => sql`${one} and ${other}`));
}

/**
 * The span of time, and the rows after the cursor. At the end where the walk begins only the stricter of the two stands: with
 * both PostgreSQL might start its index scan at the other one and skip every entry in between.
 */
function spanOf({ since, until }: AuditEventFilter, walk: Walk | undefined): Parameters<typeof allOf> {
  const isDescending = walk?.isDescending ?? false;
  const begin = isDescending ? until : since;
  const [exactly] = walk?.from ?? [];
  const cursor = exactly === undefined ? undefined : new Date(exactly); // to the millisecond, as both ends are
  const isCursorStricter = cursor !== undefined && (begin == null || (isDescending ? cursor < begin : cursor >= begin));
  return [
    since != null && (isDescending || !isCursorStricter) && sql`created_at >= ${since}`,
    until != null && !(isDescending && isCursorStricter) && sql`created_at < ${until}`,
    isCursorStricter && walk?.beyond(),
  ];
}

const oldestTransactionSql = statement('oldest_transaction', {}, { id: 'text' })`
  select pg_snapshot_xmin(pg_current_snapshot())::xid::text as id`;

/**
 * The number of the oldest running transaction, or of the next one if none is running. Every later commit has this
 * number or a higher one; few earlier commits have.
 */
export async function oldestTransaction({ db }: { db: Database }): Promise<string> {
  const [{ id } = { id: '0' }] = await db.admin.run(oldestTransactionSql, {});
  return id;
}

const idOfEmailSql = statement('id_of_email', { email: 'text' }, { id: 'uuid' })`
  select id from users where email = :email`;

/** Failed logins with this e-mail, and all other events of its user; mutually exclusive. */
async function concerning(db: Database, email: string): Promise<Array<RawBuilder<unknown>>> {
  const normalised = normaliseEmail(email);
  const named = sql`metadata ->> 'email' = ${normalised}`;
  const [user] = await db.admin.run(idOfEmailSql, { email: normalised });
  if (user === undefined) return [named];
  return [named, sql`user_id = ${user.id} and metadata ->> 'email' is distinct from ${normalised}`];
}
