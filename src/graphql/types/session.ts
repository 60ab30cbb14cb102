/** The type `Session` and its events. (Interface 11) */
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { SessionEvent, SessionEventKind } from '../../admin/session-events.js';
import type { Session, SessionEndReason, SessionFilter, SessionOrder, UserSessionOrder } from '../../admin/sessions.js';
import { asUser, type Caller } from '../../callers/caller.js';
import { COST_OF_USER_AGENT } from '../limits.js';
import { connectionType, countedConnectionType, orderedPageArgs } from './connection.js';
import { EventBase } from './event-base.js';
import { GraphQLDateTime } from './scalars.js';
import { spelledEnum } from './spelled-enum.js';

const ENDS = {
  logout: 'The user logged out.',
  token_theft: 'A used refresh token was presented again, which is treated as theft.',
  revoked: 'The user or an administrator ended the session.',
  user_deactivated: 'The user was deactivated.',
  user_password_set: 'A new password was set.',
  factors_reset: 'An operator reset the second factors of the user.',
  email_change_undone: 'The former e-mail took back a change of the e-mail.',
  user_deleted: 'The user was deleted.',
  expired: 'The last refresh token expired unused.',
} as const satisfies Record<SessionEndReason, string>;

const SessionEndReasonEnum = spelledEnum<SessionEndReason>('SessionEndReason', 'Why a session ended.', ENDS);

const SessionEventKindEnum = spelledEnum<SessionEventKind>('SessionEventKind', 'What happened to a session.', {
  started: 'The user logged in, and the first refresh token was issued.',
  rotated: 'The session was refreshed: a new refresh token replaced the previous one.',
  retried: 'A refresh was retried with proof, and the same new refresh token was returned again.',
  ...ENDS,
  token_theft: 'A used or revoked refresh token was presented. It is a theft only if `isTheft`.',
});

@ObjectType('Session', { simpleResolvers: true, description: 'A login and the refresh tokens issued for it.' })
export class SessionType implements Session {
  @Field(() => ID, { description: 'Session id, a UUID: the family of the refresh tokens and `sid` in access tokens.' })
  id!: string;

  @Field(() => ID, { description: 'Id of the user who logged in, a UUID. Set even if the user has been deleted.' })
  userId!: string;

  @Field(() => GraphQLDateTime, { description: 'When the user logged in.' })
  startedAt!: Date;

  @Field(() => GraphQLDateTime, { description: 'When the newest refresh token was issued, by login or refresh.' })
  lastUsedAt!: Date;

  @Field(() => GraphQLDateTime, { description: 'When the newest refresh token expires.' })
  expiresAt!: Date;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'When the session ended; `expiresAt` if it expired. Null if it is live.',
  })
  endedAt!: Date | null;

  @Field(() => SessionEndReasonEnum, {
    nullable: true,
    description: 'Why the session ended. Null if it is live.',
  })
  endReason!: SessionEndReason | null;

  @Field(() => String, {
    complexity: COST_OF_USER_AGENT,
    description: 'First 512 characters of the User-Agent at the last login or refresh. Empty if none was sent.',
  })
  userAgent!: string;

  @Field(() => String, { description: 'IP address of the client at the last login or refresh.' })
  ipAddress!: string;

  @Field(() => Boolean, { description: 'Whether the session is live: neither ended nor expired.' })
  isLive!: boolean;

  @Field(() => Boolean, { description: "Whether this is the session of the caller's access token." })
  isCurrent!: boolean;
}

export const SessionConnection = connectionType('Session', SessionType, 'In the requested order.');

export const AllSessionsConnection = countedConnectionType('AllSessions', SessionType, 'In the requested order.');

const STARTED = 'When the user logged in.';

export const SessionPageArgs = orderedPageArgs<SessionOrder>('Session', { started_at: STARTED });

export const UserSessionPageArgs = orderedPageArgs<UserSessionOrder>('UserSession', {
  last_used_at: 'When the newest refresh token was issued, by login or refresh.',
  started_at: STARTED,
});

@InputType('SessionFilter', { description: 'Filters sessions. A session must match all given fields.' })
export class SessionFilterInput implements SessionFilter {
  @Field(() => Boolean, { nullable: true, description: 'Only live sessions if true, only ended ones if false.' })
  live?: boolean | null;
}

export function toSession(session: Session, caller: Caller): SessionType {
  return { ...session, isCurrent: asUser(caller)?.sid === session.id };
}

@ObjectType('SessionEvent', { simpleResolvers: true, description: 'An event in the life of a session.' })
export class SessionEventType extends EventBase implements SessionEvent {
  @Field(() => ID, { description: 'Opaque id, unique across all sessions.' })
  id!: string;

  @Field(() => SessionEventKindEnum, { description: 'Type of the event.' })
  kind!: SessionEventKind;

  @Field(() => Boolean, {
    description:
      'Whether this is a theft. False for a `token_theft` of a token that had not been used: what had ended its session ' +
      'is in `detail`.',
  })
  isTheft!: boolean;

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the refresh token that was issued, presented or revoked, a UUID. Null if no known token is involved.',
  })
  jti!: string | null;

  @Field(() => String, { description: 'Description for people. The wording may change.' })
  detail!: string;
}

export const SessionEventConnection = connectionType('SessionEvent', SessionEventType, 'Oldest first.');

@InputType({ description: 'The session to end.' })
export class RevokeSessionInput {
  @Field(() => ID, { description: 'Session id.' }) id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The ended session.' })
export class RevokeSessionPayload {
  @Field(() => SessionType, { description: 'The session after the change.' }) session!: SessionType;
}

@ObjectType({ simpleResolvers: true, description: 'Result of ending the other sessions.' })
export class RevokeOtherSessionsPayload {
  @Field(() => Int, { description: 'Number of sessions ended.' }) revokedCount!: number;
}
