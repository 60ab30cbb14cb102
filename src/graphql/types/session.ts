/** Interface 11: `Session` and what happened to it. */
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { SessionEvent, SessionEventKind } from '../../admin/session-events.js';
import type { Session, SessionEndReason } from '../../admin/sessions.js';
import { asUser, type Caller } from '../../callers/caller.js';
import { COST_OF_USER_AGENT } from '../limits.js';
import { connectionType } from './connection.js';
import { EventBase } from './event-base.js';
import { GraphQLDateTime } from './scalars.js';
import { spelledEnum } from './spelled-enum.js';

const ENDS = {
  logout: 'The user logged out.',
  token_theft: 'A refresh token that had been used was presented again, which is taken for theft.',
  revoked: 'The user or an administrator ended the session.',
  user_deactivated: 'The user was deactivated.',
  user_password_set: 'A new password was set.',
  user_deleted: 'The user was deleted.',
  expired: 'The last refresh token expired without being used.',
} as const satisfies Record<SessionEndReason, string>;

const SessionEndReasonEnum = spelledEnum<SessionEndReason>('SessionEndReason', 'Why a session ended.', ENDS);

const SessionEventKindEnum = spelledEnum<SessionEventKind>('SessionEventKind', 'What happened to a session.', {
  started: 'The user logged in: the first refresh token was made.',
  rotated: 'The session was refreshed: a new refresh token replaced the one before.',
  retried: 'A refresh was repeated with proof that it was a retry: the same new refresh token was given again.',
  ...ENDS,
  token_theft: 'A refresh token that had been used or ended was presented, which is taken for theft.',
});

@ObjectType('Session', { simpleResolvers: true, description: 'The refresh tokens of one login.' })
export class SessionType implements Session {
  @Field(() => ID, { description: 'The family of the refresh tokens, a UUID; `sid` of access tokens.' })
  id!: string;

  @Field(() => ID, { description: 'The user who logged in, a UUID; kept where the user was deleted since.' })
  userId!: string;

  @Field(() => GraphQLDateTime, { description: 'When the user logged in.' })
  startedAt!: Date;

  @Field(() => GraphQLDateTime, { description: 'When the newest refresh token was made, by login or refresh.' })
  lastUsedAt!: Date;

  @Field(() => GraphQLDateTime, { description: 'When the newest refresh token expires or expired.' })
  expiresAt!: Date;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'When the session ended: `expiresAt` where it expired. Null while it lives.',
  })
  endedAt!: Date | null;

  @Field(() => SessionEndReasonEnum, {
    nullable: true,
    description: 'Why the session ended. Null while it lives.',
  })
  endReason!: SessionEndReason | null;

  @Field(() => String, {
    complexity: COST_OF_USER_AGENT,
    description: 'The User-Agent of the last login or refresh, its first 512 characters; empty where none was sent.',
  })
  userAgent!: string;

  @Field(() => String, { description: 'The address of the client at the last login or refresh.' })
  ipAddress!: string;

  @Field(() => Boolean, { description: 'True where the session is neither ended nor expired.' })
  isLive!: boolean;

  @Field(() => Boolean, { description: 'True for the session of the access token that asks.' })
  isCurrent!: boolean;
}

export const SessionConnection = connectionType('Session', SessionType, 'The last used first.');

export function toSession(session: Session, caller: Caller): SessionType {
  return { ...session, isCurrent: asUser(caller)?.sid === session.id };
}

@ObjectType('SessionEvent', { simpleResolvers: true, description: 'One event in the life of a session.' })
export class SessionEventType extends EventBase implements SessionEvent {
  @Field(() => ID, { description: 'No other event of any session has it. Opaque.' })
  id!: string;

  @Field(() => SessionEventKindEnum, { description: 'What happened.' })
  kind!: SessionEventKind;

  @Field(() => ID, {
    nullable: true,
    description:
      'The refresh token that was made, presented or ended, a UUID. Null where the event is about no known token.',
  })
  jti!: string | null;

  @Field(() => String, { description: 'One sentence for a person; its words may change.' })
  detail!: string;
}

export const SessionEventConnection = connectionType('SessionEvent', SessionEventType, 'Oldest first.');

@InputType({ description: 'The session to end.' })
export class RevokeSessionInput {
  @Field(() => ID, { description: 'The id of the session.' }) id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The ended session.' })
export class RevokeSessionPayload {
  @Field(() => SessionType, { description: 'The session as it is afterwards.' }) session!: SessionType;
}

@ObjectType({ simpleResolvers: true, description: 'What ended.' })
export class RevokeOtherSessionsPayload {
  @Field(() => Int, { description: 'Sessions that ended by it.' }) revokedCount!: number;
}
