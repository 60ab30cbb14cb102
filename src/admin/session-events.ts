/** The events of a session, each with a sentence for a person. (Interface 11) */
import type { Actor, AuditedEvent, EventType } from '../audit/events.js';
import type { RevokedReason } from '../db/entities/refresh-token.js';
import { END_OF, type Session, type SessionEndReason } from './sessions.js';

type EndingEventType = keyof typeof ENDING_EVENTS;

/** Kinds by the audit events that end a session, or come after its end. */
const ENDING_EVENTS = { ...END_OF, user_password_changed: END_OF.user_password_set } as const;

export const ENDING_TYPES: readonly EventType[] = Object.keys(ENDING_EVENTS) as EndingEventType[];

export type SessionEventKind = 'started' | 'rotated' | 'retried' | SessionEndReason;

export interface SessionEvent {
  /** Unique among all sessions, and stable */
  id: string;
  kind: SessionEventKind;
  /** False for a `token_theft` of a token that had not been used, but ended (Interface 5) */
  isTheft: boolean;
  createdAt: Date;
  /** The refresh token that was issued, used or revoked */
  jti: string | null;
  ipAddress: string;
  userAgent: string | null;
  /** One sentence for a person */
  detail: string;
}

/** Order of events at one instant: a replaced record, the newest record, a retry, an audit event, the expiry. */
export type Rank = 0 | 1 | 2 | 3 | 4;

export interface EventRow extends Omit<SessionEvent, 'kind' | 'isTheft' | 'detail'> {
  rank: Rank;
  /** Null for an event that comes from a record */
  event: EndingEvent | null;
  /** Why the record of the presented token had been revoked */
  endedBy: RevokedReason | null;
  /** Null if no token was presented again */
  reuse: Reuse | null;
}

/** How a token that had been used or revoked was presented again. */
interface Reuse {
  /** Since it was used or revoked */
  seconds: number;
  /** Compared with the request that had used it; null if that is not known */
  isSameAddress: boolean | null;
  isSameAgent: boolean | null;
  /** Number of retries so far */
  retries: number | null;
}

type Described<Event extends AuditedEvent> = Event extends unknown ? Pick<Event, 'eventType' | 'metadata'> : never;
type EndingEvent = Described<Extract<AuditedEvent, { eventType: EndingEventType }>>;

export function sessionEventOf(row: EventRow, session: Session, isFirst: boolean): SessionEvent {
  const { id, createdAt, jti, ipAddress, userAgent, rank, event, reuse } = row;
  const isTheft = event?.eventType === 'token_theft' && event.metadata.ended_by === undefined;
  const common = { createdAt, isTheft, jti, ipAddress, userAgent };
  if (event !== null) {
    const kind = ENDING_EVENTS[event.eventType];
    return { ...common, id: `${session.id}.${id}`, kind, detail: detailOf(event, row) }; // one audit event may end several sessions
  }
  if (rank === 4) {
    return { ...common, id: `${id}.expired`, kind: 'expired', detail: 'The last token expired without being used' };
  }
  if (reuse !== null) return { ...common, id: `${id}.retried`, kind: 'retried', detail: detailOfRetry(reuse) };
  return isFirst && isStart(row, session)
    ? { ...common, id, kind: 'started', detail: 'Logged in; the first refresh token was issued' }
    : { ...common, id, kind: 'rotated', detail: 'Refreshed; a new token replaced the previous one' };
}

/** The first records of a long session may have been swept; its timeline then begins with a rotation. */
function isStart({ createdAt }: EventRow, { startedAt }: Session): boolean {
  return createdAt.getTime() === startedAt.getTime();
}

/** The earlier fate of a token that was presented again. */
const HAD_ENDED: Record<RevokedReason, string> = {
  rotated: 'that had already been used',
  logout: 'that a logout had revoked',
  token_theft: 'that an earlier theft had revoked',
  session_revoked: 'that had been revoked with its session',
  user_deactivated: 'that had been revoked when the user was deactivated',
  user_password_set: 'that had been revoked when a new password was set',
  factors_reset: 'that had been revoked when the second factors of the user were reset',
  email_change_undone: 'that had been revoked when a change of the e-mail was taken back',
  user_deleted: 'that had been revoked when the user was deleted',
};

function detailOf(event: EndingEvent, row: EventRow): string {
  switch (event.eventType) {
    case 'token_theft': {
      const { endedBy, reuse } = row;
      const again = endedBy === 'rotated' && reuse ? `again ${circumstancesOf(reuse)}` : 'again';
      return `A refresh token ${HAD_ENDED[endedBy ?? 'rotated']} was presented ${again}; every token of the session was revoked`;
    }
    case 'logout':
      return 'Logged out with this token';
    case 'session_revoked':
      return `The session was ended by ${actorName(event.metadata.actor)}`;
    case 'user_deactivated':
      return `The user was deactivated by ${actorName(event.metadata.actor)}`;
    case 'user_password_set':
      return 'by' in event.metadata
        ? 'The user set a new password by a link'
        : `A new password was set by ${actorName(event.metadata.actor)}`;
    case 'user_password_changed':
      return 'The user changed the password in another session';
    case 'factors_reset':
      return `The second factors of the user were reset by ${actorName(event.metadata.actor)}`;
    case 'email_change_undone':
      return 'A change of the e-mail was taken back by the former address';
    case 'user_deleted':
      return `The user was deleted by ${actorName(event.metadata.actor)}`;
  }
}

function detailOfRetry(reuse: Reuse): string {
  const { retries } = reuse;
  const times = retries === 1 ? '' : `, ${retries} times so far`;
  return `A refresh was repeated with proof of retry ${circumstancesOf(reuse)}; the same new token was returned again${times}`;
}

/** Helps to distinguish a repeated request from a theft. */
function circumstancesOf({ seconds, isSameAddress, isSameAgent }: Reuse): string {
  const when = `${Math.max(0, seconds)} s after its rotation`; // clocks of instances may differ
  if (isSameAddress === null || isSameAgent === null) return when;
  const word = (isSame: boolean): string => (isSame ? 'the same' : 'another');
  const agent = isSameAddress === isSameAgent ? 'user agent' : `${word(isSameAgent)} user agent`;
  return `${when}, from ${word(isSameAddress)} address and ${agent}`;
}

function actorName(actor: Actor): string {
  if (actor.caller_type === 'user') return `user ${actor.sub}`;
  return actor.caller_type === 'cli' ? 'the command line' : `${actor.caller_type} ${actor.key_id}`;
}
