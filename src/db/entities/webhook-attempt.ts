/** One of the last attempts to deliver an event to a webhook. `outbox/attempts.ts` writes them. (Interface 17) */
import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { OutboxCursor } from './outbox-cursor.js';

@Entity({ tableName: 'webhook_attempts' })
export class WebhookAttempt {
  /** The cursor, which has the id of the webhook and ends with it */
  @ManyToOne(() => OutboxCursor, { primary: true, fieldName: 'webhook_id', deleteRule: 'cascade' })
  webhook!: OutboxCursor;
  /** The remainder of its number: a newer attempt takes the place of the one 50 before. */
  @PrimaryKey({ type: 'integer' }) slot!: number;
  /** Grows with each attempt of the webhook */
  @Property({ type: 'bigint' }) number!: string;
  @Property({ type: 'uuid' }) eventId!: string;
  @Property({ type: 'text' }) eventType!: string;
  /** Of the event, from 1; null: an operator has sent it */
  @Property({ type: 'integer', nullable: true }) attempt!: number | null;
  /** When it ended */
  @Property({ type: 'timestamptz', length: 6 }) at!: Date;
  @Property({ type: 'text' }) outcome!: string;
  /** Of HTTP */
  @Property({ type: 'integer', nullable: true }) status!: number | null;
  @Property({ type: 'integer' }) milliseconds!: number;
}
