import { Migration } from '@mikro-orm/migrations';

/**
 * Interface 17: the last attempts of each webhook, and how many there were. The previous version neither reads nor writes
 * them; a webhook that it deletes takes its attempts along.
 */
export class Migration20261128000003_webhook_attempts extends Migration {
  override up(): void {
    this.addSql('alter table outbox_cursors add column attempt_count bigint not null default 0');
    this.addSql(`
      create table webhook_attempts (
        webhook_id uuid not null,
        slot integer not null,
        number bigint not null,
        event_id uuid not null,
        event_type text not null,
        attempt integer,
        at timestamptz not null,
        outcome text not null,
        status integer,
        milliseconds integer not null,
        primary key (webhook_id, slot),
        constraint webhook_attempts_webhook_id_foreign foreign key (webhook_id)
          references outbox_cursors (id) on delete cascade
      )`);
  }

  override down(): void {
    this.addSql('drop table webhook_attempts');
    this.addSql('alter table outbox_cursors drop column attempt_count');
  }
}
