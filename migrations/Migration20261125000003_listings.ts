import { Migration } from '@mikro-orm/migrations';

/**
 * Interface 11: users by the time when they were created, which never changes: a login that updates its user in place (HOT)
 * still does. The order by last login has no index, because each login would have to write it. Nor does that of all
 * sessions need one: their ids begin with the time of the login.
 */
export class Migration20261125000003_listings extends Migration {
  override up(): void {
    this.addSql('create index users_created_at on users (created_at, id)');
  }

  override down(): void {
    this.addSql('drop index users_created_at');
  }
}
