/** Audit events, a union by event type, each with its exact metadata. (Spec 6) */
import type { EndedBy } from '../db/entities/refresh-token.js';
import type { FactorKind, FactorName } from '../domain/factors.js';
import type { LinkPurpose } from '../domain/link-purpose.js';
import type { NoticeKind } from '../domain/notices.js';
import type { Role } from '../domain/roles.js';

/** Who may make an administrative change (a kind of caller, or the command line), and what identifies them. */
interface Actors {
  user: { sub: string };
  api_key: { key_id: string };
  cron: { key_id: string };
  cli: Nothing;
}

export type ActorOf<Type extends keyof Actors> = { [T in Type]: { caller_type: T } & Actors[T] }[Type];
export type Actor = ActorOf<keyof Actors>;

/** The table of Spec 6. */
interface AuthMetadata {
  account_locked: { locked_until: string; by?: 'account' | 'device' };
  login_failure: { reason: 'invalid_credentials'; email: string; factor?: FactorName };
  login_success: { role: Role; factor?: FactorName };
  token_theft: { reused_jti: string; family_id: string; ended_by?: EndedBy };
  logout: { jti: string };
}

/** Interface 15: what users do with their own passwords. */
interface PasswordMetadata {
  /** `family_id` is the session whose access token was sent */
  password_change_failed: { reason: 'current_password_wrong'; family_id: string | null };
  user_password_changed: { family_id: string | null; sessions_ended: number };
  /** `first`: no password was ever set before */
  user_password_set: { by: 'link'; purpose: LinkPurpose; sessions_ended: number; first?: true };
  /** Somebody asked for a reset link; without a user if none is active under the e-mail */
  password_reset_requested: { email: string };
  password_link_issued: { by: 'request'; purpose: 'reset'; expires_at: string };
}

/** Interface 20: what users do with their own factors. `family_id` is the session. */
interface FactorMetadata {
  factor_added: { factor_id: string; kind: FactorKind; family_id: string };
  factor_removed: { factor_id: string; kind: FactorKind; family_id: string };
  recovery_codes_renewed: { family_id: string };
  /** `family_id`: the session that it began */
  recovery_code_used: { left: number; family_id: string };
  /** Without `factor`: by the password */
  session_confirmed: { family_id: string; factor?: FactorKind };
}

/** Interface 21: what users do with their own e-mail. `family_id` is the session. */
interface EmailMetadata {
  /** `to` has not been confirmed, and may be somebody else's */
  email_change_requested: { to: string; family_id: string };
  email_changed: { from: string; to: string; family_id: string };
  /** By the link to the former e-mail, which is `to` */
  email_change_undone: { from: string; to: string; sessions_ended: number };
}

/** Interface 17: what the gateway does by itself. */
interface OutboxMetadata {
  notice_sent: { kind: NoticeKind };
  webhook_paused: { by: 'receiver'; webhook_id: string };
}

type UserMetadata = AuthMetadata & PasswordMetadata & FactorMetadata & EmailMetadata & OutboxMetadata;

/** Administrative changes (Interface 11): the metadata of each, without its actor. */
interface ChangeMetadata {
  user_created: { email: string; role: Role };
  user_role_changed: { from: Role; to: Role };
  user_activated: Nothing;
  user_deactivated: { sessions_ended: number };
  user_unlocked: Nothing;
  user_password_set: { sessions_ended: number };
  user_email_changed: { from: string; to: string };
  /** `factors`: how many were removed */
  factors_reset: { factors: number; sessions_ended: number };
  /** `mailed` if the link went to the user alone */
  password_link_issued: { purpose: LinkPurpose; expires_at: string; mailed?: true };
  /** With facts about the deleted row */
  user_deleted: { email: string; role: Role; sessions_ended: number };
  /** `pseudonym` stands in the place of what named the person in `events` audit events */
  user_erased: { pseudonym: string; events: number };
  session_revoked: { family_id: string };
  device_forgotten: { device_id: string };
  api_key_created: { key_id: string; service_name: string; scopes: string[]; rate_limit: number; expires_at?: string };
  api_key_rotated: { key_id: string; overlap_seconds: number; expires_at?: string };
  api_key_revoked: { key_id: string; service_name: string };
  cron_key_created: { key_id: string; service_name: string; scopes: string[]; expires_at?: string };
  cron_key_rotated: { key_id: string; overlap_seconds: number; expires_at?: string };
  cron_key_revoked: { key_id: string; service_name: string };
  /** `ip_address` is an address or a network; null for all */
  login_counts_cleared: { ip_address: string | null; cleared: number };
  /** `kid`s of the keys */
  keyring_rotated: { added: string[]; dropped: string[] };
  /** `host` is the authority of its URL, whose path may be a secret; `event_types` is null for all */
  webhook_created: { webhook_id: string; host: string; event_types: string[] | null; include_emails: boolean };
  webhook_secret_rotated: { webhook_id: string; overlap_seconds: number };
  webhook_paused: { webhook_id: string };
  webhook_resumed: { webhook_id: string };
  webhook_replayed: { webhook_id: string; since: string };
  webhook_deleted: { webhook_id: string; host: string };
}

type Nothing = Record<never, never>;

export type EventType = keyof UserMetadata | keyof ChangeMetadata;

/** Fields of the metadata that hold an e-mail (Interface 17). */
export const EMAIL_FIELDS: { [Type in EventType]?: Array<FieldsOf<Type>> } = {
  login_failure: ['email'],
  user_created: ['email'],
  user_deleted: ['email'],
  user_email_changed: ['from', 'to'],
  email_change_requested: ['to'],
  email_changed: ['from', 'to'],
  email_change_undone: ['from', 'to'],
  password_reset_requested: ['email'],
};

export type EntityType = 'user' | 'api_key' | 'cron_key' | 'keyring' | 'login_counts' | 'webhook';

/** What each event is about. Spec 6 has only `user`. A missing event does not compile. */
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
  user_password_changed: 'user',
  password_change_failed: 'user',
  password_link_issued: 'user',
  password_reset_requested: 'user',
  user_email_changed: 'user',
  email_change_requested: 'user',
  email_changed: 'user',
  email_change_undone: 'user',
  notice_sent: 'user',
  factor_added: 'user',
  factor_removed: 'user',
  factors_reset: 'user',
  recovery_codes_renewed: 'user',
  recovery_code_used: 'user',
  session_confirmed: 'user',
  user_deleted: 'user',
  user_erased: 'user',
  session_revoked: 'user',
  device_forgotten: 'user',
  api_key_created: 'api_key',
  api_key_rotated: 'api_key',
  api_key_revoked: 'api_key',
  cron_key_created: 'cron_key',
  cron_key_rotated: 'cron_key',
  cron_key_revoked: 'cron_key',
  login_counts_cleared: 'login_counts',
  keyring_rotated: 'keyring',
  webhook_created: 'webhook',
  webhook_secret_rotated: 'webhook',
  webhook_paused: 'webhook',
  webhook_resumed: 'webhook',
  webhook_replayed: 'webhook',
  webhook_deleted: 'webhook',
} as const satisfies Record<EventType, EntityType>;

export const EVENT_TYPES = Object.keys(ENTITY_OF) as EventType[];

interface About<Type, Metadata> {
  eventType: Type;
  /** The user concerned, if there is one */
  userId: string | null;
  metadata: Metadata;
}

interface From<UserAgent> {
  ipAddress: string;
  userAgent: UserAgent;
}

/** An event of the REST routes; Spec 6 gives `logout` no user agent. */
export type AuthEvent = {
  [T in keyof UserMetadata]: About<T, UserMetadata[T]> & From<T extends 'logout' ? null : string>;
}[keyof UserMetadata];

/** A change as reported to `administer`, which adds the actor and the origin. */
export type ChangeEvent = { [T in keyof ChangeMetadata]: About<T, ChangeMetadata[T]> }[keyof ChangeMetadata];

export type AdminEvent = {
  [T in keyof ChangeMetadata]: About<T, ChangeMetadata[T] & { actor: Actor }> & From<string>;
}[keyof ChangeMetadata];

export type AuditedEvent = AuthEvent | AdminEvent;

/** The fields of any event of the type: a password is set by a link or by an operator. */
type FieldsOf<Type extends EventType> = KeysOf<Extract<AuditedEvent, { eventType: Type }>['metadata']>;
type KeysOf<Metadata> = Metadata extends unknown ? keyof Metadata : never;

interface Description<Type extends EventType> {
  /** One sentence for a person */
  means: string;
  /** Each field of the metadata, with what its name does not say */
  metadata: Record<FieldsOf<Type>, string>;
}

const EXPIRES = 'only if the key expires: RFC 3339';

const DESCRIPTIONS: { [Type in EventType]: Description<Type> } = {
  account_locked: {
    means: 'A login was refused because the account is locked after too many failed logins.',
    metadata: {
      locked_until: 'end of the lock, RFC 3339',
      by: 'only if devices are known: `account`, or `device` if a device has failed too often and others can log in',
    },
  },
  login_failure: {
    means:
      'A login or confirmation was refused: the email is unknown, the user is deactivated, or the password or second factor is wrong.',
    metadata: {
      reason: 'always `invalid_credentials`',
      email: 'as sent, in lower case',
      factor: 'only if the password was right, or none was sent: `totp`, `passkey` or `recovery_code`, which was wrong',
    },
  },
  login_success: {
    means: 'A user logged in.',
    metadata: { role: '', factor: 'only if one took part: `totp`, `passkey` or `recovery_code`' },
  },
  token_theft: {
    means: 'A used or revoked refresh token was presented, which ended its session.',
    metadata: {
      reused_jti: 'the token',
      family_id: 'the session',
      ended_by:
        'only if the token had not been used, so that this is no theft: what had ended it, one of `logout`, `session_revoked`, `user_deactivated`, `user_password_set`, `factors_reset`, `email_change_undone`, `user_deleted`',
    },
  },
  logout: { means: 'A user logged out.', metadata: { jti: 'the refresh token' } },
  user_created: { means: 'A user was created.', metadata: { actor: '', email: '', role: '' } },
  user_role_changed: { means: 'The role of a user was changed.', metadata: { actor: '', from: '', to: '' } },
  user_activated: { means: 'A user was activated and can log in again.', metadata: { actor: '' } },
  user_deactivated: {
    means: 'A user was deactivated and cannot log in.',
    metadata: { actor: '', sessions_ended: 'number of sessions ended' },
  },
  user_unlocked: {
    means: 'A user was unlocked, and the count of failed logins was reset.',
    metadata: { actor: '' },
  },
  user_password_set: {
    means: 'An operator set the password of a user, or the user set it by a link, which has no `actor`.',
    metadata: {
      actor: '',
      by: '`link`',
      purpose: '`invitation` or `reset`',
      sessions_ended: 'number of sessions ended',
      first: '`true` if no password was ever set before',
    },
  },
  user_password_changed: {
    means: 'A user changed their own password.',
    metadata: { family_id: 'the session that changed it and stays', sessions_ended: 'number of other sessions ended' },
  },
  password_change_failed: {
    means: 'A user who wanted to change their own password sent a wrong current password.',
    metadata: { reason: 'always `current_password_wrong`', family_id: 'the session' },
  },
  password_link_issued: {
    means:
      'An operator issued a link by which a user can set a password, or the user asked for it by mail, which has no `actor`.',
    metadata: {
      actor: '',
      by: '`request`',
      purpose: '`invitation` or `reset`',
      expires_at: 'RFC 3339',
      mailed: '`true` if the link was mailed to the user and not shown to the operator',
    },
  },
  password_reset_requested: {
    means: 'Somebody asked for a mail with a link to reset a password.',
    metadata: { email: 'as sent, in lower case' },
  },
  user_email_changed: { means: 'The email of a user was changed.', metadata: { actor: '', from: '', to: '' } },
  email_change_requested: {
    means: 'A user asked for another email, which gets a link unless it is taken.',
    metadata: { to: 'the new email, which nobody has confirmed', family_id: 'the session' },
  },
  email_changed: {
    means: 'A user changed their email by the link to the new one.',
    metadata: { from: '', to: '', family_id: 'the session' },
  },
  email_change_undone: {
    means: 'The former email of a user took a change back, which ended the sessions and the password.',
    metadata: { from: '', to: 'the former email', sessions_ended: 'number of sessions ended' },
  },
  notice_sent: { means: 'A user was mailed a notice.', metadata: { kind: 'what about' } },
  factor_added: {
    means: 'A user added a second factor.',
    metadata: { factor_id: '', kind: '`totp` or `passkey`', family_id: 'the session' },
  },
  factor_removed: {
    means: 'A user removed a second factor.',
    metadata: { factor_id: '', kind: '`totp` or `passkey`', family_id: 'the session' },
  },
  factors_reset: {
    means: 'An operator removed every second factor and recovery code of a user, and ended the sessions.',
    metadata: { actor: '', factors: 'number of factors', sessions_ended: 'number of sessions ended' },
  },
  recovery_codes_renewed: {
    means: 'A user replaced their recovery codes.',
    metadata: { family_id: 'the session' },
  },
  recovery_code_used: {
    means: 'A user logged in with a recovery code.',
    metadata: { left: 'number of codes that are left', family_id: 'the session that it began' },
  },
  session_confirmed: {
    means: 'A user proved again who they are.',
    metadata: { family_id: 'the session', factor: 'only if not by the password: `totp` or `passkey`' },
  },
  user_deleted: {
    means: 'A user was deleted.',
    metadata: { actor: '', email: '', role: '', sessions_ended: 'number of sessions ended' },
  },
  user_erased: {
    means: 'A user was erased: a pseudonym replaces their emails, addresses and user agents in the audit log.',
    metadata: { actor: '', pseudonym: '', events: 'number of events changed' },
  },
  session_revoked: {
    means: 'The user or an administrator ended a session.',
    metadata: { actor: '', family_id: 'the session' },
  },
  device_forgotten: {
    means: 'The user or an administrator made the gateway forget a known device.',
    metadata: { actor: '', device_id: 'the device' },
  },
  api_key_created: {
    means: 'An API key was created.',
    metadata: {
      actor: '',
      key_id: '',
      service_name: '',
      scopes: '',
      rate_limit: 'requests per minute',
      expires_at: EXPIRES,
    },
  },
  api_key_rotated: {
    means: 'An API key was given a new secret.',
    metadata: {
      actor: '',
      key_id: '',
      overlap_seconds: 'how long the previous secret stays valid',
      expires_at: 'only if it was changed: RFC 3339',
    },
  },
  api_key_revoked: { means: 'An API key was revoked.', metadata: { actor: '', key_id: '', service_name: '' } },
  cron_key_created: {
    means: 'A cron key was created.',
    metadata: { actor: '', key_id: '', service_name: '', scopes: '', expires_at: EXPIRES },
  },
  cron_key_rotated: {
    means: 'A cron key was given a new secret.',
    metadata: {
      actor: '',
      key_id: '',
      overlap_seconds: 'how long the previous secret stays valid',
      expires_at: 'only if it was changed: RFC 3339',
    },
  },
  cron_key_revoked: {
    means: 'A cron key was revoked.',
    metadata: { actor: '', key_id: '', service_name: '' },
  },
  login_counts_cleared: {
    means: 'The counts of logins of an address were cleared, so that it can log in again.',
    metadata: { actor: '', ip_address: 'the address or network, null for all', cleared: 'number of counts' },
  },
  keyring_rotated: {
    means: 'The keyring was rotated.',
    metadata: { actor: '', added: 'the `kid`s of new keys', dropped: 'the `kid`s of removed keys' },
  },
  webhook_created: {
    means: 'A webhook was created.',
    metadata: {
      actor: '',
      webhook_id: '',
      host: 'host and port of its URL',
      event_types: 'null for all',
      include_emails: '',
    },
  },
  webhook_secret_rotated: {
    means: 'A webhook was given a new secret.',
    metadata: { actor: '', webhook_id: '', overlap_seconds: 'how long the previous secret signs too' },
  },
  webhook_paused: {
    means: 'An operator paused a webhook, or its receiver answered 410 Gone, which has no `actor`.',
    metadata: { actor: '', by: '`receiver`', webhook_id: '' },
  },
  webhook_resumed: { means: 'A webhook was resumed.', metadata: { actor: '', webhook_id: '' } },
  webhook_replayed: {
    means: 'A webhook was set to send all events since a time, and none from before.',
    metadata: { actor: '', webhook_id: '', since: 'RFC 3339' },
  },
  webhook_deleted: {
    means: 'A webhook was deleted.',
    metadata: { actor: '', webhook_id: '', host: 'host and port of its URL' },
  },
};

/** Types of events that have an `actor`. */
export const OPERATOR_EVENT_TYPES = EVENT_TYPES.filter((type) => 'actor' in DESCRIPTIONS[type].metadata);

export function meaningOf(type: EventType): string {
  return DESCRIPTIONS[type].means;
}

/** Markdown: the meaning of an event and the fields of its metadata. */
export function describeEvent(type: EventType): string {
  const { means, metadata } = DESCRIPTIONS[type];
  const fields = Object.entries(metadata).map(([name, more]) =>
    more === '' ? `\`${name}\`` : `\`${name}\` (${more})`,
  );
  return `${means} \`metadata\`: ${fields.join(', ')}.`;
}
