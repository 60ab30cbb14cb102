/** CONTRACT 11: `Session` and `SessionStep`. */

import { Field, ID, ObjectType } from 'type-graphql';
import type { SessionStep } from '../../admin/session-story.js';
import { STEP_KINDS } from '../../admin/session-story.js';
import type { Session } from '../../admin/sessions.js';
import { asUser, type Caller } from '../../callers/caller.js';
import { COST_OF_USER_AGENT } from '../limits.js';
import { connectionType } from './connection.js';
import { GraphQLDateTime } from './scalars.js';
import { spelledEnum } from './spelled-enum.js';

@ObjectType('Session', { simpleResolvers: true, description: 'The refresh tokens of one login.' })
export class SessionType implements Session {
  @Field(() => ID, { description: 'The family of the refresh tokens; `sid` of access tokens.' }) id!: string;
  @Field(() => ID) userId!: string;
  @Field(() => GraphQLDateTime) startedAt!: Date;
  @Field(() => GraphQLDateTime) lastUsedAt!: Date;
  @Field(() => GraphQLDateTime) expiresAt!: Date;
  @Field(() => String, { complexity: COST_OF_USER_AGENT }) userAgent!: string;
  @Field(() => String) ipAddress!: string;
  @Field(() => Boolean, { description: 'Neither revoked nor expired.' }) live!: boolean;
  @Field(() => Boolean, { description: 'The session of the access token that asks.' }) current!: boolean;
}

export const SessionConnection = connectionType('Session', SessionType, 'The last used first.');

export function toSession(session: Session, caller: Caller): SessionType {
  return { ...session, current: asUser(caller)?.sid === session.id };
}

export const SessionStepKindEnum = spelledEnum<SessionStep['what']>(
  'SessionStepKind',
  'What happened to a session.',
  Object.fromEntries(STEP_KINDS.map((kind) => [kind, kind])) as Record<SessionStep['what'], string>,
);

@ObjectType('SessionStep', { simpleResolvers: true, description: 'One event in the life of a session.' })
export class SessionStepType implements SessionStep {
  @Field(() => GraphQLDateTime) at!: Date;
  @Field(() => SessionStepKindEnum) what!: SessionStep['what'];
  @Field(() => ID, { nullable: true }) jti!: string | null;
  @Field(() => String) ipAddress!: string;
  @Field(() => String, { nullable: true, complexity: COST_OF_USER_AGENT }) userAgent!: string | null;
  @Field(() => String, { description: 'One sentence for a person.' }) detail!: string;
}

export const SessionStepConnection = connectionType('SessionStep', SessionStepType, 'Oldest first.');
