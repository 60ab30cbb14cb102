/** CONTRACT 11: the life of one session in order, so that "why was this user thrown out?" has an answer. */
import { sql } from 'kysely';
import type { Actor, AuditedEvent } from '../auth/audit.js';
import type { Database } from '../db/database.js';
import type { RevokedReason } from '../db/entities/refresh-token.js';
import { normaliseEmail } from '../email.js';
import { isUuid } from '../platform/ids.js';
import { NEWEST_OF_FAMILY, type Session } from './sessions.js';

export const STEP_KINDS = [
  'started',
  'rotated',
  'token_theft',
  'logout',
  'session_revoked',
  'user_deactivated',
  'password_set',
  'expired',
] as const;

export interface SessionStep {
  at: Date;
  what: (typeof STEP_KINDS)[number];
  /** The refresh token that was made, or used, or ended */
  jti: string | null;
  ipAddress: string;
  userAgent: string | null;
  /** One sentence for a person */
  detail: string;
}

/** Most steps that are told; a session that rotates every 15 minutes makes 1,344 in two weeks. */
const MOST_STEPS = 5_000;

/** The story of a session, oldest step first, as far as its records have not been swept. */
export async function tellSession({ db }: { db: Database }, session: Session, now: Date): Promise<SessionStep[]> {
  const newestFirst = await db.sql
    .selectFrom('refresh_tokens')
    .select(['jti', 'revoked_reason', 'revoked_at', 'user_agent', 'ip_address', 'created_at', 'expires_at'])
    .where('family_id', '=', session.id)
    .orderBy('created_at', 'desc')
    .orderBy(NEWEST_OF_FAMILY, 'desc') // the newest, also of one millisecond
    .orderBy('jti', 'desc')
    .limit(MOST_STEPS)
    .execute();
  const records = newestFirst.reverse();
  const last = records.at(-1);

  const steps = records.map((record, index): SessionStep => {
    // The first records of a long session may have been swept.
    const started = index === 0 && record.created_at.getTime() === session.startedAt.getTime();
    return {
      at: record.created_at,
      what: started ? 'started' : 'rotated',
      jti: record.jti,
      ipAddress: record.ip_address,
      userAgent: record.user_agent,
      detail: started
        ? 'Logged in; the first refresh token was made'
        : 'Refreshed; a new token replaced the one before',
    };
  });
  const jtis = records.map(({ jti }) => jti);
  steps.push(...(await endings(db, session, jtis, last)));

  if (last !== undefined && last.expires_at < (last.revoked_at ?? now)) {
    const { jti, expires_at: at, ip_address: ipAddress, user_agent: userAgent } = last;
    steps.push({ at, what: 'expired', jti, ipAddress, userAgent, detail: 'The last token expired without being used' });
  }
  return steps.sort((one, other) => one.at.getTime() - other.at.getTime());
}

type Ending = Extract<
  AuditedEvent,
  { eventType: 'token_theft' | 'logout' | 'session_revoked' | 'user_deactivated' | 'password_set' }
>;

/** What the audit log has on this session since it started: thefts, logouts, and what administrators did. */
async function endings(
  db: Database,
  session: Session,
  jtis: readonly string[],
  last: { revoked_reason: RevokedReason | null; revoked_at: Date | null; jti: string } | undefined,
): Promise<SessionStep[]> {
  const { rows } = await sql<Ending & { createdAt: Date }>`
    select event_type as "eventType", ip_address as "ipAddress", user_agent as "userAgent", metadata,
      created_at as "createdAt"
    from audit_events
    where user_id = ${session.userId} and created_at >= ${session.startedAt} and (
      (event_type in ('token_theft', 'session_revoked') and metadata ->> 'family_id' = ${session.id})
      or (event_type = 'logout' and metadata ->> 'jti' = any(${[...jtis]}))
      or (event_type = ${last?.revoked_reason ?? ''} and created_at = ${last?.revoked_at ?? null}
        and event_type in ('user_deactivated', 'password_set'))
    ) order by created_at, id limit ${MOST_STEPS}`.execute(db.sql);
  return rows.map((event) => ({
    at: event.createdAt,
    what: event.eventType,
    jti: jtiOf(event) ?? last?.jti ?? null,
    ipAddress: event.ipAddress,
    userAgent: event.userAgent,
    detail: detailOf(event),
  }));
}

function jtiOf({ eventType, metadata }: Ending): string | undefined {
  if (eventType === 'token_theft') return metadata.reused_jti;
  return eventType === 'logout' ? metadata.jti : undefined;
}

function detailOf(event: Ending): string {
  switch (event.eventType) {
    case 'token_theft':
      return 'A refresh token that had been used already was presented again; every token of the session was revoked';
    case 'logout':
      return 'Logged out with this token';
    case 'session_revoked':
      return `The session was ended by ${nameOf(event.metadata.actor)}`;
    case 'user_deactivated':
      return `The user was deactivated by ${nameOf(event.metadata.actor)}`;
    case 'password_set':
      return `A new password was set by ${nameOf(event.metadata.actor)}`;
  }
}

function nameOf(actor: Actor): string {
  if (actor.caller_type === 'user') return `user ${actor.sub}`;
  return actor.caller_type === 'cli' ? 'the command line' : `${actor.caller_type} ${actor.key_id}`;
}

/** Sessions that a person may mean: the one of a token or family, or those of an e-mail, newest first. */
export async function sessionsNamed({ db }: { db: Database }, name: string): Promise<string[]> {
  const families = db.sql.selectFrom('refresh_tokens').select('family_id');
  const found = isUuid(name)
    ? await families
        .where((eb) => eb.or([eb('jti', '=', name), eb('family_id', '=', name)]))
        .limit(1)
        .execute()
    : await families
        .innerJoin('users', 'users.id', 'refresh_tokens.user_id')
        .where('users.email', '=', normaliseEmail(name))
        .where(NEWEST_OF_FAMILY)
        .orderBy('refresh_tokens.created_at', 'desc')
        .limit(20)
        .execute();
  return found.map(({ family_id }) => family_id);
}
