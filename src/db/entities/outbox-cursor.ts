/** The position of a webhook, or of mail, in the audit log. `outbox/cursors.ts` moves it. (Interface 17) */
import { Check, Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

export type OutboxKind = 'webhook' | 'mail';
/** `receiver`: it answered 410 Gone. */
export type PausedBy = 'operator' | 'receiver';

@Entity({ tableName: 'outbox_cursors' })
@Check({ name: 'outbox_cursors_kind_known', expression: `kind in ('webhook', 'mail')` })
@Check({ name: 'outbox_cursors_paused_by_known', expression: `paused_by in ('operator', 'receiver')` })
export class OutboxCursor {
  /** Of the webhook, or the one of mail */
  @PrimaryKey({ type: 'uuid' }) id!: string;
  @Property({ type: 'text' }) kind!: OutboxKind;
  /** `written_at` and id of the last event that was tried, or passed over because it was not asked for */
  @Property({ type: 'timestamptz', length: 6 }) frontAt!: Date;
  @Property({ type: 'uuid' }) frontId!: string;
  /** Up to here no event can appear any more, and none is missing. Never beyond the front */
  @Property({ type: 'timestamptz', length: 6 }) settledAt!: Date;
  @Property({ type: 'uuid' }) settledId!: string;
  /** The claim of the instance that works on it, with an id of its own, and until when, by the clock of the database */
  @Property({ type: 'uuid', nullable: true }) claimedBy!: string | null;
  @Property({ type: 'timestamptz', length: 6, nullable: true }) claimedUntil!: Date | null;
  /** Different events in a row that failed; from three on the receiver is down */
  @Property({ type: 'integer', default: 0 }) failures!: number;
  /** Nothing is sent before */
  @Property({ type: 'timestamptz', length: 6, nullable: true }) retryAt!: Date | null;
  @Property({ type: 'timestamptz', length: 6, nullable: true }) pausedAt!: Date | null;
  @Property({ type: 'text', nullable: true }) pausedBy!: PausedBy | null;
  @Property({ type: 'timestamptz', length: 6, nullable: true }) lastAttemptAt!: Date | null;
  @Property({ type: 'text', nullable: true }) lastOutcome!: string | null;
  /** Of HTTP or SMTP */
  @Property({ type: 'integer', nullable: true }) lastStatus!: number | null;
  /** Of the attempts that were stored, for the place of the next */
  @Property({ type: 'bigint', defaultRaw: '0' }) attemptCount!: string;
}
