/** The type `AuditEvent`, its listing, its filters and its counts. (Interface 11) */
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { AuditCount, AuditCountFilter } from '../../audit/counts.js';
import { describeEvent, type EntityType, EVENT_TYPES, type EventType } from '../../audit/events.js';
import type { AuditEventFilter, AuditOrder, AuditRow } from '../../audit/log.js';
import { actorOf, type EventActor, entityIdOf } from '../../audit/lookups.js';
import type { TimeBucket } from '../../platform/time-buckets.js';
import { COST_OF_METADATA } from '../limits.js';
import { countedConnectionType, orderedPageArgs } from './connection.js';
import { EventBase } from './event-base.js';
import { GraphQLDateTime, GraphQLJSON } from './scalars.js';
import { spelledEnum } from './spelled-enum.js';

export const AuditEventTypeEnum = spelledEnum<EventType>(
  'AuditEventType',
  'Type of an audit event. Each value describes its `metadata`. The `actor` of a change is who made it: ' +
    '`caller_type` (`user`, `api_key`, `cron` or `cli`) with the `sub` of a user or the `key_id` of a key.',
  Object.fromEntries(EVENT_TYPES.map((type) => [type, describeEvent(type)])) as Record<EventType, string>,
);

export const AuditEntityTypeEnum = spelledEnum<EntityType>(
  'AuditEntityType',
  'Type of the entity that an audit event is about.',
  {
    user: 'A user, also if the email of a request is unknown.',
    api_key: 'An API key.',
    cron_key: 'A cron key.',
    keyring: 'The keyring of the gateway, which has no id.',
    login_counts: 'The counts of logins by address, which have no id.',
    webhook: 'A webhook.',
  },
);

export const AuditActorTypeEnum = spelledEnum<EventActor['callerType']>('AuditActorType', 'Who can make a change.', {
  user: 'A person, authenticated by an access token.',
  api_key: 'A service, authenticated by a signed request.',
  cron: 'A scheduled job, authenticated by its static internal key.',
  cli: 'The command line of the gateway.',
});

export const TimeBucketEnum = spelledEnum<TimeBucket>('TimeBucket', 'Length of a time bucket.', {
  minute: 'One minute.',
  hour: 'One clock hour. It lasts 30 or 90 minutes if the clocks change by half an hour.',
  day: 'One calendar day. It lasts 23 to 25 hours if the clocks change.',
});

@ObjectType('AuditActor', { simpleResolvers: true, description: 'Who made a change.' })
export class AuditActorType implements EventActor {
  @Field(() => AuditActorTypeEnum, { description: 'Kind of the actor.' })
  callerType!: EventActor['callerType'];

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the user, a UUID, or id of the key. Null for the command line. The filter `actorId` takes it.',
  })
  id!: string | null;
}

@ObjectType('AuditEvent', { simpleResolvers: true, description: 'An event in the audit log.' })
export class AuditEventType extends EventBase implements AuditRow {
  @Field(() => ID, { description: 'Unique id of the event, a UUID.' })
  id!: string;

  @Field(() => AuditEventTypeEnum, { description: 'Type of the event.' })
  eventType!: EventType;

  @Field(() => AuditEntityTypeEnum, { description: 'Type of the entity that the event is about.' })
  entityType!: EntityType;

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the user, key or webhook that the event is about. Null for the keyring and login counts, or if the email is ' +
      'unknown. The filter `entityId` takes it.',
  })
  entityId!: string | null;

  @Field(() => AuditActorType, {
    nullable: true,
    description: 'Who made the change. Null if the event is no change by an operator, such as a login.',
  })
  actor!: AuditActorType | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the user that the event is about, a UUID. Null if the event is not about a user, or the email is unknown.',
  })
  userId!: string | null;

  @Field(() => GraphQLJSON, {
    complexity: COST_OF_METADATA,
    description: 'Details of the event, an object. `AuditEventType` documents its fields for each type.',
  })
  metadata!: Record<string, unknown>;
}

@ObjectType('AuditEventAdded', { simpleResolvers: true, description: 'An event of the audit log, as it comes.' })
export class AuditEventAddedType {
  @Field(() => String, {
    description: 'Where the event stands in the log: the `id` of the message, and `Last-Event-ID` to resume behind it.',
  })
  cursor!: string;

  @Field(() => AuditEventType, { description: 'The event.' }) event!: AuditEventType;
}

export function toAuditEvent(row: AuditRow): AuditEventType {
  const types = { eventType: row.eventType as EventType, entityType: row.entityType as EntityType }; // or of a newer version
  return { ...row, ...types, entityId: entityIdOf(row), actor: actorOf(row) };
}

export const AuditEventConnection = countedConnectionType('AuditEvent', AuditEventType, 'In the requested order.');

export const AuditEventPageArgs = orderedPageArgs<AuditOrder>('AuditEvent', { created_at: 'When the event happened.' });

@InputType({ description: 'Conditions shared by the audit filters.' })
abstract class WhatFilter {
  @Field(() => [AuditEventTypeEnum], {
    nullable: true,
    description: 'Only events of these types. An empty list matches nothing; omit it for all types.',
  })
  eventTypes?: EventType[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Only thefts if true: events of type `token_theft` without `ended_by` in `metadata`. Only events with it if false, ' +
      'which are no thefts: the session had been ended before.',
  })
  isTheft?: boolean | null;

  @Field(() => ID, { nullable: true, description: 'Only events about the user with this id.' })
  userId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only events from this address, written exactly as in `ipAddress` of events.',
  })
  ipAddress?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only events about the user with this email, or that name it, such as failed logins.',
  })
  email?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Only changes made by the user or the key with this id, as in `actor { id }` of events.',
  })
  actorId?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Only events about the user, key or webhook with this id, as in `entityId` of events.',
  })
  entityId?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Only events of the session with this id, as in `sessionId` of events: its login, its logouts, and events with it in ' +
      '`metadata`. Only the latter once the session was swept, a day after it expired. Costs 3,000 more in `auditEvents`.',
  })
  sessionId?: string | null;
}

@InputType('AuditEventFilter', { description: 'Filters audit events. An event must match all given fields.' })
export class AuditEventFilterInput extends WhatFilter implements AuditEventFilter {
  @Field(() => GraphQLDateTime, { nullable: true, description: 'Only events at or after this time.' })
  since?: Date | null;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'Only events before this time.' })
  until?: Date | null;
}

@InputType('AuditCountFilter', { description: 'Filters the events to count. An event must match all given fields.' })
export class AuditCountFilterInput extends WhatFilter implements AuditCountFilter {
  @Field(() => GraphQLDateTime, {
    description: 'Only events at or after this time. The first bucket is the one that contains it.',
  })
  since!: Date;

  @Field(() => GraphQLDateTime, { description: 'Only events before this time.' })
  until!: Date;
}

@ObjectType('AuditCount', { simpleResolvers: true, description: 'Number of events of one type in one time bucket.' })
export class AuditCountType implements AuditCount {
  @Field(() => GraphQLDateTime, { description: 'Start of the bucket in the requested time zone.' })
  bucketStart!: Date;

  @Field(() => AuditEventTypeEnum, { description: 'Type of the events.' })
  eventType!: EventType;

  @Field(() => Int, { description: 'Number of events.' })
  count!: number;
}
