import { Migration } from '@mikro-orm/migrations';

/** Spec 2.5, 2.6 and 6: users, refresh tokens, audit events; and the counters of the rate limiter. */
export class Migration20261121000001_users_sessions_audit extends Migration {
  override up(): void {
    this.addSql(`
      create table users (
        id uuid primary key default gen_random_uuid(),
        email text not null constraint users_email_unique unique,
        password_hash text not null,
        password_version integer not null default 0,
        role text not null,
        is_active boolean not null default true,
        failed_login_attempts integer not null default 0,
        locked_until timestamptz,
        last_login_at timestamptz,
        created_at timestamptz not null default now(),
        constraint users_email_lower_case check (email = lower(email) and char_length(email) <= 254),
        constraint users_role_known check (role in ('viewer', 'analyst', 'admin')),
        constraint users_failed_login_attempts_not_negative check (failed_login_attempts >= 0)
      )`);
    this.addSql(`
      create table refresh_tokens (
        jti uuid primary key,
        user_id uuid not null,
        family_id uuid not null,
        revoked boolean not null default false,
        revoked_reason text,
        revoked_at timestamptz,
        user_agent text not null,
        ip_address text not null,
        expires_at timestamptz not null,
        created_at timestamptz not null default now(),
        session_started_at timestamptz not null default now(),
        constraint refresh_tokens_user_agent_length check (char_length(user_agent) <= 512)
      )`);
    this.addSql('create index refresh_tokens_family_id on refresh_tokens (family_id, created_at)');
    this.addSql('create index refresh_tokens_user_id on refresh_tokens (user_id, created_at)');
    this.addSql('create index refresh_tokens_expires_at on refresh_tokens (expires_at)');
    this.addSql(`
      create table audit_events (
        id uuid primary key default gen_random_uuid(),
        event_type text not null,
        entity_type text not null default 'user',
        user_id uuid,
        ip_address text not null,
        user_agent text,
        metadata jsonb not null,
        created_at timestamptz not null default now()
      )`);
    this.addSql('create index audit_events_created_at on audit_events (created_at, id)');
    this.addSql(
      'create table rate_limits (key varchar(255) primary key, points integer not null default 0, expire bigint)',
    );
    this.addSql('create index rate_limits_expire on rate_limits (expire)');
  }

  override down(): void {
    this.addSql('drop table rate_limits, audit_events, refresh_tokens, users');
  }
}
