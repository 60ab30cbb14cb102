/** Revokes records and sessions, and finds out why a record could not be rotated. (Spec 3.1 rows 3 to 5) */
import type { AuthEvent } from '../audit/events.js';
import { type EventToWrite, eventRows, insertEvents } from '../audit/write.js';
import type { RevokedReason } from '../db/entities/refresh-token.js';
import { batched, type Db, statement } from '../db/statement.js';

/** All records of a session, a user or several users; `exceptFamilyId` spares one session. */
export type Whose =
  | { familyId: string }
  | { userId: string; exceptFamilyId?: string | undefined }
  | { userIds: string[]; exceptFamilyId: string | undefined };

/** @param owner part of the statement names @param families SQL of a condition on `:ids` */
function revocation(owner: string, families: string) {
  const unrevoked = `not revoked and family_id ${families} and family_id is distinct from :except`;
  const revoke = statement(
    `revoke_of_${owner}`,
    { ids: 'text[]', except: 'uuid?', reason: 'text', now: 'timestamptz' },
    { family_id: 'uuid', expires_at: 'timestamptz' },
  )`
    update refresh_tokens set revoked = true, revoked_reason = :reason, revoked_at = :now
    where ${unrevoked}
    returning family_id, expires_at`;
  const survivor = statement(`survivor_of_${owner}`, { ids: 'text[]', except: 'uuid?' }, { jti: 'uuid' })`
    select jti from refresh_tokens where ${unrevoked} limit 1`;
  return { revoke, survivor };
}

const ofFamily = revocation('family', '= any(:ids::uuid[])');
const ofUsers = revocation('users', 'in (select family_id from sessions where user_id = any(:ids::uuid[]))');

/**
 * Revokes every record of a family or of users; call it in a transaction. One UPDATE is not enough under READ COMMITTED:
 * it may wait for a rotation and then miss the successor that this rotation inserted. So it repeats until a new
 * statement finds no survivor.
 * @returns the families that were live: with an unexpired record
 */
export async function revokeAll(db: Db, whose: Whose, reason: RevokedReason, now: Date): Promise<string[]> {
  const isFamily = 'familyId' in whose;
  const { revoke, survivor } = isFamily ? ofFamily : ofUsers;
  const records = isFamily
    ? { ids: [whose.familyId], except: null }
    : { ids: 'userIds' in whose ? whose.userIds : [whose.userId], except: whose.exceptFamilyId ?? null };
  const live = new Set<string>();
  for (;;) {
    const revoked = await db.run(revoke, { ...records, reason, now });
    for (const { family_id, expires_at } of revoked) if (expires_at >= now) live.add(family_id);
    const survivors = await db.run(survivor, records);
    if (survivors.length === 0) return [...live];
  }
}

/** The event, if it is to be written, with its session, and with what had ended the token if that was no rotation. */
const THEFT_EVENT = `jsonb_set(:events, '{0,metadata}', coalesce(:events -> 0 -> 'metadata', '{}') ||
      jsonb_strip_nulls(jsonb_build_object('family_id', family_id, 'ended_by', ended_by)))`;

const classifyUnrotatedSql = statement(
  'classify_unrotated',
  { jti: 'uuid', now: 'timestamptz', is_repeat: 'boolean', events: 'jsonb' },
  { family_id: 'uuid', revoked: 'boolean', ended_by: 'text?', audited: 'boolean' },
)`
  with presented as (
    select family_id, revoked, nullif(nullif(revoked_reason, 'rotated'), 'token_theft') as ended_by,
      device_id
    from refresh_tokens where jti = :jti
  ), ended as (
    update refresh_tokens set revoked = true, revoked_reason = 'token_theft', revoked_at = :now
    where family_id = (select family_id from presented where revoked) and not revoked
    returning expires_at
  ), forgotten as (
    delete from known_devices where id = (select device_id from presented where revoked and ended_by is null)
  ), audited as (
    ${insertEvents(THEFT_EVENT, 'presented')}
    where revoked and (not :is_repeat or exists (select from ended where expires_at >= :now))
    returning id
  )
  select family_id, revoked, ended_by, exists (select from audited) as audited from presented`;

/** Why a `jti` was not rotated. */
export type Unrotated =
  | { kind: 'unknown' | 'expired' }
  /**
   * The whole family is revoked by now. `isTheft`: by a rotation or an earlier theft; otherwise a logout or an operator
   * had ended it. `audited` is false if the event was suppressed.
   */
  | { kind: 'revoked'; isTheft: boolean; audited: boolean };

/**
 * Spec 4.2 steps 6 to 8, for a `jti` that was not rotated. The statement that finds a revoked record also revokes the family,
 * forgets the device that began it (Interface 16) and writes `token_theft`; it repeats until no record survives, as in
 * `revokeAll`.
 * @param event without `family_id` and `ended_by`, which the statement adds
 * @param isRepeat true: the event is written only if a live record was revoked
 */
export async function classifyUnrotated(
  db: Db,
  jti: string,
  event: EventToWrite & { eventType: 'token_theft' },
  isRepeat: boolean,
  now: Date,
): Promise<Unrotated> {
  let events = eventRows([event], now);
  for (;;) {
    const [found] = await db.run(classifyUnrotatedSql, { jti, now, is_repeat: isRepeat, events });
    if (found === undefined) return { kind: 'unknown' };
    if (!found.revoked) return { kind: 'expired' };
    if (found.audited) events = [];
    const survivors = await db.run(ofFamily.survivor, { ids: [found.family_id], except: null });
    if (survivors.length > 0) continue;
    return { kind: 'revoked', isTheft: found.ended_by === null, audited: events.length === 0 };
  }
}

const endSessionSql = statement('end_session', { family_id: 'uuid', now: 'timestamptz', events: 'jsonb' }, {})`
  with ended as (
    update refresh_tokens set revoked = true, revoked_reason = 'logout', revoked_at = :now
    where family_id = :family_id and not revoked
    returning jti, expires_at
  )
  ${insertEvents(`jsonb_set(:events, '{0,metadata}', jsonb_build_object('jti', jti))`, 'ended')} where expires_at >= :now`;

/**
 * Interface 22: ends a session by its id, and writes `logout` if it was live. It repeats until no record survives, as in
 * `revokeAll`.
 * @param event without the `jti`, which the statement adds
 */
export async function endSession(
  db: Db,
  familyId: string,
  event: EventToWrite & { eventType: 'logout' },
  now: Date,
): Promise<void> {
  for (;;) {
    await db.run(endSessionSql, { family_id: familyId, now, events: eventRows([event], now) });
    const survivors = await db.run(ofFamily.survivor, { ids: [familyId], except: null });
    if (survivors.length === 0) return;
  }
}

/** True if a logout changes the record: a rotated one only loses its proof of retry. */
const ENDS = "(not revoked or (revoked_reason = 'rotated' and retry_ended is null))";
const END = `
    set revoked = true, revoked_reason = case when revoked then revoked_reason else 'logout' end,
      revoked_at = case when revoked then revoked_at else :now end, retry_ended = case when revoked then true end`;

const revokeOneRecordSql = statement(
  'revoke_record',
  { jti: 'uuid?', now: 'timestamptz', is_repeat: 'boolean', events: 'jsonb' },
  { audited: 'boolean' },
)`
  with ended as (
    update refresh_tokens ${END}
    where jti = :jti and ${ENDS}
    returning revoked_reason
  ), audited as (
    ${insertEvents()} where not :is_repeat or exists (select from ended where revoked_reason = 'logout')
    returning id
  )
  select exists (select from audited) as audited`;

const revokeRecordSql = batched(revokeOneRecordSql, { lanes: 2, identity: ({ jti }) => jti ?? {} })`
  locked as materialized (
    select asked.*, record.*
    from asked, lateral (
      select ctid as tuple_id, ${ENDS} as ends from refresh_tokens where jti = asked.jti for no key update skip locked
    ) as record
  ), ended as (
    update refresh_tokens ${END.replace(':now', 'now')}
    from locked where refresh_tokens.ctid = tuple_id and ends
    returning n, refresh_tokens.revoked_reason
  ), done as (
    select locked.*, not is_repeat or (ends and revoked_reason = 'logout') as audited from locked left join ended using (n)
  ), written as (
    ${insertEvents('events', 'done')} where audited
  )
  select n, audited from done`;

/**
 * Spec 4.3: revokes the record of this `jti`, if there is one, and writes `logout`, in one statement. A rotated record
 * only loses its proof of retry (Interface 12).
 * @param jti null if it cannot be that of a record
 * @param isRepeat true: the event is written only if a record was revoked
 * @returns false if the event was suppressed
 */
export async function revokeRecord(
  db: Db,
  jti: string | null,
  event: AuthEvent & { eventType: 'logout' },
  isRepeat: boolean,
  now: Date,
): Promise<boolean> {
  const values = { jti, now, is_repeat: isRepeat, events: eventRows([event], now) };
  const [done] = await db.run(revokeRecordSql, values);
  return done?.audited === true;
}
