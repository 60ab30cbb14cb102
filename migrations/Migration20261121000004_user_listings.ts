import { Migration } from '@mikro-orm/migrations';

/** Interface 11: an index for each filter of `users`, in the order of the listing. A login changes none of these columns. */
export class Migration20261121000004_user_listings extends Migration {
  override up(): void {
    this.addSql('create index users_role on users (role, email)');
    this.addSql('create index users_is_active on users (is_active, email)');
    this.addSql('create index users_locked on users (email) where locked_until is not null');
  }

  override down(): void {
    this.addSql('drop index users_role, users_is_active, users_locked');
  }
}
