/** Spec 6: audit events, a union on the event type, each with its exact metadata. */
import type { Role } from '../roles.js';

/** Who made an administrative change. */
export type Actor =
  | { caller_type: 'user'; sub: string }
  | { caller_type: 'api_key' | 'cron'; key_id: string }
  | { caller_type: 'cli' };

/** The table of Spec 6. */
interface AuthMetadata {
  account_locked: { locked_until: string };
  login_failure: { reason: 'invalid_credentials'; email: string };
  login_success: { role: Role };
  token_theft: { reused_jti: string; family_id: string };
  logout: { jti: string };
}

/** Administrative changes (CONTRACT 11), verb last: what each carries beside its actor. */
interface ChangeMetadata {
  user_created: { email: string; role: Role };
  user_role_changed: { from: Role; to: Role };
  user_activated: Nothing;
  user_deactivated: { sessions_ended: number };
  user_unlocked: Nothing;
  user_password_set: { sessions_ended: number };
  /** With what no row says any more */
  user_deleted: { email: string; role: Role; sessions_ended: number };
  session_revoked: { family_id: string };
  api_key_created: { key_id: string; service_name: string; scopes: string[]; rate_limit: number };
  api_key_rotated: { key_id: string; overlap_seconds: number };
  api_key_revoked: { key_id: string; service_name: string };
  cron_key_created: { key_id: string; service_name: string; scopes: string[] };
  cron_key_revoked: { key_id: string; service_name: string };
  /** `kid`s of the keys */
  keyring_rotated: { added: string[]; dropped: string[] };
}

type Nothing = Record<never, never>;

export type EventType = keyof AuthMetadata | keyof ChangeMetadata;

/** What each event is about. Spec 6 has `user`; our own about something else say so. An event that is missing does not compile. */
export const ENTITY_OF = {
  account_locked: 'user',
  login_failure: 'user',
  login_success: 'user',
  token_theft: 'user',
  logout: 'user',
  user_created: 'user',
  user_role_changed: 'user',
  user_activated: 'user',
  user_deactivated: 'user',
  user_unlocked: 'user',
  user_password_set: 'user',
  user_deleted: 'user',
  session_revoked: 'user',
  api_key_created: 'api_key',
  api_key_rotated: 'api_key',
  api_key_revoked: 'api_key',
  cron_key_created: 'cron_key',
  cron_key_revoked: 'cron_key',
  keyring_rotated: 'keyring',
} as const satisfies Record<EventType, 'user' | 'api_key' | 'cron_key' | 'keyring'>;

export const EVENT_TYPES = Object.keys(ENTITY_OF) as EventType[];

interface About<Type, Metadata> {
  eventType: Type;
  /** The user that the event is about, if it is about one */
  userId: string | null;
  metadata: Metadata;
}

interface From<UserAgent> {
  ipAddress: string;
  userAgent: UserAgent;
}

/** An event of the three routes; Spec 6 gives `logout` no user agent. */
export type AuthEvent = {
  [T in keyof AuthMetadata]: About<T, AuthMetadata[T]> & From<T extends 'logout' ? null : string>;
}[keyof AuthMetadata];

/** A change as `administer` is told of it, which adds who made it and from where. */
export type ChangeEvent = { [T in keyof ChangeMetadata]: About<T, ChangeMetadata[T]> }[keyof ChangeMetadata];

export type AdminEvent = {
  [T in keyof ChangeMetadata]: About<T, ChangeMetadata[T] & { actor: Actor }> & From<string>;
}[keyof ChangeMetadata];

export type AuditedEvent = AuthEvent | AdminEvent;
