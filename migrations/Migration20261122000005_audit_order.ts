import { Migration } from '@mikro-orm/migrations';

/**
 * Interface 9: when the database wrote an event: the order of exports. Existing rows get the time of the migration without
 * being rewritten, and are ordered by their ids. The previous version inserts without the column.
 */
export class Migration20261122000005_audit_order extends Migration {
  override up(): void {
    this.addSql('alter table audit_events add column written_at timestamptz not null default now()');
    this.addSql('alter table audit_events alter column written_at set default clock_timestamp()');
    this.addSql('create index audit_events_written on audit_events (written_at, id)');
  }

  override down(): void {
    this.addSql('alter table audit_events drop column written_at');
  }
}
