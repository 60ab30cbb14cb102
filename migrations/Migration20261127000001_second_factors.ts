import { Migration } from '@mikro-orm/migrations';

/**
 * Interface 20: second factors, and how each session was proved. The previous version writes null into the two columns of
 * `refresh_tokens`, which is a login by password, and asks for no factor: add the first one once every instance is new.
 */
export class Migration20261127000001_second_factors extends Migration {
  override up(): void {
    this.addSql('alter table users add column has_factors boolean not null default false');
    this.addSql('alter table refresh_tokens add column amr text[], add column proved_at timestamptz');
    this.addSql(`
      create table factors (
        id uuid primary key,
        user_id uuid not null,
        kind text not null constraint factors_kind_known check (kind in ('totp', 'passkey')),
        name text not null constraint factors_name_length check (char_length(name) >= 1 and char_length(name) <= 100),
        created_at timestamptz not null,
        last_used_at timestamptz,
        sealed_secret text,
        last_step integer,
        credential_id bytea constraint factors_credential_id_unique unique,
        user_handle bytea,
        public_key bytea,
        sign_count bigint,
        transports text[],
        is_synced boolean,
        constraint factors_whole check (case kind
          when 'totp' then sealed_secret is not null
          else num_nulls(credential_id, user_handle, public_key, sign_count, transports, is_synced) = 0
        end)
      )`);
    this.addSql('create index factors_user_id on factors (user_id, created_at)');
    this.addSql("create unique index factors_one_totp on factors (user_id) where kind = 'totp'");
    this.addSql(`
      create table recovery_codes (
        user_id uuid not null,
        code_sha256 bytea not null,
        primary key (user_id, code_sha256)
      )`);
    this.addSql(`
      create table ceremonies (
        token_sha256 bytea primary key,
        purpose text not null,
        user_id uuid,
        password_version integer,
        family_id uuid,
        half_login_sha256 bytea,
        user_handle bytea,
        sealed_secret text,
        expires_at timestamptz not null,
        constraint ceremonies_purpose_known check (
          purpose in ('half_login', 'passkey_login', 'second_factor', 'confirmation', 'passkey_enrolment', 'totp_enrolment')
        )
      )`);
    this.addSql('create index ceremonies_user_id on ceremonies (user_id)');
    this.addSql('create index ceremonies_expires_at on ceremonies (expires_at)');
  }

  override down(): void {
    this.addSql('drop table factors, recovery_codes, ceremonies');
    this.addSql('alter table refresh_tokens drop column amr, drop column proved_at');
    this.addSql('alter table users drop column has_factors');
  }
}
