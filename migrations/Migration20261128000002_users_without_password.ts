import { Migration } from '@mikro-orm/migrations';

/** Interface 24: users who have no password, who are few. Only setting the first password of a user changes the index. */
export class Migration20261128000002_users_without_password extends Migration {
  override up(): void {
    this.addSql('create index users_without_password on users (email) where password_hash is null');
  }

  override down(): void {
    this.addSql('drop index users_without_password');
  }
}
