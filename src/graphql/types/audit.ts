/** Interface 11: `AuditEvent`, its listing, its filters and its counts. */
import { GraphQLJSON } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { AuditCount, AuditCountFilter } from '../../audit/counts.js';
import { describeEvent, EVENT_TYPES, type EventType } from '../../audit/events.js';
import type { AuditEventFilter, AuditRow } from '../../audit/log.js';
import type { TimeBucket } from '../../platform/time-buckets.js';
import { COST_OF_METADATA } from '../limits.js';
import { countedConnectionType } from './connection.js';
import { EventBase } from './event-base.js';
import { GraphQLDateTime } from './scalars.js';
import { spelledEnum } from './spelled-enum.js';

const AuditEventTypeEnum = spelledEnum<EventType>(
  'AuditEventType',
  'What happened, and what the `metadata` of such an event holds. The `actor` of a change is who made it: ' +
    '`caller_type` (`user`, `api_key`, `cron` or `cli`) with the `sub` of a user or the `key_id` of a key.',
  Object.fromEntries(EVENT_TYPES.map((type) => [type, describeEvent(type)])) as Record<EventType, string>,
);

export const TimeBucketEnum = spelledEnum<TimeBucket>('TimeBucket', 'The length of a bucket of counts.', {
  minute: 'A minute.',
  hour: 'An hour by the clock; where clocks change by half an hour, 30 or 90 minutes.',
  day: 'A calendar day, of 23 to 25 hours where the clocks change.',
});

@ObjectType('AuditEvent', { simpleResolvers: true, description: 'One event of the audit log.' })
export class AuditEventType extends EventBase implements Omit<AuditRow, 'exactly'> {
  @Field(() => ID, { description: 'A UUID.' })
  id!: string;

  @Field(() => AuditEventTypeEnum, { description: 'What happened.' })
  eventType!: EventType;

  @Field(() => String, { description: 'What the event is about: `user`, `api_key`, `cron_key` or `keyring`.' })
  entityType!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The user that the event is about, a UUID. Null where it is about none, or about an unknown e-mail.',
  })
  userId!: string | null;

  @Field(() => GraphQLJSON, {
    complexity: COST_OF_METADATA,
    description: 'What else there is to know, an object; `AuditEventType` says for each type what it holds.',
  })
  metadata!: Record<string, unknown>;
}

export const AuditEventConnection = countedConnectionType('AuditEvent', AuditEventType, 'Newest first.');

@InputType({ description: 'What events are looked for.' })
abstract class WhatFilter {
  @Field(() => [AuditEventTypeEnum], {
    nullable: true,
    description: 'Events of one of these types; of an empty list none, left out: of every type.',
  })
  eventTypes?: EventType[] | null;

  @Field(() => ID, { nullable: true, description: 'Events about the user of this id.' })
  userId?: string | null;

  @Field(() => String, { nullable: true, description: 'Events from this address, exactly as events show it.' })
  ipAddress?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Events about the user with this e-mail, and those that name it, such as failed logins.',
  })
  email?: string | null;
}

@InputType('AuditEventFilter', { description: 'Which events: those that all of the given fields fit.' })
export class AuditEventFilterInput extends WhatFilter implements AuditEventFilter {
  @Field(() => GraphQLDateTime, { nullable: true, description: 'Events at this time or later.' })
  since?: Date | null;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'Events before this time.' })
  until?: Date | null;
}

@InputType('AuditCountFilter', { description: 'Which events are counted: those that all of the given fields fit.' })
export class AuditCountFilterInput extends WhatFilter implements AuditCountFilter {
  @Field(() => GraphQLDateTime, {
    description: 'Events at this time or later; the first bucket is the one that holds it.',
  })
  since!: Date;

  @Field(() => GraphQLDateTime, { description: 'Events before this time.' })
  until!: Date;
}

@ObjectType('AuditCount', { simpleResolvers: true, description: 'How many events of one type one bucket holds.' })
export class AuditCountType implements AuditCount {
  @Field(() => GraphQLDateTime, { description: 'When the bucket begins by the clocks of the time zone.' })
  bucketStart!: Date;

  @Field(() => AuditEventTypeEnum, { description: 'The type of the events.' })
  eventType!: EventType;

  @Field(() => Int, { description: 'How many there were.' })
  count!: number;
}
