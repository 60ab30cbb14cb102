import { Migration } from '@mikro-orm/migrations';

/**
 * Interface 11: indexes for who made a change, what it was about, and in which session. They are partial: the event of a
 * login, of a failed one or of a logout is in none of them. Both versions write the same rows.
 */
export class Migration20261125000002_audit_lookups extends Migration {
  override up(): void {
    this.addSql(`
      create index audit_events_actor on audit_events
        ((coalesce(metadata -> 'actor' ->> 'sub', metadata -> 'actor' ->> 'key_id')), created_at, id)
      where metadata -> 'actor' is not null`);
    this.addSql(`
      create index audit_events_entity on audit_events
        ((coalesce(metadata ->> 'key_id', metadata ->> 'webhook_id')), created_at, id)
      where entity_type <> 'user'`);
    this.addSql(`
      create index audit_events_session on audit_events ((metadata ->> 'family_id'), created_at, id)
      where metadata ->> 'family_id' is not null`);
  }

  override down(): void {
    this.addSql('drop index audit_events_actor, audit_events_entity, audit_events_session');
  }
}
