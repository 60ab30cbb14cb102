/** Interface 11: what is told of a session: each event of its story, with a sentence for a person. */
import type { Actor, AuditedEvent, EventType } from '../audit/events.js';
import type { RevokedReason } from '../db/entities/refresh-token.js';
import { END_OF, type Session, type SessionEndReason } from './sessions.js';

type EndingType = keyof typeof END_OF;

/** Audit events that end a session, or come after its end. */
export const ENDINGS: readonly EventType[] = Object.keys(END_OF) as EndingType[];

export type SessionEventKind = 'started' | 'rotated' | 'retried' | SessionEndReason;

export interface SessionEvent {
  /** No other event of any session has it, and this one keeps it. */
  id: string;
  kind: SessionEventKind;
  createdAt: Date;
  /** The refresh token that was made, or used, or ended */
  jti: string | null;
  ipAddress: string;
  userAgent: string | null;
  /** One sentence for a person */
  detail: string;
}

/** Order of events of one instant: a record that was replaced, the newest record, a retry, an audit event, the expiry. */
export type Rank = 0 | 1 | 2 | 3 | 4;

export interface EventRow extends Omit<SessionEvent, 'kind' | 'detail'> {
  /** `createdAt` in microseconds */
  exactly: string;
  rank: Rank;
  /** Null for all that is told of a record */
  event: Ending | null;
  /** What had ended the record whose token an event is about */
  endedBy: RevokedReason | null;
  /** Null where no token came back */
  cameBack: CameBack | null;
}

/** How a token that had been used came back. */
interface CameBack {
  /** Since it was used, or ended */
  seconds: number;
  /** Whether it came from where it had been used; null where that is not known */
  isSameAddress: boolean | null;
  isSameAgent: boolean | null;
  /** How often it was answered again by now */
  retries: number | null;
}

/** The two parts of an audit event that its sentence is made of. */
type Told<Event extends AuditedEvent> = Event extends unknown ? Pick<Event, 'eventType' | 'metadata'> : never;
type Ending = Told<Extract<AuditedEvent, { eventType: EndingType }>>;

export function sessionEventOf(row: EventRow, session: Session, isFirst: boolean): SessionEvent {
  const { id, createdAt, jti, ipAddress, userAgent, rank, event, cameBack } = row;
  const told = { createdAt, jti, ipAddress, userAgent };
  if (event !== null) {
    const kind = END_OF[event.eventType];
    return { ...told, id: `${session.id}.${id}`, kind, detail: detailOf(event, row) }; // it may end several sessions
  }
  if (rank === 4) {
    return { ...told, id: `${id}.expired`, kind: 'expired', detail: 'The last token expired without being used' };
  }
  if (cameBack !== null) return { ...told, id: `${id}.retried`, kind: 'retried', detail: detailOfRetry(cameBack) };
  return isFirst && isStart(row, session)
    ? { ...told, id, kind: 'started', detail: 'Logged in; the first refresh token was made' }
    : { ...told, id, kind: 'rotated', detail: 'Refreshed; a new token replaced the one before' };
}

/** The first records of a long session may have been swept; then its story begins with a rotation. */
function isStart({ createdAt }: EventRow, { startedAt }: Session): boolean {
  return createdAt.getTime() === startedAt.getTime();
}

/** What had happened to a token that was presented once more. */
const HAD_ENDED: Record<RevokedReason, string> = {
  rotated: 'that had been used already',
  logout: 'that a logout had ended',
  token_theft: 'that an earlier theft had ended',
  session_revoked: 'that had ended with the session',
  user_deactivated: 'that had ended when the user was deactivated',
  user_password_set: 'that had ended when a new password was set',
  user_deleted: 'that had ended when the user was deleted',
};

function detailOf(event: Ending, row: EventRow): string {
  switch (event.eventType) {
    case 'token_theft': {
      const { endedBy, cameBack } = row;
      const again = endedBy === 'rotated' && cameBack ? `again ${whenAndWhence(cameBack)}` : 'again';
      return `A refresh token ${HAD_ENDED[endedBy ?? 'rotated']} was presented ${again}; every token of the session was revoked`;
    }
    case 'logout':
      return 'Logged out with this token';
    case 'session_revoked':
      return `The session was ended by ${nameOf(event.metadata.actor)}`;
    case 'user_deactivated':
      return `The user was deactivated by ${nameOf(event.metadata.actor)}`;
    case 'user_password_set':
      return `A new password was set by ${nameOf(event.metadata.actor)}`;
    case 'user_deleted':
      return `The user was deleted by ${nameOf(event.metadata.actor)}`;
  }
}

function detailOfRetry(cameBack: CameBack): string {
  const { retries } = cameBack;
  const times = retries === 1 ? '' : `, ${retries} times by now`;
  return `A refresh was repeated with proof of retry ${whenAndWhence(cameBack)}; the same new token was given again${times}`;
}

/** So that a double request can be told from a thief. */
function whenAndWhence({ seconds, isSameAddress, isSameAgent }: CameBack): string {
  const when = `${Math.max(0, seconds)} s after its rotation`; // clocks of instances may differ
  if (isSameAddress === null || isSameAgent === null) return when;
  const word = (isSame: boolean): string => (isSame ? 'the same' : 'another');
  const agent = isSameAddress === isSameAgent ? 'user agent' : `${word(isSameAgent)} user agent`;
  return `${when}, from ${word(isSameAddress)} address and ${agent}`;
}

function nameOf(actor: Actor): string {
  if (actor.caller_type === 'user') return `user ${actor.sub}`;
  return actor.caller_type === 'cli' ? 'the command line' : `${actor.caller_type} ${actor.key_id}`;
}
