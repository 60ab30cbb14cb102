/** Metadata of each audit event, with an e-mail wherever one may be. */
import type { AuditedEvent, EventType } from '../../src/audit/events.js';

type MetadataOf<Type extends EventType> = Extract<AuditedEvent, { eventType: Type }>['metadata'];

export const [USER, FAMILY, KEY] = [
  '019ab000-0000-7000-8000-000000000001',
  '019ab000-0000-7000-8000-000000000002',
  'ak_0123456789',
];
const FACTOR = '019ab000-0000-7000-8000-000000000003';
const operators = {
  user: { caller_type: 'user', sub: USER },
  api_key: { caller_type: 'api_key', key_id: KEY },
  cron: { caller_type: 'cron', key_id: KEY },
  cli: { caller_type: 'cli' },
} as const;
const actor = operators.cli;
export const email = 'ada@example.com';
export const OTHER_EMAIL = 'ada@example.org';
export const HOST = 'hooks.example.com:443';

/** One of each */
export const METADATA: { [Type in EventType]: MetadataOf<Type> } = {
  account_locked: { locked_until: '2026-11-22T10:00:00.000Z' },
  login_failure: { reason: 'invalid_credentials', email },
  login_success: { role: 'viewer' },
  token_theft: { reused_jti: KEY, family_id: FAMILY },
  logout: { jti: KEY },
  user_created: { actor: operators.user, email, role: 'viewer' },
  user_role_changed: { actor: operators.api_key, from: 'viewer', to: 'admin' },
  user_activated: { actor: operators.cron },
  user_deactivated: { actor, sessions_ended: 2 },
  user_unlocked: { actor },
  user_password_set: { by: 'link', purpose: 'reset', sessions_ended: 0 },
  user_password_changed: { family_id: FAMILY, sessions_ended: 1 },
  password_change_failed: { reason: 'current_password_wrong', family_id: FAMILY },
  password_link_issued: { actor, purpose: 'invitation', expires_at: '2026-11-22T10:00:00.000Z' },
  user_email_changed: { actor, from: email, to: OTHER_EMAIL },
  email_change_requested: { to: 'new@example.com', family_id: FAMILY },
  email_changed: { from: 'old@example.com', to: 'new@example.com', family_id: FAMILY },
  email_change_undone: { from: 'new@example.com', to: 'old@example.com', sessions_ended: 1 },
  notice_sent: { kind: 'new_login' },
  factor_added: { factor_id: FACTOR, kind: 'totp', family_id: FAMILY },
  factor_removed: { factor_id: FACTOR, kind: 'passkey', family_id: FAMILY },
  factors_reset: { actor, factors: 2, sessions_ended: 1 },
  recovery_codes_renewed: { family_id: FAMILY },
  recovery_code_used: { left: 9, family_id: FAMILY },
  session_confirmed: { family_id: FAMILY, factor: 'totp' },
  user_deleted: { actor, email, role: 'viewer', sessions_ended: 0 },
  user_erased: { actor, pseudonym: 'erased-0123456789ABCDEFGHIJ', events: 12 },
  session_revoked: { actor, family_id: FAMILY },
  device_forgotten: { actor, device_id: FAMILY },
  api_key_created: { actor, key_id: KEY, service_name: 'billing', scopes: ['users:read'], rate_limit: 60 },
  api_key_rotated: { actor, key_id: KEY, overlap_seconds: 60 },
  api_key_revoked: { actor, key_id: KEY, service_name: 'billing' },
  cron_key_created: { actor, key_id: KEY, service_name: 'nightly', scopes: [] },
  cron_key_rotated: { actor, key_id: KEY, overlap_seconds: 60 },
  cron_key_revoked: { actor, key_id: KEY, service_name: 'nightly' },
  login_counts_cleared: { actor, ip_address: '192.0.2.7', cleared: 1 },
  keyring_rotated: { actor, added: ['kid-1'], dropped: [] },
  password_reset_requested: { email },
  webhook_created: { actor, webhook_id: FAMILY, host: HOST, event_types: ['login_failure'], include_emails: false },
  webhook_secret_rotated: { actor, webhook_id: FAMILY, overlap_seconds: 60 },
  webhook_paused: { by: 'receiver', webhook_id: FAMILY },
  webhook_resumed: { actor, webhook_id: FAMILY },
  webhook_replayed: { actor, webhook_id: FAMILY, since: '2026-11-22T10:00:00.000Z' },
  webhook_deleted: { actor, webhook_id: FAMILY, host: HOST },
};
