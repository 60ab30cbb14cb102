import { Migration } from '@mikro-orm/migrations';

/**
 * Interface 17: cursors on the audit log, the events that a cursor alone does not describe, webhooks, and sealed tokens of
 * password links that wait for a mail. The previous version neither reads nor writes any of it.
 */
export class Migration20261125000001_outbox extends Migration {
  override up(): void {
    this.addSql(`
      create table outbox_cursors (
        id uuid primary key,
        kind text not null,
        front_at timestamptz not null,
        front_id uuid not null,
        settled_at timestamptz not null,
        settled_id uuid not null,
        claimed_by uuid,
        claimed_until timestamptz,
        failures integer not null default 0,
        retry_at timestamptz,
        paused_at timestamptz,
        paused_by text,
        last_attempt_at timestamptz,
        last_outcome text,
        last_status integer,
        constraint outbox_cursors_kind_known check (kind in ('webhook', 'mail')),
        constraint outbox_cursors_paused_by_known check (paused_by in ('operator', 'receiver'))
      )`);
    this.addSql(`
      create table outbox_events (
        cursor_id uuid not null,
        event_id uuid not null,
        written_at timestamptz not null,
        due_at timestamptz,
        attempts integer not null,
        primary key (cursor_id, event_id)
      )`);
    this.addSql('create index outbox_events_order on outbox_events (cursor_id, written_at, event_id)');
    this.addSql(`
      create table webhooks (
        id uuid primary key,
        url text not null,
        event_types text[],
        include_emails boolean not null,
        sealed_secret text not null,
        previous_sealed_secret text,
        previous_ends_at timestamptz,
        created_at timestamptz not null,
        constraint webhooks_url_length check (char_length(url) <= 2048)
      )`);
    this.addSql('alter table password_links add column sealed_token text');
  }

  override down(): void {
    this.addSql('alter table password_links drop column sealed_token');
    this.addSql('drop table webhooks');
    this.addSql('drop table outbox_events');
    this.addSql('drop table outbox_cursors');
  }
}
