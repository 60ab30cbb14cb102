/** Deletes a user and puts a pseudonym in the place of what names the person in tables that stay. (Interface 15) */
import { OPERATOR_EVENT_TYPES } from '../audit/events.js';
import { lockSession, type SessionGone, type Stale, staleness } from '../auth/factors/fresh.js';
import { endFactors } from '../auth/factors/rows.js';
import { endLinks } from '../auth/password-links.js';
import { eraseOrigins } from '../auth/sessions.js';
import type { AccessClaims } from '../credentials/tokens/jwt.js';
import { sql } from '../db/sql.js';
import { type Db, statement } from '../db/statement.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import { isUuid, randomBase62 } from '../platform/ids.js';
import { refused } from '../platform/refused.js';
import type { Deps } from '../services.js';
import { administer, type Change, type Needs, type Operator } from './administer.js';
import { emailsOfPerson } from './person.js';
import { lockUser, removeUser } from './user-changes.js';
import { unknownUser } from './users.js';

export interface Erasure {
  /** The same in all rows of the person; nothing leads from it to the person */
  pseudonym: string;
  /** Number of audit events that were changed */
  events: number;
}

/**
 * Deletes the user, unless that is done, and replaces their e-mails, addresses and user agents in the audit log and in
 * records of sessions. No row is removed, and ids, times and order stay.
 * @param id also of a deleted user, of whom something may be left
 * @throws {AdminRefusal} for an unknown person or the last administrator who can log in
 */
export function eraseUser(deps: Deps<'clock' | 'db'>, operator: Operator, id: string): Promise<Erasure> {
  return administer(deps, operator, eraseUser.needs, (change) => erase(change, id));
}
eraseUser.needs = { scope: 'users:write' } satisfies Needs;

/**
 * The same for the caller's own account, whatever their scopes. (Interface 21)
 * @returns a refusal if the session has ended, or has not proved its user recently
 * @throws {AdminRefusal} for the last administrator who can log in
 */
export function eraseOwnAccount(
  deps: Deps<'clock' | 'db'>,
  claims: AccessClaims,
  origin: RequestOrigin,
): Promise<Erasure | Stale | SessionGone> {
  deps.clock.requireSynced();
  const { sub } = claims;
  const owner: Operator = { actor: { caller_type: 'user', sub }, origin, standing: async () => ({ scopes: 'all' }) };
  return administer(deps, owner, undefined, async (change) => {
    const session = await lockSession(change.db, claims, change.now);
    if (session === undefined) return refused('user_gone');
    return staleness(session, change.now) ?? erase(change, sub);
  });
}

async function erase(change: Change, id: string): Promise<Erasure> {
  const { db, em, audit } = change;
  if (!isUuid(id)) throw unknownUser();
  const user = await lockUser(change, id);
  const emails = await emailsOfPerson(db, id);
  if (user !== null) {
    const deleted = await removeUser(user, change);
    await em.flush();
    await audit(deleted);
  }
  const [earlier] = await db.read(sql<{ pseudonym: string }>`
    select metadata ->> 'pseudonym' as pseudonym from audit_events
    where user_id = ${id} and event_type = 'user_erased' limit 1`); // an erasure that is repeated goes on with it
  const pseudonym = earlier?.pseudonym ?? `erased-${randomBase62(PSEUDONYM_LENGTH)}`;
  const events = await replaceInEvents(db, { id, pseudonym }, emails);
  const records = await eraseOrigins(db, id, pseudonym);
  if (user === null) {
    // an older version that deleted them has left these
    await endFactors(db, id);
    await endLinks(db, id);
  }
  const isChanged = user !== null || events + records > 0;
  if (!isChanged && earlier === undefined) throw unknownUser();
  if (isChanged) await audit({ eventType: 'user_erased', userId: id, metadata: { pseudonym, events } });
  await db.run(eraseEventsSql, { id, pseudonym }); // this event too, if they have erased themselves
  return { pseudonym, events };
}

/** 119 bits, so that no two persons share one. */
const PSEUDONYM_LENGTH = 20;

/** SQL: events with an e-mail in `to`, and with the former one in `from` */
const HAS_ADDRESSES = `('user_email_changed', 'email_change_requested', 'email_changed', 'email_change_undone')`;

const REPLACED_EMAIL = `
  metadata
    || case when metadata ->> 'email' is null then '{}' else jsonb_build_object('email', :pseudonym) end
    || case when event_type in ${HAS_ADDRESSES} and metadata ? 'from' then jsonb_build_object('from', :pseudonym) else '{}' end
    || case when event_type in ${HAS_ADDRESSES} then jsonb_build_object('to', :pseudonym) else '{}' end`;

/** @param isCaused SQL: whether the address is that of the person */
function replacedOrigin(isCaused: string): string {
  return `
    ip_address = case when ${isCaused} then :pseudonym else ip_address end,
    user_agent = case when ${isCaused} and user_agent > '' then :pseudonym else user_agent end`;
}

/** Events about the user. What operators did to them keeps the address of the operator. */
const BY_THEMSELVES = `(metadata -> 'actor' is null or metadata -> 'actor' ->> 'sub' = :id::text)`;
const eraseEventsSql = statement('erase_events', { id: 'uuid', pseudonym: 'text' }, { id: 'uuid' })`
  update audit_events set metadata = ${REPLACED_EMAIL}, ${replacedOrigin(BY_THEMSELVES)}
  where user_id = :id and (
    metadata ->> 'email' like '%@%'
    or (event_type in ${HAS_ADDRESSES} and metadata ->> 'to' like '%@%')
    or (${BY_THEMSELVES} and ip_address <> :pseudonym)
  )
  returning id`;

/** What the person did to others. Administrative events are few, so they are found by type. */
const eraseOperatorSql = statement(
  'erase_operator',
  { id: 'uuid', pseudonym: 'text', types: 'text[]' },
  { id: 'uuid' },
)`
  update audit_events set ${replacedOrigin('true')}
  where event_type = any (:types) and metadata -> 'actor' ->> 'sub' = :id::text
    and user_id is distinct from :id and ip_address <> :pseudonym
  returning id`;

/** Failed logins that named an e-mail while no active user had it, and events of deleted users who had it. */
const eraseNamedSql = statement('erase_named', { id: 'uuid', email: 'text', pseudonym: 'text' }, { id: 'uuid' })`
  update audit_events set metadata = ${REPLACED_EMAIL}, ${replacedOrigin('user_id is null')}
  where metadata ->> 'email' = :email and user_id is distinct from :id
    and not exists (select from users where users.id = audit_events.user_id)
  returning id`;

async function replaceInEvents(
  db: Db,
  person: { id: string; pseudonym: string },
  emails: readonly string[],
): Promise<number> {
  let changed = (await db.run(eraseEventsSql, person)).length;
  changed += (await db.run(eraseOperatorSql, { ...person, types: OPERATOR_EVENT_TYPES })).length;
  for (const email of emails) changed += (await db.run(eraseNamedSql, { ...person, email })).length;
  return changed;
}
