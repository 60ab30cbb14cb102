/** The type `Webhook`. Secrets are only in the payloads of the mutations that issue them. (Interface 17) */
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { OVERLAP_SECONDS } from '../../admin/key-fields.js';
import type { SentByHand } from '../../admin/send-by-hand.js';
import {
  type ListedAttempt,
  type ListedWebhook,
  previousWebhookSecretEndsAt,
  type WebhookOrder,
} from '../../admin/webhooks.js';
import { EVENT_TYPES, type EventType } from '../../audit/events.js';
import type { PausedBy } from '../../db/entities/outbox-cursor.js';
import { RequireScope } from '../authorization.js';
import { COST_OF_EVENT_TYPES, COST_OF_URL } from '../limits.js';
import { AuditEventTypeEnum } from './audit.js';
import { connectionType, orderedPageArgs } from './connection.js';
import { GraphQLDateTime } from './scalars.js';
import { spelledEnum } from './spelled-enum.js';

const PausedByEnum = spelledEnum<PausedBy>('WebhookPausedBy', 'Who paused a webhook.', {
  operator: 'An operator, by `pauseWebhook` or on the command line.',
  receiver: 'The receiver, which answered 410 Gone.',
});

const MILLISECONDS = 'From the name of the host to the end of the answer, in milliseconds.';

@ObjectType('WebhookAttempt', { simpleResolvers: true, description: 'An attempt to deliver an event to a webhook.' })
export class WebhookAttemptType {
  @Field(() => GraphQLDateTime, { description: 'When the attempt ended.' }) at!: Date;
  @Field(() => String, {
    description:
      'Result of the attempt: `delivered`, `http_error`, `redirect`, `gone`, `timeout`, `tls`, `connection_failed`, `address_refused`, `target_refused` or `secret_unreadable`.',
  })
  outcome!: string;
  @Field(() => Int, { nullable: true, description: 'HTTP status of the answer. Null if there was none.' })
  status!: number | null;
}

@ObjectType('WebhookEventAttempt', {
  simpleResolvers: true,
  description: 'An attempt to deliver an event to a webhook, with the event. Bodies and headers are not stored.',
})
export class WebhookEventAttemptType extends WebhookAttemptType {
  @Field(() => ID, { description: 'Id of the audit event, which `resendWebhookEvent` takes.' }) eventId!: string;
  @Field(() => AuditEventTypeEnum, { description: 'Type of the event.' }) eventType!: EventType;
  @Field(() => Int, {
    nullable: true,
    description: 'Number of the attempt for this event, from 1. Null if an operator sent it by `resendWebhookEvent`.',
  })
  attempt!: number | null;
  @Field(() => Int, { description: MILLISECONDS }) milliseconds!: number;
}

@ObjectType('Webhook', { simpleResolvers: true, description: 'A receiver of audit events over HTTP.' })
export class WebhookType {
  @Field(() => ID, { description: 'Webhook id, a UUID.' }) id!: string;
  /** Many receivers take the path for a secret. Nullable, so that a caller without the scope still gets a new secret. */
  @RequireScope('webhooks:read')
  @Field(() => String, {
    nullable: true,
    complexity: COST_OF_URL,
    description: 'Where events are sent. Null if the caller must not read it; see `errors`.',
  })
  url!: string;
  @Field(() => [AuditEventTypeEnum], {
    nullable: true,
    complexity: COST_OF_EVENT_TYPES,
    description: 'Types of the events that are sent. Null for all, including those of later versions.',
  })
  eventTypes!: EventType[] | null;
  @Field(() => Boolean, {
    description: 'Whether events have email addresses, in their `metadata` and as `user_email`.',
  })
  includeEmails!: boolean;
  @Field(() => GraphQLDateTime, { description: 'When the webhook was created.' }) createdAt!: Date;
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'When the webhook was paused. Null if it is not paused.',
  })
  pausedAt!: Date | null;
  @Field(() => PausedByEnum, { nullable: true, description: 'Who paused the webhook. Null if it is not paused.' })
  pausedBy!: PausedBy | null;
  @Field(() => Int, {
    description: 'Seconds for which the oldest event that is not delivered has waited. Zero if none waits.',
  })
  lag!: number;
  @Field(() => Int, { description: 'Number of events that failed and will be sent again.' }) parkedCount!: number;
  @Field(() => WebhookAttemptType, { nullable: true, description: 'The last attempt. Null if there was none.' })
  lastAttempt!: WebhookAttemptType | null;
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'Until when events are also signed with the previous secret. Null if only one secret signs.',
  })
  previousSecretEndsAt!: Date | null;
}

export const WebhookConnection = connectionType('Webhook', WebhookType, 'In the requested order.');

export const WebhookPageArgs = orderedPageArgs<WebhookOrder>('Webhook', {
  created_at: 'When the webhook was created.',
});

export function toWebhook(webhook: ListedWebhook, now: Date): WebhookType {
  const { lastAttemptAt: at, lastOutcome: outcome, lastStatus: status, eventTypes, ...same } = webhook;
  return {
    ...same,
    eventTypes: eventTypes?.filter((type) => EVENT_TYPES.includes(type)) ?? null, // a newer version may have stored others
    lastAttempt: at === null || outcome === null ? null : { at, outcome, status },
    previousSecretEndsAt: previousWebhookSecretEndsAt(webhook, now),
  };
}

export function toWebhookEventAttempt({ eventType, ...same }: ListedAttempt): WebhookEventAttemptType {
  return { ...same, eventType: eventType as EventType }; // or of a newer version
}

@InputType({ description: 'The webhook to create.' })
export class CreateWebhookInput {
  @Field(() => String, {
    description:
      'Where to send events: an `https` URL whose host and port `WEBHOOK_HOSTS` lists. In development, `http` to this machine works too.',
  })
  url!: string;
  @Field(() => [AuditEventTypeEnum], {
    nullable: true,
    description: 'Types of the events to send, at least one. Omit it for all, including those of later versions.',
  })
  eventTypes?: EventType[] | null;
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description:
      'Whether to send email addresses: those in the `metadata` of events, and that of the user as `user_email`. Needs `users:read`.',
  })
  includeEmails?: boolean | null;
}

@InputType({ description: 'The webhook to rotate, and how.' })
export class RotateWebhookSecretInput {
  @Field(() => ID, { description: 'Webhook id.' }) id!: string;
  @Field(() => Int, {
    nullable: true,
    defaultValue: OVERLAP_SECONDS,
    description:
      'Seconds for which events are also signed with the current secret, up to 2,592,000 (30 days). Use 0 after a leak: from now on only the new secret signs.',
  })
  overlapSeconds!: number | null;
}

@InputType({ description: 'The webhook to pause.' })
export class PauseWebhookInput {
  @Field(() => ID, { description: 'Webhook id.' }) id!: string;
}

@InputType({ description: 'The webhook to test.' })
export class TestWebhookInput {
  @Field(() => ID, { description: 'Webhook id.' }) id!: string;
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description:
      'Whether to sign with the newest secret alone, also while two sign, to see whether the receiver has it.',
  })
  newSecretOnly?: boolean | null;
}

@InputType({ description: 'The event to send again, and the webhook that gets it.' })
export class ResendWebhookEventInput {
  @Field(() => ID, { description: 'Webhook id.' }) id!: string;
  @Field(() => ID, { description: 'Id of an audit event of a type that the webhook gets.' }) eventId!: string;
}

@InputType({ description: 'The webhook to resume.' })
export class ResumeWebhookInput {
  @Field(() => ID, { description: 'Webhook id.' }) id!: string;
}

@InputType({ description: 'The webhook to replay, and from when.' })
export class ReplayWebhookInput {
  @Field(() => ID, { description: 'Webhook id.' }) id!: string;
  @Field(() => GraphQLDateTime, {
    description: 'Time of the first event to send, not in the future. Older events, also failed ones, are not sent.',
  })
  since!: Date;
}

@InputType({ description: 'The webhook to delete.' })
export class DeleteWebhookInput {
  @Field(() => ID, { description: 'Webhook id.' }) id!: string;
}

@ObjectType({ simpleResolvers: true })
abstract class IssuedWebhookPayload {
  @Field(() => WebhookType, { description: 'The webhook.' }) webhook!: WebhookType;
  @Field(() => String, {
    description: 'The secret that signs events, `whsec_…`. Store it now: it will not be shown again.',
  })
  secret!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The new webhook and its secret.' })
export class CreateWebhookPayload extends IssuedWebhookPayload {}

@ObjectType({ simpleResolvers: true, description: 'The webhook and its new secret.' })
export class RotateWebhookSecretPayload extends IssuedWebhookPayload {}

@ObjectType({ simpleResolvers: true, description: 'The paused webhook.' })
export class PauseWebhookPayload {
  @Field(() => WebhookType, { description: 'The paused webhook.' }) webhook!: WebhookType;
}

@ObjectType({ simpleResolvers: true })
abstract class SentByHandPayload {
  @Field(() => String, { description: 'As in `WebhookAttempt`; `timeout` after 3.5 seconds.' }) outcome!: string;
  @Field(() => Int, { nullable: true, description: 'HTTP status of the answer. Null if there was none.' })
  status!: number | null;
  @Field(() => Int, { description: MILLISECONDS }) milliseconds!: number;
}

export function toSentByHand({ delivery, milliseconds }: SentByHand): SentByHandPayload {
  const { outcome, status = null } = delivery;
  return { outcome, status, milliseconds };
}

@ObjectType({ simpleResolvers: true, description: 'What the receiver made of the test event.' })
export class TestWebhookPayload extends SentByHandPayload {}

@ObjectType({ simpleResolvers: true, description: 'What the receiver made of the event.' })
export class ResendWebhookEventPayload extends SentByHandPayload {}

@ObjectType({ simpleResolvers: true, description: 'The resumed webhook.' })
export class ResumeWebhookPayload {
  @Field(() => WebhookType, { description: 'The resumed webhook.' }) webhook!: WebhookType;
}

@ObjectType({ simpleResolvers: true, description: 'The webhook at its new place.' })
export class ReplayWebhookPayload {
  @Field(() => WebhookType, { description: 'The webhook.' }) webhook!: WebhookType;
}

@ObjectType({ simpleResolvers: true, description: 'The deleted webhook.' })
export class DeleteWebhookPayload {
  @Field(() => ID, { description: 'Id of the deleted webhook.' }) deletedId!: string;
}
