import { Migration } from '@mikro-orm/migrations';

/** Interface 11: names of administrative events begin with the subject, like the others. */
export class Migration20261121000005_event_names extends Migration {
  override up(): void {
    this.addSql(`update audit_events set event_type = 'user_role_changed' where event_type = 'role_changed'`);
    this.addSql(`update audit_events set event_type = 'user_password_set' where event_type = 'password_set'`);
    this.addSql(`
      update refresh_tokens set revoked_reason = 'user_password_set'
      where revoked_reason = 'password_set' and revoked_reason is distinct from 'rotated'`); // which has an index
  }

  override down(): void {
    this.addSql(`update audit_events set event_type = 'role_changed' where event_type = 'user_role_changed'`);
    this.addSql(`update audit_events set event_type = 'password_set' where event_type = 'user_password_set'`);
    this.addSql(`update refresh_tokens set revoked_reason = 'password_set' where revoked_reason = 'user_password_set'`);
  }
}
