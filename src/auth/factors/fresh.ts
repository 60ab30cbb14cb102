/** Whether the user of a session has proved recently who they are, decided under the lock of the user. (Interface 20, RFC 9470) */
import type { AccessClaims } from '../../credentials/tokens/jwt.js';
import { type Db, only, type RowOf, statement } from '../../db/statement.js';
import { assuranceOf, BY_PASSWORD } from '../../domain/assurance.js';
import type { Role } from '../../domain/roles.js';
import { addSeconds } from '../../platform/clock.js';
import { type Refused, refused } from '../../platform/refused.js';
import type { Deps } from '../../services.js';
import { findLiveRecord, type LiveRecord } from './sessions.js';

/** How recent a proof must be to change a factor */
export const FRESH_SECONDS = 300;

const USER = {
  id: 'uuid',
  email: 'text',
  role: only<Role>('text'),
  password_hash: 'text?',
  password_version: 'integer',
  locked_until: 'timestamptz?',
  has_factors: 'boolean',
} as const;
const USER_SQL = `select ${Object.keys(USER)} from users where id = :id and is_active`;

const readUserSql = statement('user_of_session', { id: 'uuid' }, USER)`${USER_SQL}`;
const lockUserSql = statement('lock_user', { id: 'uuid' }, USER)`${USER_SQL} for no key update`;

export type OwnUser = RowOf<typeof lockUserSql>;

/** The active user, whose row stays locked until the transaction ends. */
export async function lockUser(db: Db, id: string): Promise<OwnUser | undefined> {
  const [user] = await db.run(lockUserSql, { id });
  return user;
}

export interface SessionUser {
  user: OwnUser;
  familyId: string;
  record: LiveRecord;
}

/** The user and the live session of an access token. @returns undefined if one of them is gone */
export async function readSession(
  { clock, db }: Deps<'clock' | 'db'>,
  claims: AccessClaims,
): Promise<SessionUser | undefined> {
  const [user] = await db.run(readUserSql, { id: claims.sub });
  return withSession(db, user, claims, clock.now());
}

/** With a statement of its own, so that it sees what the lock of the user has waited for. */
async function withSession(
  db: Db,
  user: OwnUser | undefined,
  { sub: userId, sid: familyId }: AccessClaims,
  now: Date,
): Promise<SessionUser | undefined> {
  if (user === undefined || familyId === undefined) return undefined;
  const record = await findLiveRecord(db, { familyId, userId }, now);
  return record && { user, familyId, record };
}

/** The latest proof is too old, or was not by the factor that the user has. `acr`: what a new one must reach. */
export type Stale = Refused<'confirmation_required'> & { acr: 'aal2' | undefined };
export type SessionGone = Refused<'user_gone'>;

/** @returns undefined if the session has proved its user within `FRESH_SECONDS`, by the strongest that the user has */
export function staleness({ user, record }: SessionUser, now: Date): Stale | undefined {
  const isByFactor = assuranceOf(record.amr ?? BY_PASSWORD) === 'aal2';
  const isRecent = addSeconds(record.proved_at ?? record.session_started_at, FRESH_SECONDS) > now;
  if (isRecent && (isByFactor || !user.has_factors)) return undefined;
  return { ...refused('confirmation_required'), acr: user.has_factors ? 'aal2' : undefined };
}

/**
 * Runs a change of what is the caller's own in one transaction, under the lock of the user.
 * @param claims of the access token
 * @param inTurn it is made as an administrative change is, so that no login waits for the connection on which it waits
 * @returns a refusal if the session has ended, or is to be fresh and is not
 */
export function changeOwn<Result>(
  { clock, db }: Deps<'clock' | 'db'>,
  claims: AccessClaims,
  { fresh, inTurn = false }: { fresh: boolean; inTurn?: boolean },
  work: (session: SessionUser, tx: Db, now: Date) => Promise<Result>,
): Promise<Result | Stale | SessionGone> {
  clock.requireSynced();
  const change = async (tx: Db): Promise<Result | Stale | SessionGone> => {
    const now = clock.now();
    const session = await lockSession(tx, claims, now);
    if (session === undefined) return refused('user_gone');
    return (fresh ? staleness(session, now) : undefined) ?? work(session, tx, now);
  };
  return inTurn ? db.change(({ db: tx }) => change(tx)) : db.transaction(change);
}

/** The user and the live session, whose row of the user stays locked. @returns undefined if one of them is gone */
export async function lockSession(tx: Db, claims: AccessClaims, now: Date): Promise<SessionUser | undefined> {
  return withSession(tx, await lockUser(tx, claims.sub), claims, now);
}
