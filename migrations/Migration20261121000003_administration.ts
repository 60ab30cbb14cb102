import { Migration } from '@mikro-orm/migrations';

/** Interface 11: indexes for the listings of dashboards. */
export class Migration20261121000003_administration extends Migration {
  override up(): void {
    // Sessions: only the newest record of a family is not `rotated`.
    this.addSql(`
      create index refresh_tokens_sessions on refresh_tokens (user_id, created_at)
      where revoked_reason is distinct from 'rotated'`);

    // Audit log: each filter has an index in the order of the listing; counts use only the first one.
    this.addSql('drop index audit_events_created_at');
    this.addSql('create index audit_events_newest on audit_events (created_at, id) include (event_type)');
    this.addSql('create index audit_events_event_type on audit_events (event_type, created_at, id)');
    this.addSql('create index audit_events_user_id on audit_events (user_id, created_at, id)');
    this.addSql('create index audit_events_ip_address on audit_events (ip_address, created_at, id)');
    this.addSql(`
      create index audit_events_email on audit_events ((metadata ->> 'email'), created_at, id)
      where metadata ->> 'email' is not null`);
  }

  override down(): void {
    this.addSql(`
      drop index refresh_tokens_sessions, audit_events_newest, audit_events_event_type, audit_events_user_id,
        audit_events_ip_address, audit_events_email`);
    this.addSql('create index audit_events_created_at on audit_events (created_at, id)');
  }
}
