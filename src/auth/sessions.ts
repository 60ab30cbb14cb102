/** Spec 3.1: the refresh-token records. The only writer of their table. */
import { type ExpressionBuilder, sql } from 'kysely';
import { AUDIT_COLUMNS, type AuthEvent, auditValues } from '../audit/events.js';
import type { Sql } from '../db/database.js';
import type { RevokedReason } from '../db/entities/refresh-token.js';
import type { Tables } from '../db/tables.js';
import type { Client } from '../remote-client.js';
import type { Role } from '../roles.js';
import type { LoginUser } from './account.js';

/** What is new about a record; the rest comes from the user or from its predecessor. */
export interface NewRecord {
  jti: string;
  expiresAt: Date;
  client: Client;
}

const RECORD_COLUMNS = [
  'jti',
  'user_agent',
  'ip_address',
  'expires_at',
  'created_at',
  'user_id',
  'family_id',
  'session_started_at',
] as const;

/** The first five of `RECORD_COLUMNS`. */
function newRecordValues({ jti, expiresAt, client }: NewRecord, now: Date) {
  return [
    sql<string>`${jti}::uuid`.as('jti'),
    sql<string>`${client.userAgent}::text`.as('user_agent'),
    sql<string>`${client.ipAddress}::text`.as('ip_address'),
    sql<Date>`${expiresAt}::timestamptz`.as('expires_at'),
    sql<Date>`${now}::timestamptz`.as('created_at'),
  ] as const;
}

/**
 * Spec 4.1 steps 5 and 6 in one statement: resets the failure state, sets `last_login_at`, stores the first record of
 * a new family and writes `login_success`.
 * @param renewedHash replaces the stored one, where the parameters of hashing have changed
 * @returns the user's role at this moment; undefined where nothing was written, because the user has been locked,
 *   deactivated, removed or given another password since it was read
 */
export async function startSession(
  db: Sql,
  user: LoginUser,
  familyId: string,
  record: NewRecord,
  renewedHash: string | undefined,
  now: Date,
): Promise<Role | undefined> {
  const event = { eventType: 'login_success', userId: user.id, ...record.client } as const;
  const metadata = sql<{ role: Role }>`jsonb_build_object('role', reset.role)`;
  const started = await db
    .with('reset', (cte) =>
      cte
        .updateTable('users')
        .set({
          failed_login_attempts: 0,
          locked_until: null,
          last_login_at: now,
          ...(renewedHash === undefined ? {} : { password_hash: renewedHash }),
        })
        .where('id', '=', user.id)
        .where('is_active', '=', true)
        .where('password_version', '=', user.password_version)
        .where((eb) => eb.or([eb('locked_until', 'is', null), eb('locked_until', '<=', now)]))
        .returning(['id', 'role']),
    )
    .with('stored', (cte) =>
      cte
        .insertInto('refresh_tokens')
        .columns([...RECORD_COLUMNS])
        .expression(
          cte
            .selectFrom('reset')
            .select([
              ...newRecordValues(record, now),
              'reset.id as user_id',
              sql<string>`${familyId}::uuid`.as('family_id'),
              sql<Date>`${now}::timestamptz`.as('session_started_at'),
            ]),
        ),
    )
    .with('audited', (cte) =>
      cte
        .insertInto('audit_events')
        .columns([...AUDIT_COLUMNS])
        .expression(cte.selectFrom('reset').select(auditValues(event, metadata, now))),
    )
    .selectFrom('reset')
    .select('role')
    .executeTakeFirst();
  return started?.role;
}

/** Owner, family and current role after a rotation. */
export interface Rotated {
  user_id: string;
  family_id: string;
  role: Role;
}

/**
 * Spec 3.1 row 2 and 4.2 step 9 in one statement: claims the active record, stores its successor in the same family
 * and reads the user's role. Of any number of concurrent presentations one claims the row.
 * @returns undefined where no active record has this `jti`
 */
export async function rotate(db: Sql, jti: string, successor: NewRecord, now: Date): Promise<Rotated | undefined> {
  return db
    .with('claimed', (cte) =>
      cte
        .updateTable('refresh_tokens')
        .set({ revoked: true, revoked_reason: 'rotated', revoked_at: now })
        .where('jti', '=', jti)
        .where('revoked', '=', false)
        .where('expires_at', '>=', now)
        .returning(['user_id', 'family_id', 'session_started_at']),
    )
    .with('stored', (cte) =>
      cte
        .insertInto('refresh_tokens')
        .columns([...RECORD_COLUMNS])
        .expression(
          cte
            .selectFrom('claimed')
            .select([...newRecordValues(successor, now), 'user_id', 'family_id', 'session_started_at']),
        ),
    )
    .selectFrom('claimed')
    .leftJoin('users', 'users.id', 'claimed.user_id')
    .select(({ fn, val }) => [
      'claimed.user_id',
      'claimed.family_id',
      fn.coalesce('users.role', val<Role>('viewer')).as('role'), // 4.2.9: the user row may be gone
    ])
    .executeTakeFirst();
}

/** What a refusal is decided by. */
export interface TokenState {
  revoked: boolean;
  family_id: string;
}

/** Spec 4.2 step 6: the record of this `jti`. */
export function findRecord(db: Sql, jti: string): Promise<TokenState | undefined> {
  return db.selectFrom('refresh_tokens').select(['revoked', 'family_id']).where('jti', '=', jti).executeTakeFirst();
}

/** All records of a session, or of a user, or of a user but for one session. */
export type Whose = { familyId: string } | { userId: string; exceptFamilyId?: string };

/**
 * Revokes every record of a family or of a user; call it in a transaction. One UPDATE is not enough under READ
 * COMMITTED: it may wait for a rotation and then miss the successor that this rotation inserted. So a new statement
 * looks again, until none is left.
 * @returns the families that were live: with a record that had not expired
 */
export async function revokeAll(db: Sql, whose: Whose, reason: RevokedReason, now: Date): Promise<string[]> {
  const unrevoked = (eb: ExpressionBuilder<Tables, 'refresh_tokens'>) =>
    eb.and([
      eb('revoked', '=', false),
      eb('revoked_reason', 'is distinct from', 'rotated'), // follows, and lets the index of sessions serve
      'familyId' in whose ? eb('family_id', '=', whose.familyId) : eb('user_id', '=', whose.userId),
      ...('exceptFamilyId' in whose ? [eb('family_id', '!=', whose.exceptFamilyId)] : []),
    ]);
  const live = new Set<string>();
  for (;;) {
    const revoked = await db
      .updateTable('refresh_tokens')
      .set({ revoked: true, revoked_reason: reason, revoked_at: now })
      .where(unrevoked)
      .returning(['family_id', 'expires_at'])
      .execute();
    for (const { family_id, expires_at } of revoked) if (expires_at >= now) live.add(family_id);
    const survivor = await db.selectFrom('refresh_tokens').select('jti').where(unrevoked).limit(1).executeTakeFirst();
    if (survivor === undefined) return [...live];
  }
}

/**
 * Spec 4.3: revokes the record of this `jti`, if there is one, and writes `logout`, in one statement.
 * @param jti null where the claim is no UUID, so that no record has it
 * @param isRepeat true: the event is written only where a record was revoked
 * @returns false where the event was left out
 */
export async function endSession(
  db: Sql,
  jti: string | null,
  event: AuthEvent & { eventType: 'logout' },
  isRepeat: boolean,
  now: Date,
): Promise<boolean> {
  const written = await db
    .with('ended', (cte) =>
      cte
        .updateTable('refresh_tokens')
        .set({ revoked: true, revoked_reason: 'logout', revoked_at: now })
        .where('jti', '=', jti)
        .where('revoked', '=', false)
        .returning('jti'),
    )
    .with('audited', (cte) =>
      cte
        .insertInto('audit_events')
        .columns([...AUDIT_COLUMNS])
        .expression(
          cte
            .selectNoFrom(auditValues(event, event.metadata, now))
            .where((eb) => eb.or([eb.val(!isRepeat), eb.exists(eb.selectFrom('ended').select('ended.jti'))])),
        )
        .returning('id'),
    )
    .selectFrom('audited')
    .select('id')
    .executeTakeFirst();
  return written !== undefined;
}
