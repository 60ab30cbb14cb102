// Written by `npm run schema` from `operations/` and `schema.graphql`.

import type { Operation } from '../kit/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Filters API keys. A key must match all given fields. */
export type ApiKeyFilter = {
  /** Only keys with one of these ids, at most 100. An empty list matches nothing. */
  ids?: Array<string | number> | null | undefined;
  /** Only keys that work if true, only revoked and expired ones if false. */
  live?: boolean | null | undefined;
  /** Only keys of the service with exactly this name. */
  serviceName?: string | null | undefined;
};

/** Who can make a change. */
export type AuditActorType =
  /** A service, authenticated by a signed request. */
  | 'api_key'
  /** The command line of the gateway. */
  | 'cli'
  /** A scheduled job, authenticated by its static internal key. */
  | 'cron'
  /** A person, authenticated by an access token. */
  | 'user';

/** Filters the events to count. An event must match all given fields. */
export type AuditCountFilter = {
  /** Only changes made by the user or the key with this id, as in `actor { id }` of events. */
  actorId?: string | number | null | undefined;
  /** Only events about the user with this email, or that name it, such as failed logins. */
  email?: string | null | undefined;
  /** Only events about the user, key or webhook with this id, as in `entityId` of events. */
  entityId?: string | number | null | undefined;
  /** Only events of these types. An empty list matches nothing; omit it for all types. */
  eventTypes?: Array<AuditEventType> | null | undefined;
  /** Only events from this address, written exactly as in `ipAddress` of events. */
  ipAddress?: string | null | undefined;
  /** Only thefts if true: events of type `token_theft` without `ended_by` in `metadata`. Only events with it if false, which are no thefts: the session had been ended before. */
  isTheft?: boolean | null | undefined;
  /** Only events of the session with this id, as in `sessionId` of events: its login, its logouts, and events with it in `metadata`. Only the latter once the session was swept, a day after it expired. Costs 3,000 more in `auditEvents`. */
  sessionId?: string | number | null | undefined;
  /** Only events at or after this time. The first bucket is the one that contains it. */
  since: string;
  /** Only events before this time. */
  until: string;
  /** Only events about the user with this id. */
  userId?: string | number | null | undefined;
};

/** Type of the entity that an audit event is about. */
export type AuditEntityType =
  /** An API key. */
  | 'api_key'
  /** A cron key. */
  | 'cron_key'
  /** The keyring of the gateway, which has no id. */
  | 'keyring'
  /** The counts of logins by address, which have no id. */
  | 'login_counts'
  /** A user, also if the email of a request is unknown. */
  | 'user'
  /** A webhook. */
  | 'webhook';

/** Filters audit events. An event must match all given fields. */
export type AuditEventFilter = {
  /** Only changes made by the user or the key with this id, as in `actor { id }` of events. */
  actorId?: string | number | null | undefined;
  /** Only events about the user with this email, or that name it, such as failed logins. */
  email?: string | null | undefined;
  /** Only events about the user, key or webhook with this id, as in `entityId` of events. */
  entityId?: string | number | null | undefined;
  /** Only events of these types. An empty list matches nothing; omit it for all types. */
  eventTypes?: Array<AuditEventType> | null | undefined;
  /** Only events from this address, written exactly as in `ipAddress` of events. */
  ipAddress?: string | null | undefined;
  /** Only thefts if true: events of type `token_theft` without `ended_by` in `metadata`. Only events with it if false, which are no thefts: the session had been ended before. */
  isTheft?: boolean | null | undefined;
  /** Only events of the session with this id, as in `sessionId` of events: its login, its logouts, and events with it in `metadata`. Only the latter once the session was swept, a day after it expired. Costs 3,000 more in `auditEvents`. */
  sessionId?: string | number | null | undefined;
  /** Only events at or after this time. */
  since?: string | null | undefined;
  /** Only events before this time. */
  until?: string | null | undefined;
  /** Only events about the user with this id. */
  userId?: string | number | null | undefined;
};

/** Type of an audit event. Each value describes its `metadata`. The `actor` of a change is who made it: `caller_type` (`user`, `api_key`, `cron` or `cli`) with the `sub` of a user or the `key_id` of a key. */
export type AuditEventType =
  /** A login was refused because the account is locked after too many failed logins. `metadata`: `locked_until` (end of the lock, RFC 3339), `by` (only if devices are known: `account`, or `device` if a device has failed too often and others can log in). */
  | 'account_locked'
  /** An API key was created. `metadata`: `actor`, `key_id`, `service_name`, `scopes`, `rate_limit` (requests per minute), `expires_at` (only if the key expires: RFC 3339). */
  | 'api_key_created'
  /** An API key was revoked. `metadata`: `actor`, `key_id`, `service_name`. */
  | 'api_key_revoked'
  /** An API key was given a new secret. `metadata`: `actor`, `key_id`, `overlap_seconds` (how long the previous secret stays valid), `expires_at` (only if it was changed: RFC 3339). */
  | 'api_key_rotated'
  /** A cron key was created. `metadata`: `actor`, `key_id`, `service_name`, `scopes`, `expires_at` (only if the key expires: RFC 3339). */
  | 'cron_key_created'
  /** A cron key was revoked. `metadata`: `actor`, `key_id`, `service_name`. */
  | 'cron_key_revoked'
  /** A cron key was given a new secret. `metadata`: `actor`, `key_id`, `overlap_seconds` (how long the previous secret stays valid), `expires_at` (only if it was changed: RFC 3339). */
  | 'cron_key_rotated'
  /** The user or an administrator made the gateway forget a known device. `metadata`: `actor`, `device_id` (the device). */
  | 'device_forgotten'
  /** A user asked for another email, which gets a link unless it is taken. `metadata`: `to` (the new email, which nobody has confirmed), `family_id` (the session). */
  | 'email_change_requested'
  /** The former email of a user took a change back, which ended the sessions and the password. `metadata`: `from`, `to` (the former email), `sessions_ended` (number of sessions ended). */
  | 'email_change_undone'
  /** A user changed their email by the link to the new one. `metadata`: `from`, `to`, `family_id` (the session). */
  | 'email_changed'
  /** A user added a second factor. `metadata`: `factor_id`, `kind` (`totp` or `passkey`), `family_id` (the session). */
  | 'factor_added'
  /** A user removed a second factor. `metadata`: `factor_id`, `kind` (`totp` or `passkey`), `family_id` (the session). */
  | 'factor_removed'
  /** An operator removed every second factor and recovery code of a user, and ended the sessions. `metadata`: `actor`, `factors` (number of factors), `sessions_ended` (number of sessions ended). */
  | 'factors_reset'
  /** The keyring was rotated. `metadata`: `actor`, `added` (the `kid`s of new keys), `dropped` (the `kid`s of removed keys). */
  | 'keyring_rotated'
  /** The counts of logins of an address were cleared, so that it can log in again. `metadata`: `actor`, `ip_address` (the address or network, null for all), `cleared` (number of counts). */
  | 'login_counts_cleared'
  /** A login or confirmation was refused: the email is unknown, the user is deactivated, or the password or second factor is wrong. `metadata`: `reason` (always `invalid_credentials`), `email` (as sent, in lower case), `factor` (only if the password was right, or none was sent: `totp`, `passkey` or `recovery_code`, which was wrong). */
  | 'login_failure'
  /** A user logged in. `metadata`: `role`, `factor` (only if one took part: `totp`, `passkey` or `recovery_code`). */
  | 'login_success'
  /** A user logged out. `metadata`: `jti` (the refresh token). */
  | 'logout'
  /** A user was mailed a notice. `metadata`: `kind` (what about). */
  | 'notice_sent'
  /** A user who wanted to change their own password sent a wrong current password. `metadata`: `reason` (always `current_password_wrong`), `family_id` (the session). */
  | 'password_change_failed'
  /** An operator issued a link by which a user can set a password, or the user asked for it by mail, which has no `actor`. `metadata`: `actor`, `by` (`request`), `purpose` (`invitation` or `reset`), `expires_at` (RFC 3339), `mailed` (`true` if the link was mailed to the user and not shown to the operator). */
  | 'password_link_issued'
  /** Somebody asked for a mail with a link to reset a password. `metadata`: `email` (as sent, in lower case). */
  | 'password_reset_requested'
  /** A user logged in with a recovery code. `metadata`: `left` (number of codes that are left), `family_id` (the session that it began). */
  | 'recovery_code_used'
  /** A user replaced their recovery codes. `metadata`: `family_id` (the session). */
  | 'recovery_codes_renewed'
  /** A user proved again who they are. `metadata`: `family_id` (the session), `factor` (only if not by the password: `totp` or `passkey`). */
  | 'session_confirmed'
  /** The user or an administrator ended a session. `metadata`: `actor`, `family_id` (the session). */
  | 'session_revoked'
  /** A used or revoked refresh token was presented, which ended its session. `metadata`: `reused_jti` (the token), `family_id` (the session), `ended_by` (only if the token had not been used, so that this is no theft: what had ended it, one of `logout`, `session_revoked`, `user_deactivated`, `user_password_set`, `factors_reset`, `email_change_undone`, `user_deleted`). */
  | 'token_theft'
  /** A user was activated and can log in again. `metadata`: `actor`. */
  | 'user_activated'
  /** A user was created. `metadata`: `actor`, `email`, `role`. */
  | 'user_created'
  /** A user was deactivated and cannot log in. `metadata`: `actor`, `sessions_ended` (number of sessions ended). */
  | 'user_deactivated'
  /** A user was deleted. `metadata`: `actor`, `email`, `role`, `sessions_ended` (number of sessions ended). */
  | 'user_deleted'
  /** The email of a user was changed. `metadata`: `actor`, `from`, `to`. */
  | 'user_email_changed'
  /** A user was erased: a pseudonym replaces their emails, addresses and user agents in the audit log. `metadata`: `actor`, `pseudonym`, `events` (number of events changed). */
  | 'user_erased'
  /** A user changed their own password. `metadata`: `family_id` (the session that changed it and stays), `sessions_ended` (number of other sessions ended). */
  | 'user_password_changed'
  /** An operator set the password of a user, or the user set it by a link, which has no `actor`. `metadata`: `actor`, `by` (`link`), `purpose` (`invitation` or `reset`), `sessions_ended` (number of sessions ended), `first` (`true` if no password was ever set before). */
  | 'user_password_set'
  /** The role of a user was changed. `metadata`: `actor`, `from`, `to`. */
  | 'user_role_changed'
  /** A user was unlocked, and the count of failed logins was reset. `metadata`: `actor`. */
  | 'user_unlocked'
  /** A webhook was created. `metadata`: `actor`, `webhook_id`, `host` (host and port of its URL), `event_types` (null for all), `include_emails`. */
  | 'webhook_created'
  /** A webhook was deleted. `metadata`: `actor`, `webhook_id`, `host` (host and port of its URL). */
  | 'webhook_deleted'
  /** An operator paused a webhook, or its receiver answered 410 Gone, which has no `actor`. `metadata`: `actor`, `by` (`receiver`), `webhook_id`. */
  | 'webhook_paused'
  /** A webhook was set to send all events since a time, and none from before. `metadata`: `actor`, `webhook_id`, `since` (RFC 3339). */
  | 'webhook_replayed'
  /** A webhook was resumed. `metadata`: `actor`, `webhook_id`. */
  | 'webhook_resumed'
  /** A webhook was given a new secret. `metadata`: `actor`, `webhook_id`, `overlap_seconds` (how long the previous secret signs too). */
  | 'webhook_secret_rotated';

/** Precision of a count. */
export type CountPrecision =
  /** Lower bound: counting stops at 10,000. */
  | 'at_least'
  /** Exact number of rows. */
  | 'exact';

/** The key to create. */
export type CreateApiKeyInput = {
  /** When the key expires: from then on it is refused as if it were revoked. Omit it for a key that does not. */
  expiresAt?: string | null | undefined;
  /** Maximum requests per minute, from 1 to 1,000,000. */
  rateLimit: number;
  /** Up to 50 scopes, as `resource:action`. The caller must hold every one of them. Administrators hold all scopes, including those of other services. */
  scopes: Array<string>;
  /** Name of the service, 1 to 100 printable characters. */
  serviceName: string;
};

/** The key to create. */
export type CreateCronKeyInput = {
  /** When the key expires: from then on it is refused as if it were revoked. Omit it for a key that does not. */
  expiresAt?: string | null | undefined;
  /** Up to 50 scopes, as `resource:action`. The caller must hold every one of them. Administrators hold all scopes, including those of other services. */
  scopes: Array<string>;
  /** Name of the service, 1 to 100 printable characters. */
  serviceName: string;
};

/** The webhook to create. */
export type CreateWebhookInput = {
  /** Types of the events to send, at least one. Omit it for all, including those of later versions. */
  eventTypes?: Array<AuditEventType> | null | undefined;
  /** Whether to send email addresses: those in the `metadata` of events, and that of the user as `user_email`. Needs `users:read`. */
  includeEmails?: boolean | null | undefined;
  /** Where to send events: an `https` URL whose host and port `WEBHOOK_HOSTS` lists. In development, `http` to this machine works too. */
  url: string;
};

/** Filters cron keys. A key must match all given fields. */
export type CronKeyFilter = {
  /** Only keys with one of these ids, at most 100. An empty list matches nothing. */
  ids?: Array<string | number> | null | undefined;
  /** Only keys that work if true, only revoked and expired ones if false. */
  live?: boolean | null | undefined;
  /** Only keys of the service with exactly this name. */
  serviceName?: string | null | undefined;
};

/** Kind of a second factor. */
export type FactorKind =
  /** A passkey (WebAuthn), which also logs in without a password. A user has at most 10. */
  | 'passkey'
  /** An authenticator app, which shows codes (RFC 6238). A user has at most one. */
  | 'totp';

/** How bad a finding is. */
export type FindingSeverity =
  /** Something does not work, or is not safe. */
  | 'fault'
  /** All is well. */
  | 'ok'
  /** It works, but perhaps not for long. */
  | 'warning';

/** What a key of the keyring is for. */
export type KeyringKeyPurpose =
  /** Signs access tokens, and the assertions of forward authentication. */
  | 'access'
  /** Signs refresh tokens, and the entries by which devices are known. */
  | 'refresh'
  /** Seals stored secrets, such as those of API keys and webhooks. */
  | 'sealing';

/** What a password link is for. */
export type LinkPurpose =
  /** A new user sets their first password. */
  | 'invitation'
  /** A user has forgotten their password. */
  | 'reset';

/** Direction of an order. Rows without a value are last in both. */
export type OrderDirection =
  /** Ascending: A to Z, the oldest first. */
  | 'asc'
  /** Descending: Z to A, the newest first. */
  | 'desc';

/** Role of a user. It determines the user's scopes. */
export type Role =
  /** All scopes. */
  | 'admin'
  /** Can read users and the audit log: `users:read`, `audit:read`. */
  | 'analyst'
  /** No scopes. Can see and end only their own sessions. */
  | 'viewer';

/** The key to rotate, and how. */
export type RotateApiKeyInput = {
  /** When the key expires from now on. Omit it to leave that as it is. */
  expiresAt?: string | null | undefined;
  /** Rotate even if two secrets are valid. The older one stops working immediately, and a service that still uses it is locked out. */
  force?: boolean | null | undefined;
  /** Key id. */
  id: string | number;
  /** Seconds for which the current secret stays valid, up to 2,592,000 (30 days). Use 0 after a leak: all old secrets stop working immediately. */
  overlapSeconds?: number | null | undefined;
};

/** The key to rotate, and how. */
export type RotateCronKeyInput = {
  /** When the key expires from now on. Omit it to leave that as it is. */
  expiresAt?: string | null | undefined;
  /** Rotate even if two secrets are valid. The older one stops working immediately, and a service that still uses it is locked out. */
  force?: boolean | null | undefined;
  /** Key id. */
  id: string | number;
  /** Seconds for which the current secret stays valid, up to 2,592,000 (30 days). Use 0 after a leak: all old secrets stop working immediately. */
  overlapSeconds?: number | null | undefined;
};

/** The webhook to rotate, and how. */
export type RotateWebhookSecretInput = {
  /** Webhook id. */
  id: string | number;
  /** Seconds for which events are also signed with the current secret, up to 2,592,000 (30 days). Use 0 after a leak: from now on only the new secret signs. */
  overlapSeconds?: number | null | undefined;
};

/** Why a session ended. */
export type SessionEndReason =
  /** The former e-mail took back a change of the e-mail. */
  | 'email_change_undone'
  /** The last refresh token expired unused. */
  | 'expired'
  /** An operator reset the second factors of the user. */
  | 'factors_reset'
  /** The user logged out. */
  | 'logout'
  /** The user or an administrator ended the session. */
  | 'revoked'
  /** A used refresh token was presented again, which is treated as theft. */
  | 'token_theft'
  /** The user was deactivated. */
  | 'user_deactivated'
  /** The user was deleted. */
  | 'user_deleted'
  /** A new password was set. */
  | 'user_password_set';

/** What happened to a session. */
export type SessionEventKind =
  /** The former e-mail took back a change of the e-mail. */
  | 'email_change_undone'
  /** The last refresh token expired unused. */
  | 'expired'
  /** An operator reset the second factors of the user. */
  | 'factors_reset'
  /** The user logged out. */
  | 'logout'
  /** A refresh was retried with proof, and the same new refresh token was returned again. */
  | 'retried'
  /** The user or an administrator ended the session. */
  | 'revoked'
  /** The session was refreshed: a new refresh token replaced the previous one. */
  | 'rotated'
  /** The user logged in, and the first refresh token was issued. */
  | 'started'
  /** A used or revoked refresh token was presented. It is a theft only if `isTheft`. */
  | 'token_theft'
  /** The user was deactivated. */
  | 'user_deactivated'
  /** The user was deleted. */
  | 'user_deleted'
  /** A new password was set. */
  | 'user_password_set';

/** Length of a time bucket. */
export type TimeBucket =
  /** One calendar day. It lasts 23 to 25 hours if the clocks change. */
  | 'day'
  /** One clock hour. It lasts 30 or 90 minutes if the clocks change by half an hour. */
  | 'hour'
  /** One minute. */
  | 'minute';

/** Filters users. A user must match all given fields. */
export type UserFilter = {
  /** Only users with a password if true, only those without if false. */
  hasPassword?: boolean | null | undefined;
  /** Only users with one of these ids, at most 100. An empty list matches nothing. */
  ids?: Array<string | number> | null | undefined;
  /** Only active users if true, only deactivated ones if false. */
  isActive?: boolean | null | undefined;
  /** Only users locked after failed logins if true, only others if false. */
  isLocked?: boolean | null | undefined;
  /** Only users with this role. */
  role?: Role | null | undefined;
  /** Part of the email address. */
  search?: string | null | undefined;
};

/** What a list can be ordered by. */
export type UserOrderField =
  /** When the user was created. */
  | 'created_at'
  /** Email address. */
  | 'email'
  /** When the user last logged in. Each page reads all users. */
  | 'last_login_at';

/** Order of a list. A cursor continues the order that it comes from, and no other. */
export type UserOrdering = {
  /** The direction. */
  direction: OrderDirection;
  /** Orders by this field. */
  field: UserOrderField;
};

/** Who paused a webhook. */
export type WebhookPausedBy =
  /** An operator, by `pauseWebhook` or on the command line. */
  | 'operator'
  /** The receiver, which answered 410 Gone. */
  | 'receiver';

export type AuditCountsQueryVariables = Exact<{
  bucket: TimeBucket;
  timeZone: string;
  filter: AuditCountFilter;
  endedTokens: AuditCountFilter;
}>;


export type AuditCountsQuery = { auditCounts: Array<{ bucketStart: string, eventType: AuditEventType, count: number }> | null, endedTokens: Array<{ bucketStart: string, count: number }> | null };

export type AuditTotalQueryVariables = Exact<{
  filter?: AuditEventFilter | null | undefined;
}>;


export type AuditTotalQuery = { auditEvents: { totalCount: { count: number, precision: CountPrecision } | null } | null };

export type AuditNewestQueryVariables = Exact<{
  first: number;
  filter?: AuditEventFilter | null | undefined;
}>;


export type AuditNewestQuery = { auditEvents: { nodes: Array<{ id: string, createdAt: string }> } | null };

export type AuditPeopleQueryVariables = Exact<{
  ids: Array<string | number> | string | number;
}>;


export type AuditPeopleQuery = { users: { nodes: Array<{ id: string, email: string }> } | null };

export type AuditSuggestedQueryVariables = Exact<{
  search: string;
}>;


export type AuditSuggestedQuery = { users: { nodes: Array<{ id: string, email: string }> } | null };

export type AuditSessionQueryVariables = Exact<{
  id: string | number;
}>;


export type AuditSessionQuery = { session: { id: string, userId: string, startedAt: string, endedAt: string | null, endReason: SessionEndReason | null, isLive: boolean, isCurrent: boolean, user: { id: string, email: string } | null } | null };

export type AuditStepsQueryVariables = Exact<{
  id: string | number;
  first: number;
  after?: string | null | undefined;
}>;


export type AuditStepsQuery = { session: { events: { nodes: Array<{ id: string, kind: SessionEventKind, isTheft: boolean, createdAt: string, detail: string, ipAddress: string, userAgent: string | null, jti: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

export type EventFactsFragment = { id: string, createdAt: string, eventType: AuditEventType, ipAddress: string, userAgent: string | null, metadata: Record<string, unknown>, entityType: AuditEntityType, entityId: string | null, sessionId: string | null, userId: string | null, user: { id: string, email: string } | null, actor: { callerType: AuditActorType, id: string | null, user: { id: string, email: string } | null } | null };

export type EventsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: AuditEventFilter | null | undefined;
}>;


export type EventsQuery = { auditEvents: { nodes: Array<{ id: string, createdAt: string, eventType: AuditEventType, ipAddress: string, userAgent: string | null, metadata: Record<string, unknown>, entityType: AuditEntityType, entityId: string | null, sessionId: string | null, userId: string | null, userOfEmail: { id: string, email: string } | null, user: { id: string, email: string } | null, actor: { callerType: AuditActorType, id: string | null, user: { id: string, email: string } | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type ExportEventsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: AuditEventFilter | null | undefined;
}>;


export type ExportEventsQuery = { auditEvents: { nodes: Array<{ id: string, createdAt: string, eventType: AuditEventType, ipAddress: string, userAgent: string | null, metadata: Record<string, unknown>, entityType: AuditEntityType, entityId: string | null, sessionId: string | null, userId: string | null, user: { id: string, email: string } | null, actor: { callerType: AuditActorType, id: string | null, user: { id: string, email: string } | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type GatewayFactsQueryVariables = Exact<{ [key: string]: never; }>;


export type GatewayFactsQuery = { gateway: { version: string, nodeVersion: string, startedAt: string, publicUrl: string, isDevelopment: boolean, areWebhooksOn: boolean, isMailOn: boolean, areKnownDevicesOn: boolean, keys: Array<{ kid: string, purpose: KeyringKeyPurpose, algorithm: string, usedFrom: string | null, usedUntil: string | null, neededUntil: string | null, isInUse: boolean }> } | null };

export type GatewayChecksQueryVariables = Exact<{ [key: string]: never; }>;


export type GatewayChecksQuery = { gateway: { checks: { checkedAt: string, findings: Array<{ severity: FindingSeverity, check: string, seen: string, remedy: string | null }> } | null } | null };

export type GatewaySettingsQueryVariables = Exact<{ [key: string]: never; }>;


export type GatewaySettingsQuery = { gateway: { settings: Array<{ name: string, value: string | null, default: string | null, isSet: boolean }> } | null };

export type GatewayAddressesQueryVariables = Exact<{ [key: string]: never; }>;


export type GatewayAddressesQuery = { gateway: { loginAddresses: { totalCount: { count: number, precision: CountPrecision }, limitedCount: { count: number, precision: CountPrecision }, nodes: Array<{ ipAddress: string, attempts: number, limit: number, isLimited: boolean, endsAt: string }> } | null } | null };

export type ClearLoginAddressMutationVariables = Exact<{
  ipAddress: string;
}>;


export type ClearLoginAddressMutation = { clearLoginAddress: { clearedCount: number } | null };

export type GatewayMailStateQueryVariables = Exact<{ [key: string]: never; }>;


export type GatewayMailStateQuery = { gateway: { mail: { isComplete: boolean, lag: number, waiting: Array<{ eventType: AuditEventType, queued: number, retried: number }>, lastAttempt: { at: string, outcome: string, status: number | null } | null } | null } | null };

export type TestMailMutationVariables = Exact<{ [key: string]: never; }>;


export type TestMailMutation = { testMail: { outcome: string, status: number | null, milliseconds: number } | null };

export type ApiKeyFactsFragment = { id: string, serviceName: string, scopes: Array<string>, rateLimit: number, createdAt: string, lastUsedAt: string | null, revokedAt: string | null, expiresAt: string | null, liveSecretCount: number, previousSecretEndsAt: string | null };

export type CronKeyFactsFragment = { id: string, serviceName: string, scopes: Array<string>, createdAt: string, lastUsedAt: string | null, revokedAt: string | null, expiresAt: string | null, liveSecretCount: number, previousSecretEndsAt: string | null };

export type ApiKeysQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: ApiKeyFilter | null | undefined;
}>;


export type ApiKeysQuery = { apiKeys: { nodes: Array<{ id: string, serviceName: string, scopes: Array<string>, rateLimit: number, createdAt: string, lastUsedAt: string | null, revokedAt: string | null, expiresAt: string | null, liveSecretCount: number, previousSecretEndsAt: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type CronKeysQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: CronKeyFilter | null | undefined;
}>;


export type CronKeysQuery = { cronKeys: { nodes: Array<{ id: string, serviceName: string, scopes: Array<string>, createdAt: string, lastUsedAt: string | null, revokedAt: string | null, expiresAt: string | null, liveSecretCount: number, previousSecretEndsAt: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type FindKeyQueryVariables = Exact<{
  id: string | number;
}>;


export type FindKeyQuery = { apiKeys: { nodes: Array<{ id: string, serviceName: string, scopes: Array<string>, rateLimit: number, createdAt: string, lastUsedAt: string | null, revokedAt: string | null, expiresAt: string | null, liveSecretCount: number, previousSecretEndsAt: string | null }> } | null, cronKeys: { nodes: Array<{ id: string, serviceName: string, scopes: Array<string>, createdAt: string, lastUsedAt: string | null, revokedAt: string | null, expiresAt: string | null, liveSecretCount: number, previousSecretEndsAt: string | null }> } | null };

export type CountApiKeysQueryVariables = Exact<{
  filter?: ApiKeyFilter | null | undefined;
}>;


export type CountApiKeysQuery = { apiKeys: { totalCount: { count: number, precision: CountPrecision } | null } | null };

export type CountCronKeysQueryVariables = Exact<{
  filter?: CronKeyFilter | null | undefined;
}>;


export type CountCronKeysQuery = { cronKeys: { totalCount: { count: number, precision: CountPrecision } | null } | null };

export type CreateApiKeyMutationVariables = Exact<{
  input: CreateApiKeyInput;
}>;


export type CreateApiKeyMutation = { createApiKey: { secret: string, apiKey: { id: string } } | null };

export type CreateCronKeyMutationVariables = Exact<{
  input: CreateCronKeyInput;
}>;


export type CreateCronKeyMutation = { createCronKey: { headerValue: string, cronKey: { id: string } } | null };

export type RotateApiKeyMutationVariables = Exact<{
  input: RotateApiKeyInput;
}>;


export type RotateApiKeyMutation = { rotateApiKey: { secret: string, apiKey: { previousSecretEndsAt: string | null } } | null };

export type RotateCronKeyMutationVariables = Exact<{
  input: RotateCronKeyInput;
}>;


export type RotateCronKeyMutation = { rotateCronKey: { headerValue: string, cronKey: { previousSecretEndsAt: string | null } } | null };

export type RevokeApiKeyMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeApiKeyMutation = { revokeApiKey: { apiKey: { id: string } } | null };

export type RevokeCronKeyMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeCronKeyMutation = { revokeCronKey: { cronKey: { id: string } } | null };

export type LiveEventsSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type LiveEventsSubscription = { auditEventAdded: { event: { eventType: AuditEventType } } };

export type RefusedFactsFragment = { id: string, message: string };

export type SetUsersActiveMutationVariables = Exact<{
  ids: Array<string | number> | string | number;
  isActive: boolean;
}>;


export type SetUsersActiveMutation = { setUsersActive: { revokedSessionCount: number, refused: Array<{ id: string, message: string }> } | null };

export type UnlockUsersMutationVariables = Exact<{
  ids: Array<string | number> | string | number;
}>;


export type UnlockUsersMutation = { unlockUsers: { refused: Array<{ id: string, message: string }> } | null };

export type EndSessionsOfUsersMutationVariables = Exact<{
  ids: Array<string | number> | string | number;
}>;


export type EndSessionsOfUsersMutation = { revokeSessionsOfUsers: { revokedSessionCount: number } | null };

export type IssueLinksMutationVariables = Exact<{
  ids: Array<string | number> | string | number;
  purpose: LinkPurpose;
  deliver: boolean;
}>;


export type IssueLinksMutation = { issuePasswordLinks: { links: Array<{ userId: string, link: string | null, expiresAt: string }>, refused: Array<{ id: string, message: string }> } | null };

export type ImportUsersMutationVariables = Exact<{
  lines: Array<string> | string;
  dryRun: boolean;
}>;


export type ImportUsersMutation = { importUsers: { withPasswordCount: number, faults: Array<{ line: number, message: string }>, users: Array<{ id: string, email: string, hasPassword: boolean }> } | null };

export type SessionFactsFragment = { id: string, startedAt: string, lastUsedAt: string, expiresAt: string, endedAt: string | null, endReason: SessionEndReason | null, ipAddress: string, userAgent: string, isLive: boolean, isCurrent: boolean };

export type DeviceFactsFragment = { id: string, userAgent: string, createdAt: string, lastUsedAt: string, failedLoginAttempts: number, lockedUntil: string | null };

export type FactorFactsFragment = { id: string, kind: FactorKind, name: string, createdAt: string, lastUsedAt: string | null };

export type MySessionsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  live?: boolean | null | undefined;
}>;


export type MySessionsQuery = { me: { id: string, sessions: { nodes: Array<{ id: string, startedAt: string, lastUsedAt: string, expiresAt: string, endedAt: string | null, endReason: SessionEndReason | null, ipAddress: string, userAgent: string, isLive: boolean, isCurrent: boolean }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

export type RevokeOtherSessionsMutationVariables = Exact<{ [key: string]: never; }>;


export type RevokeOtherSessionsMutation = { revokeOtherSessions: { revokedCount: number } | null };

export type OverviewWebhooksQueryVariables = Exact<{ [key: string]: never; }>;


export type OverviewWebhooksQuery = { webhooks: { nodes: Array<{ pausedAt: string | null, lastAttempt: { outcome: string } | null }> } | null };

export type OverviewLockedQueryVariables = Exact<{
  first: number;
}>;


export type OverviewLockedQuery = { users: { nodes: Array<{ id: string, email: string, lockedUntil: string | null }>, totalCount: { count: number, precision: CountPrecision } | null } | null };

export type OwnNameQueryVariables = Exact<{ [key: string]: never; }>;


export type OwnNameQuery = { me: { id: string, email: string, role: Role, secondFactorRequired: boolean | null } | null };

export type OwnFactorKindsQueryVariables = Exact<{ [key: string]: never; }>;


export type OwnFactorKindsQuery = { me: { id: string, factors: Array<{ kind: FactorKind }> } | null };

export type RevokeSessionMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeSessionMutation = { revokeSession: { session: { id: string } } | null };

export type FindPersonQueryVariables = Exact<{
  id: string | number;
}>;


export type FindPersonQuery = { user: { id: string } | null };

export type FindSessionQueryVariables = Exact<{
  id: string | number;
}>;


export type FindSessionQuery = { session: { id: string } | null };

export type UserFactsFragment = { id: string, email: string, role: Role, isActive: boolean, hasPassword: boolean, failedLoginAttempts: number, lockedUntil: string | null, lastLoginAt: string | null, createdAt: string };

export type ListUsersQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: UserFilter | null | undefined;
  order?: UserOrdering | null | undefined;
}>;


export type ListUsersQuery = { users: { nodes: Array<{ id: string, email: string, role: Role, isActive: boolean, hasPassword: boolean, failedLoginAttempts: number, lockedUntil: string | null, lastLoginAt: string | null, createdAt: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type CountUsersQueryVariables = Exact<{
  filter?: UserFilter | null | undefined;
}>;


export type CountUsersQuery = { users: { totalCount: { count: number, precision: CountPrecision } | null } | null };

export type InviteUserMutationVariables = Exact<{
  email: string;
  role: Role;
}>;


export type InviteUserMutation = { createUser: { user: { id: string, email: string } } | null };

export type IssueLinkMutationVariables = Exact<{
  userId: string | number;
  purpose: LinkPurpose;
  deliver: boolean;
}>;


export type IssueLinkMutation = { issuePasswordLink: { link: string | null, expiresAt: string } | null };

export type MailStateQueryVariables = Exact<{ [key: string]: never; }>;


export type MailStateQuery = { gateway: { isMailOn: boolean } | null };

export type ShowUserQueryVariables = Exact<{
  id: string | number;
}>;


export type ShowUserQuery = { user: { pendingEmail: string | null, recoveryCodesLeft: number, id: string, email: string, role: Role, isActive: boolean, hasPassword: boolean, failedLoginAttempts: number, lockedUntil: string | null, lastLoginAt: string | null, createdAt: string, devices: Array<{ id: string, userAgent: string, createdAt: string, lastUsedAt: string, failedLoginAttempts: number, lockedUntil: string | null }>, factors: Array<{ id: string, kind: FactorKind, name: string, createdAt: string, lastUsedAt: string | null }> } | null };

export type SessionsOfUserQueryVariables = Exact<{
  id: string | number;
  first: number;
  after?: string | null | undefined;
  live: boolean;
}>;


export type SessionsOfUserQuery = { user: { sessions: { nodes: Array<{ id: string, startedAt: string, lastUsedAt: string, expiresAt: string, endedAt: string | null, endReason: SessionEndReason | null, ipAddress: string, userAgent: string, isLive: boolean, isCurrent: boolean }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

export type LiveSessionsOfUserQueryVariables = Exact<{
  id: string | number;
}>;


export type LiveSessionsOfUserQuery = { user: { sessions: { nodes: Array<{ id: string, isCurrent: boolean }>, pageInfo: { hasNextPage: boolean } } } | null };

export type UnlockUserMutationVariables = Exact<{
  id: string | number;
}>;


export type UnlockUserMutation = { unlockUser: { user: { id: string } } | null };

export type ResetFactorsMutationVariables = Exact<{
  id: string | number;
}>;


export type ResetFactorsMutation = { resetFactors: { removedFactorCount: number, revokedSessionCount: number } | null };

export type SetRoleOfUserMutationVariables = Exact<{
  id: string | number;
  role: Role;
}>;


export type SetRoleOfUserMutation = { setUserRole: { user: { id: string } } | null };

export type SetEmailOfUserMutationVariables = Exact<{
  id: string | number;
  email: string;
}>;


export type SetEmailOfUserMutation = { setUserEmail: { user: { email: string } } | null };

export type SetActivityOfUserMutationVariables = Exact<{
  id: string | number;
  isActive: boolean;
}>;


export type SetActivityOfUserMutation = { setUserActive: { revokedSessionCount: number } | null };

export type DeleteUserMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteUserMutation = { deleteUser: { deletedId: string } | null };

export type EraseUserMutationVariables = Exact<{
  id: string | number;
}>;


export type EraseUserMutation = { eraseUser: { pseudonym: string, changedEventCount: number } | null };

export type ForgetDeviceMutationVariables = Exact<{
  id: string | number;
}>;


export type ForgetDeviceMutation = { forgetDevice: { forgottenId: string } | null };

export type AllSessionsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  live: boolean;
}>;


export type AllSessionsQuery = { sessions: { nodes: Array<{ userId: string, id: string, startedAt: string, lastUsedAt: string, expiresAt: string, endedAt: string | null, endReason: SessionEndReason | null, ipAddress: string, userAgent: string, isLive: boolean, isCurrent: boolean, user: { id: string, email: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type WebhooksQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  withGateway: boolean;
}>;


export type WebhooksQuery = { gateway?: { areWebhooksOn: boolean } | null, webhooks: { nodes: Array<{ id: string, url: string | null, eventTypes: Array<AuditEventType> | null, includeEmails: boolean, createdAt: string, pausedAt: string | null, pausedBy: WebhookPausedBy | null, lag: number, parkedCount: number, previousSecretEndsAt: string | null, lastAttempt: { at: string, outcome: string, status: number | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type WebhookAttemptsQueryVariables = Exact<{
  id: string | number;
}>;


export type WebhookAttemptsQuery = { webhook: { attempts: Array<{ at: string, eventId: string, eventType: AuditEventType, attempt: number | null, outcome: string, status: number | null, milliseconds: number }> | null } | null };

export type CreateWebhookMutationVariables = Exact<{
  input: CreateWebhookInput;
}>;


export type CreateWebhookMutation = { createWebhook: { secret: string, webhook: { id: string } } | null };

export type RotateWebhookSecretMutationVariables = Exact<{
  input: RotateWebhookSecretInput;
}>;


export type RotateWebhookSecretMutation = { rotateWebhookSecret: { secret: string, webhook: { previousSecretEndsAt: string | null } } | null };

export type PauseWebhookMutationVariables = Exact<{
  id: string | number;
}>;


export type PauseWebhookMutation = { pauseWebhook: { webhook: { id: string } } | null };

export type ResumeWebhookMutationVariables = Exact<{
  id: string | number;
}>;


export type ResumeWebhookMutation = { resumeWebhook: { webhook: { id: string } } | null };

export type ReplayWebhookMutationVariables = Exact<{
  id: string | number;
  since: string;
}>;


export type ReplayWebhookMutation = { replayWebhook: { webhook: { id: string } } | null };

export type DeleteWebhookMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteWebhookMutation = { deleteWebhook: { deletedId: string } | null };

export type TestWebhookMutationVariables = Exact<{
  id: string | number;
  newSecretOnly: boolean;
}>;


export type TestWebhookMutation = { testWebhook: { outcome: string, status: number | null, milliseconds: number } | null };

export type ResendWebhookEventMutationVariables = Exact<{
  id: string | number;
  eventId: string | number;
}>;


export type ResendWebhookEventMutation = { resendWebhookEvent: { outcome: string, status: number | null, milliseconds: number } | null };

export const AuditCounts =
  'query AuditCounts($bucket:TimeBucket!$timeZone:String!$filter:AuditCountFilter!$endedTokens:AuditCountFilter!){auditCounts(bucket:$bucket timeZone:$timeZone filter:$filter){bucketStart eventType count}endedTokens:auditCounts(bucket:$bucket timeZone:$timeZone filter:$endedTokens){bucketStart count}}' as Operation<AuditCountsQuery, AuditCountsQueryVariables>;

export const AuditTotal =
  'query AuditTotal($filter:AuditEventFilter){auditEvents(first:1 filter:$filter){totalCount{count precision}}}' as Operation<AuditTotalQuery, AuditTotalQueryVariables>;

export const AuditNewest =
  'query AuditNewest($first:Int!$filter:AuditEventFilter){auditEvents(first:$first filter:$filter){nodes{id createdAt}}}' as Operation<AuditNewestQuery, AuditNewestQueryVariables>;

export const AuditPeople =
  'query AuditPeople($ids:[ID!]!){users(first:3 filter:{ids:$ids}){nodes{id email}}}' as Operation<AuditPeopleQuery, AuditPeopleQueryVariables>;

export const AuditSuggested =
  'query AuditSuggested($search:String!){users(first:8 filter:{search:$search}){nodes{id email}}}' as Operation<AuditSuggestedQuery, AuditSuggestedQueryVariables>;

export const AuditSession =
  'query AuditSession($id:ID!){session(id:$id){id userId user{id email}startedAt endedAt endReason isLive isCurrent}}' as Operation<AuditSessionQuery, AuditSessionQueryVariables>;

export const AuditSteps =
  'query AuditSteps($id:ID!$first:Int!$after:String){session(id:$id){events(first:$first after:$after){nodes{id kind isTheft createdAt detail ipAddress userAgent jti}pageInfo{hasNextPage endCursor}}}}' as Operation<AuditStepsQuery, AuditStepsQueryVariables>;

export const Events =
  'query Events($first:Int!$after:String$filter:AuditEventFilter){auditEvents(first:$first after:$after filter:$filter){nodes{...EventFacts userOfEmail{id email}}pageInfo{hasNextPage endCursor}}}fragment EventFacts on AuditEvent{id createdAt eventType ipAddress userAgent metadata entityType entityId sessionId userId user{id email}actor{callerType id user{id email}}}' as Operation<EventsQuery, EventsQueryVariables>;

export const ExportEvents =
  'query ExportEvents($first:Int!$after:String$filter:AuditEventFilter){auditEvents(first:$first after:$after filter:$filter){nodes{...EventFacts}pageInfo{hasNextPage endCursor}}}fragment EventFacts on AuditEvent{id createdAt eventType ipAddress userAgent metadata entityType entityId sessionId userId user{id email}actor{callerType id user{id email}}}' as Operation<ExportEventsQuery, ExportEventsQueryVariables>;

export const GatewayFacts =
  'query GatewayFacts{gateway{version nodeVersion startedAt publicUrl isDevelopment areWebhooksOn isMailOn areKnownDevicesOn keys{kid purpose algorithm usedFrom usedUntil neededUntil isInUse}}}' as Operation<GatewayFactsQuery, GatewayFactsQueryVariables>;

export const GatewayChecks =
  'query GatewayChecks{gateway{checks{checkedAt findings{severity check seen remedy}}}}' as Operation<GatewayChecksQuery, GatewayChecksQueryVariables>;

export const GatewaySettings =
  'query GatewaySettings{gateway{settings{name value default isSet}}}' as Operation<GatewaySettingsQuery, GatewaySettingsQueryVariables>;

export const GatewayAddresses =
  'query GatewayAddresses{gateway{loginAddresses(first:20){totalCount{count precision}limitedCount{count precision}nodes{ipAddress attempts limit isLimited endsAt}}}}' as Operation<GatewayAddressesQuery, GatewayAddressesQueryVariables>;

export const ClearLoginAddress =
  'mutation ClearLoginAddress($ipAddress:String!){clearLoginAddress(input:{ipAddress:$ipAddress}){clearedCount}}' as Operation<ClearLoginAddressMutation, ClearLoginAddressMutationVariables>;

export const GatewayMailState =
  'query GatewayMailState{gateway{mail{waiting{eventType queued retried}isComplete lag lastAttempt{at outcome status}}}}' as Operation<GatewayMailStateQuery, GatewayMailStateQueryVariables>;

export const TestMail =
  'mutation TestMail{testMail{outcome status milliseconds}}' as Operation<TestMailMutation, TestMailMutationVariables>;

export const ApiKeys =
  'query ApiKeys($first:Int!$after:String$filter:ApiKeyFilter){apiKeys(first:$first after:$after filter:$filter){nodes{...ApiKeyFacts}pageInfo{hasNextPage endCursor}}}fragment ApiKeyFacts on ApiKey{id serviceName scopes rateLimit createdAt lastUsedAt revokedAt expiresAt liveSecretCount previousSecretEndsAt}' as Operation<ApiKeysQuery, ApiKeysQueryVariables>;

export const CronKeys =
  'query CronKeys($first:Int!$after:String$filter:CronKeyFilter){cronKeys(first:$first after:$after filter:$filter){nodes{...CronKeyFacts}pageInfo{hasNextPage endCursor}}}fragment CronKeyFacts on CronKey{id serviceName scopes createdAt lastUsedAt revokedAt expiresAt liveSecretCount previousSecretEndsAt}' as Operation<CronKeysQuery, CronKeysQueryVariables>;

export const FindKey =
  'query FindKey($id:ID!){apiKeys(first:1 filter:{ids:[$id]}){nodes{...ApiKeyFacts}}cronKeys(first:1 filter:{ids:[$id]}){nodes{...CronKeyFacts}}}fragment ApiKeyFacts on ApiKey{id serviceName scopes rateLimit createdAt lastUsedAt revokedAt expiresAt liveSecretCount previousSecretEndsAt}fragment CronKeyFacts on CronKey{id serviceName scopes createdAt lastUsedAt revokedAt expiresAt liveSecretCount previousSecretEndsAt}' as Operation<FindKeyQuery, FindKeyQueryVariables>;

export const CountApiKeys =
  'query CountApiKeys($filter:ApiKeyFilter){apiKeys(first:1 filter:$filter){totalCount{count precision}}}' as Operation<CountApiKeysQuery, CountApiKeysQueryVariables>;

export const CountCronKeys =
  'query CountCronKeys($filter:CronKeyFilter){cronKeys(first:1 filter:$filter){totalCount{count precision}}}' as Operation<CountCronKeysQuery, CountCronKeysQueryVariables>;

export const CreateApiKey =
  'mutation CreateApiKey($input:CreateApiKeyInput!){createApiKey(input:$input){apiKey{id}secret}}' as Operation<CreateApiKeyMutation, CreateApiKeyMutationVariables>;

export const CreateCronKey =
  'mutation CreateCronKey($input:CreateCronKeyInput!){createCronKey(input:$input){cronKey{id}headerValue}}' as Operation<CreateCronKeyMutation, CreateCronKeyMutationVariables>;

export const RotateApiKey =
  'mutation RotateApiKey($input:RotateApiKeyInput!){rotateApiKey(input:$input){apiKey{previousSecretEndsAt}secret}}' as Operation<RotateApiKeyMutation, RotateApiKeyMutationVariables>;

export const RotateCronKey =
  'mutation RotateCronKey($input:RotateCronKeyInput!){rotateCronKey(input:$input){cronKey{previousSecretEndsAt}headerValue}}' as Operation<RotateCronKeyMutation, RotateCronKeyMutationVariables>;

export const RevokeApiKey =
  'mutation RevokeApiKey($id:ID!){revokeApiKey(input:{id:$id}){apiKey{id}}}' as Operation<RevokeApiKeyMutation, RevokeApiKeyMutationVariables>;

export const RevokeCronKey =
  'mutation RevokeCronKey($id:ID!){revokeCronKey(input:{id:$id}){cronKey{id}}}' as Operation<RevokeCronKeyMutation, RevokeCronKeyMutationVariables>;

export const LiveEvents =
  'subscription LiveEvents{auditEventAdded{event{eventType}}}' as Operation<LiveEventsSubscription, LiveEventsSubscriptionVariables>;

export const SetUsersActive =
  'mutation SetUsersActive($ids:[ID!]!$isActive:Boolean!){setUsersActive(input:{ids:$ids isActive:$isActive}){refused{...RefusedFacts}revokedSessionCount}}fragment RefusedFacts on RefusedUser{id message}' as Operation<SetUsersActiveMutation, SetUsersActiveMutationVariables>;

export const UnlockUsers =
  'mutation UnlockUsers($ids:[ID!]!){unlockUsers(input:{ids:$ids}){refused{...RefusedFacts}}}fragment RefusedFacts on RefusedUser{id message}' as Operation<UnlockUsersMutation, UnlockUsersMutationVariables>;

export const EndSessionsOfUsers =
  'mutation EndSessionsOfUsers($ids:[ID!]!){revokeSessionsOfUsers(input:{ids:$ids}){revokedSessionCount}}' as Operation<EndSessionsOfUsersMutation, EndSessionsOfUsersMutationVariables>;

export const IssueLinks =
  'mutation IssueLinks($ids:[ID!]!$purpose:LinkPurpose!$deliver:Boolean!){issuePasswordLinks(input:{ids:$ids purpose:$purpose deliver:$deliver}){links{userId link expiresAt}refused{...RefusedFacts}}}fragment RefusedFacts on RefusedUser{id message}' as Operation<IssueLinksMutation, IssueLinksMutationVariables>;

export const ImportUsers =
  'mutation ImportUsers($lines:[String!]!$dryRun:Boolean!){importUsers(input:{lines:$lines dryRun:$dryRun}){faults{line message}users{id email hasPassword}withPasswordCount}}' as Operation<ImportUsersMutation, ImportUsersMutationVariables>;

export const MySessions =
  'query MySessions($first:Int!$after:String$live:Boolean){me{id sessions(first:$first after:$after live:$live){nodes{...SessionFacts}pageInfo{hasNextPage endCursor}}}}fragment SessionFacts on Session{id startedAt lastUsedAt expiresAt endedAt endReason ipAddress userAgent isLive isCurrent}' as Operation<MySessionsQuery, MySessionsQueryVariables>;

export const RevokeOtherSessions =
  'mutation RevokeOtherSessions{revokeOtherSessions{revokedCount}}' as Operation<RevokeOtherSessionsMutation, RevokeOtherSessionsMutationVariables>;

export const OverviewWebhooks =
  'query OverviewWebhooks{webhooks(first:100){nodes{pausedAt lastAttempt{outcome}}}}' as Operation<OverviewWebhooksQuery, OverviewWebhooksQueryVariables>;

export const OverviewLocked =
  'query OverviewLocked($first:Int!){users(first:$first filter:{isLocked:true}){nodes{id email lockedUntil}totalCount{count precision}}}' as Operation<OverviewLockedQuery, OverviewLockedQueryVariables>;

export const OwnName =
  'query OwnName{me{id email role secondFactorRequired}}' as Operation<OwnNameQuery, OwnNameQueryVariables>;

export const OwnFactorKinds =
  'query OwnFactorKinds{me{id factors{kind}}}' as Operation<OwnFactorKindsQuery, OwnFactorKindsQueryVariables>;

export const RevokeSession =
  'mutation RevokeSession($id:ID!){revokeSession(input:{id:$id}){session{id}}}' as Operation<RevokeSessionMutation, RevokeSessionMutationVariables>;

export const FindPerson =
  'query FindPerson($id:ID!){user(id:$id){id}}' as Operation<FindPersonQuery, FindPersonQueryVariables>;

export const FindSession =
  'query FindSession($id:ID!){session(id:$id){id}}' as Operation<FindSessionQuery, FindSessionQueryVariables>;

export const ListUsers =
  'query ListUsers($first:Int!$after:String$filter:UserFilter$order:UserOrdering){users(first:$first after:$after filter:$filter order:$order){nodes{...UserFacts}pageInfo{hasNextPage endCursor}}}fragment UserFacts on User{id email role isActive hasPassword failedLoginAttempts lockedUntil lastLoginAt createdAt}' as Operation<ListUsersQuery, ListUsersQueryVariables>;

export const CountUsers =
  'query CountUsers($filter:UserFilter){users(first:1 filter:$filter){totalCount{count precision}}}' as Operation<CountUsersQuery, CountUsersQueryVariables>;

export const InviteUser =
  'mutation InviteUser($email:String!$role:Role!){createUser(input:{email:$email role:$role}){user{id email}}}' as Operation<InviteUserMutation, InviteUserMutationVariables>;

export const IssueLink =
  'mutation IssueLink($userId:ID!$purpose:LinkPurpose!$deliver:Boolean!){issuePasswordLink(input:{userId:$userId purpose:$purpose deliver:$deliver}){link expiresAt}}' as Operation<IssueLinkMutation, IssueLinkMutationVariables>;

export const MailState =
  'query MailState{gateway{isMailOn}}' as Operation<MailStateQuery, MailStateQueryVariables>;

export const ShowUser =
  'query ShowUser($id:ID!){user(id:$id){...UserFacts pendingEmail devices{...DeviceFacts}factors{...FactorFacts}recoveryCodesLeft}}fragment UserFacts on User{id email role isActive hasPassword failedLoginAttempts lockedUntil lastLoginAt createdAt}fragment DeviceFacts on Device{id userAgent createdAt lastUsedAt failedLoginAttempts lockedUntil}fragment FactorFacts on Factor{id kind name createdAt lastUsedAt}' as Operation<ShowUserQuery, ShowUserQueryVariables>;

export const SessionsOfUser =
  'query SessionsOfUser($id:ID!$first:Int!$after:String$live:Boolean!){user(id:$id){sessions(first:$first after:$after live:$live){nodes{...SessionFacts}pageInfo{hasNextPage endCursor}}}}fragment SessionFacts on Session{id startedAt lastUsedAt expiresAt endedAt endReason ipAddress userAgent isLive isCurrent}' as Operation<SessionsOfUserQuery, SessionsOfUserQueryVariables>;

export const LiveSessionsOfUser =
  'query LiveSessionsOfUser($id:ID!){user(id:$id){sessions(first:100 live:true){nodes{id isCurrent}pageInfo{hasNextPage}}}}' as Operation<LiveSessionsOfUserQuery, LiveSessionsOfUserQueryVariables>;

export const UnlockUser =
  'mutation UnlockUser($id:ID!){unlockUser(input:{id:$id}){user{id}}}' as Operation<UnlockUserMutation, UnlockUserMutationVariables>;

export const ResetFactors =
  'mutation ResetFactors($id:ID!){resetFactors(input:{userId:$id}){removedFactorCount revokedSessionCount}}' as Operation<ResetFactorsMutation, ResetFactorsMutationVariables>;

export const SetRoleOfUser =
  'mutation SetRoleOfUser($id:ID!$role:Role!){setUserRole(input:{id:$id role:$role}){user{id}}}' as Operation<SetRoleOfUserMutation, SetRoleOfUserMutationVariables>;

export const SetEmailOfUser =
  'mutation SetEmailOfUser($id:ID!$email:String!){setUserEmail(input:{id:$id email:$email}){user{email}}}' as Operation<SetEmailOfUserMutation, SetEmailOfUserMutationVariables>;

export const SetActivityOfUser =
  'mutation SetActivityOfUser($id:ID!$isActive:Boolean!){setUserActive(input:{id:$id isActive:$isActive}){revokedSessionCount}}' as Operation<SetActivityOfUserMutation, SetActivityOfUserMutationVariables>;

export const DeleteUser =
  'mutation DeleteUser($id:ID!){deleteUser(input:{id:$id}){deletedId}}' as Operation<DeleteUserMutation, DeleteUserMutationVariables>;

export const EraseUser =
  'mutation EraseUser($id:ID!){eraseUser(input:{id:$id}){pseudonym changedEventCount}}' as Operation<EraseUserMutation, EraseUserMutationVariables>;

export const ForgetDevice =
  'mutation ForgetDevice($id:ID!){forgetDevice(input:{id:$id}){forgottenId}}' as Operation<ForgetDeviceMutation, ForgetDeviceMutationVariables>;

export const AllSessions =
  'query AllSessions($first:Int!$after:String$live:Boolean!){sessions(first:$first after:$after filter:{live:$live}){nodes{...SessionFacts userId user{id email}}pageInfo{hasNextPage endCursor}}}fragment SessionFacts on Session{id startedAt lastUsedAt expiresAt endedAt endReason ipAddress userAgent isLive isCurrent}' as Operation<AllSessionsQuery, AllSessionsQueryVariables>;

export const Webhooks =
  'query Webhooks($first:Int!$after:String$withGateway:Boolean!){gateway@include(if:$withGateway){areWebhooksOn}webhooks(first:$first after:$after){nodes{id url eventTypes includeEmails createdAt pausedAt pausedBy lag parkedCount lastAttempt{at outcome status}previousSecretEndsAt}pageInfo{hasNextPage endCursor}}}' as Operation<WebhooksQuery, WebhooksQueryVariables>;

export const WebhookAttempts =
  'query WebhookAttempts($id:ID!){webhook(id:$id){attempts{at eventId eventType attempt outcome status milliseconds}}}' as Operation<WebhookAttemptsQuery, WebhookAttemptsQueryVariables>;

export const CreateWebhook =
  'mutation CreateWebhook($input:CreateWebhookInput!){createWebhook(input:$input){webhook{id}secret}}' as Operation<CreateWebhookMutation, CreateWebhookMutationVariables>;

export const RotateWebhookSecret =
  'mutation RotateWebhookSecret($input:RotateWebhookSecretInput!){rotateWebhookSecret(input:$input){webhook{previousSecretEndsAt}secret}}' as Operation<RotateWebhookSecretMutation, RotateWebhookSecretMutationVariables>;

export const PauseWebhook =
  'mutation PauseWebhook($id:ID!){pauseWebhook(input:{id:$id}){webhook{id}}}' as Operation<PauseWebhookMutation, PauseWebhookMutationVariables>;

export const ResumeWebhook =
  'mutation ResumeWebhook($id:ID!){resumeWebhook(input:{id:$id}){webhook{id}}}' as Operation<ResumeWebhookMutation, ResumeWebhookMutationVariables>;

export const ReplayWebhook =
  'mutation ReplayWebhook($id:ID!$since:DateTime!){replayWebhook(input:{id:$id since:$since}){webhook{id}}}' as Operation<ReplayWebhookMutation, ReplayWebhookMutationVariables>;

export const DeleteWebhook =
  'mutation DeleteWebhook($id:ID!){deleteWebhook(input:{id:$id}){deletedId}}' as Operation<DeleteWebhookMutation, DeleteWebhookMutationVariables>;

export const TestWebhook =
  'mutation TestWebhook($id:ID!$newSecretOnly:Boolean!){testWebhook(input:{id:$id newSecretOnly:$newSecretOnly}){outcome status milliseconds}}' as Operation<TestWebhookMutation, TestWebhookMutationVariables>;

export const ResendWebhookEvent =
  'mutation ResendWebhookEvent($id:ID!$eventId:ID!){resendWebhookEvent(input:{id:$id eventId:$eventId}){outcome status milliseconds}}' as Operation<ResendWebhookEventMutation, ResendWebhookEventMutationVariables>;

