/** CONTRACT 11: `AuditEvent`, its listing, its filter and its counts. */
import { GraphQLJSON } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { type AuditCount, type AuditEventFilter, type AuditRow, type TimeBucket } from '../../admin/audit-log.js';
import { EVENT_TYPES, type EventType } from '../../audit/events.js';
import { COST_OF_METADATA, COST_OF_USER_AGENT } from '../limits.js';
import { countedConnectionType } from './connection.js';
import { GraphQLDateTime } from './scalars.js';
import { spelledEnum } from './spelled-enum.js';

export const AuditEventTypeEnum = spelledEnum<EventType>(
  'AuditEventType',
  'What happened.',
  Object.fromEntries(EVENT_TYPES.map((type) => [type, type])) as Record<EventType, string>,
);

export const TimeBucketEnum = spelledEnum<TimeBucket>('TimeBucket', 'The length of a bucket of counts.', {
  minute: 'A minute.',
  hour: 'An hour.',
  day: 'A calendar day, of 23 to 25 hours where the clocks change.',
});

@ObjectType('AuditEvent', { simpleResolvers: true })
export class AuditEventType implements Omit<AuditRow, 'exactly'> {
  @Field(() => ID) id!: string;
  @Field(() => AuditEventTypeEnum) eventType!: EventType;
  @Field(() => String) entityType!: string;
  @Field(() => ID, { nullable: true }) userId!: string | null;
  @Field(() => String) ipAddress!: string;
  @Field(() => String, { nullable: true, complexity: COST_OF_USER_AGENT }) userAgent!: string | null;
  @Field(() => GraphQLJSON, { complexity: COST_OF_METADATA }) metadata!: Record<string, unknown>;
  @Field(() => GraphQLDateTime) createdAt!: Date;
}

export const AuditEventConnection = countedConnectionType('AuditEvent', AuditEventType, 'Newest first.');

@InputType('AuditEventFilter')
export class AuditEventFilterInput implements AuditEventFilter {
  @Field(() => [AuditEventTypeEnum], { nullable: true }) eventTypes?: EventType[] | null;
  @Field(() => ID, { nullable: true }) userId?: string | null;
  @Field(() => String, { nullable: true }) ipAddress?: string | null;
  @Field(() => String, { nullable: true, description: 'Events of this user, and failed logins that named it.' })
  email?: string | null;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'Inclusive.' }) since?: Date | null;
  @Field(() => GraphQLDateTime, { nullable: true, description: 'Exclusive.' }) until?: Date | null;
}

@ObjectType('AuditCount', { simpleResolvers: true })
export class AuditCountType implements AuditCount {
  @Field(() => GraphQLDateTime) bucketStart!: Date;
  @Field(() => AuditEventTypeEnum) eventType!: EventType;
  @Field(() => Int) count!: number;
}
