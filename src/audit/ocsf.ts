/** Audit events in the Open Cybersecurity Schema Framework (https://schema.ocsf.io/1.5.0). (Interface 9) */
import { isIP } from 'node:net';
import { GATEWAY_VERSION } from '../platform/versions.js';
import { type Actor, type EventType, meaningOf } from './events.js';

/** Later versions 1.x have everything that is used here. */
const OCSF_VERSION = '1.5.0';
const PRODUCT = { name: 'auth-gateway', vendor_name: 'auth-gateway', version: GATEWAY_VERSION };

const SEVERITIES = { Informational: 1, Low: 2, Medium: 3, High: 4 } as const;
const STATUSES = { Success: 1, Failure: 2 } as const;
const ENTITY_TYPES = {
  api_key: 'API key',
  cron_key: 'internal key',
  keyring: 'keyring',
  login_counts: 'login counts',
  webhook: 'webhook',
};

/** The category of all three classes. */
const CATEGORY = { category_uid: 3, category_name: 'Identity & Access Management' };
/** For activities that the schema lacks, under a name of our own. */
const OTHER = 99;
const AUTHENTICATION = { uid: 3002, name: 'Authentication', activities: { Logon: 1, Logoff: 2, 'Token Reuse': OTHER } };
const ACCOUNT_CHANGE = {
  uid: 3001,
  name: 'Account Change',
  activities: {
    ...{ Create: 1, Enable: 2, 'Password Change': 3, 'Password Reset': 4, Disable: 5, Delete: 6, Unlock: 12 },
    ...{ 'Role Change': OTHER, 'Email Change': OTHER, 'Password Link': OTHER, 'Device Removal': OTHER },
    ...{ 'MFA Factor Enable': 10, 'MFA Factor Disable': 11, 'Recovery Codes': OTHER, Notice: OTHER },
  },
};
const ENTITY_MANAGEMENT = { uid: 3004, name: 'Entity Management', activities: { Create: 1, Update: 3, Delete: 4 } };

type Class = { uid: number; name: string; activities: Record<string, number> };

interface Kind {
  class: Class;
  activity: string;
  severity: keyof typeof SEVERITIES;
  status: keyof typeof STATUSES;
  /** Why it failed */
  status_detail?: string;
}

function done<C extends Class>(of: C, activity: keyof C['activities'] & string): Kind {
  return { class: of, activity, severity: 'Informational', status: 'Success' };
}

function failed<C extends Class>(
  of: C,
  activity: keyof C['activities'] & string,
  severity: Kind['severity'],
  detail: string,
): Kind {
  return { class: of, activity, severity, status: 'Failure', status_detail: detail };
}

/** A missing event does not compile. */
export const OCSF_KINDS: Record<EventType, Kind> = {
  account_locked: failed(AUTHENTICATION, 'Logon', 'Medium', 'ACCOUNT_LOCKED_OUT'),
  login_failure: failed(AUTHENTICATION, 'Logon', 'Low', 'INVALID_CREDENTIALS'),
  login_success: done(AUTHENTICATION, 'Logon'),
  token_theft: failed(AUTHENTICATION, 'Token Reuse', 'High', 'REFRESH_TOKEN_REUSED'),
  logout: done(AUTHENTICATION, 'Logoff'),
  user_created: done(ACCOUNT_CHANGE, 'Create'),
  user_role_changed: done(ACCOUNT_CHANGE, 'Role Change'),
  user_activated: done(ACCOUNT_CHANGE, 'Enable'),
  user_deactivated: done(ACCOUNT_CHANGE, 'Disable'),
  user_unlocked: done(ACCOUNT_CHANGE, 'Unlock'),
  user_password_set: done(ACCOUNT_CHANGE, 'Password Reset'),
  user_password_changed: done(ACCOUNT_CHANGE, 'Password Change'),
  password_change_failed: failed(ACCOUNT_CHANGE, 'Password Change', 'Low', 'INVALID_CREDENTIALS'),
  password_link_issued: done(ACCOUNT_CHANGE, 'Password Link'),
  password_reset_requested: done(ACCOUNT_CHANGE, 'Password Link'),
  user_email_changed: done(ACCOUNT_CHANGE, 'Email Change'),
  email_change_requested: done(ACCOUNT_CHANGE, 'Email Change'),
  email_changed: done(ACCOUNT_CHANGE, 'Email Change'),
  email_change_undone: done(ACCOUNT_CHANGE, 'Email Change'),
  notice_sent: done(ACCOUNT_CHANGE, 'Notice'),
  factor_added: done(ACCOUNT_CHANGE, 'MFA Factor Enable'),
  factor_removed: done(ACCOUNT_CHANGE, 'MFA Factor Disable'),
  factors_reset: done(ACCOUNT_CHANGE, 'MFA Factor Disable'),
  recovery_codes_renewed: done(ACCOUNT_CHANGE, 'Recovery Codes'),
  recovery_code_used: done(AUTHENTICATION, 'Logon'),
  session_confirmed: done(AUTHENTICATION, 'Logon'),
  user_deleted: done(ACCOUNT_CHANGE, 'Delete'),
  user_erased: done(ACCOUNT_CHANGE, 'Delete'),
  session_revoked: done(AUTHENTICATION, 'Logoff'),
  device_forgotten: done(ACCOUNT_CHANGE, 'Device Removal'),
  api_key_created: done(ENTITY_MANAGEMENT, 'Create'),
  api_key_rotated: done(ENTITY_MANAGEMENT, 'Update'),
  api_key_revoked: done(ENTITY_MANAGEMENT, 'Delete'),
  cron_key_created: done(ENTITY_MANAGEMENT, 'Create'),
  cron_key_rotated: done(ENTITY_MANAGEMENT, 'Update'),
  cron_key_revoked: done(ENTITY_MANAGEMENT, 'Delete'),
  login_counts_cleared: done(ENTITY_MANAGEMENT, 'Delete'),
  keyring_rotated: done(ENTITY_MANAGEMENT, 'Update'),
  webhook_created: done(ENTITY_MANAGEMENT, 'Create'),
  webhook_secret_rotated: done(ENTITY_MANAGEMENT, 'Update'),
  webhook_paused: done(ENTITY_MANAGEMENT, 'Update'),
  webhook_resumed: done(ENTITY_MANAGEMENT, 'Update'),
  webhook_replayed: done(ENTITY_MANAGEMENT, 'Update'),
  webhook_deleted: done(ENTITY_MANAGEMENT, 'Delete'),
};

/** The token had not been used: something else had ended its session. */
const ENDED_TOKEN = failed(AUTHENTICATION, 'Token Reuse', 'Low', 'REFRESH_TOKEN_REVOKED');

function kindOf(type: EventType, { ended_by }: KnownMetadata): Kind {
  return type === 'token_theft' && ended_by !== undefined ? ENDED_TOKEN : OCSF_KINDS[type];
}

/** A row. A newer version may have written types that this one does not know. */
export interface StoredEvent {
  id: string;
  event_type: string;
  entity_type: string;
  user_id: string | null;
  ip_address: string;
  user_agent: string | null;
  metadata: unknown;
  created_at: Date;
  /** RFC 3339 */
  written_at: string;
}

/** Fields of any metadata (`audit/events.ts`) that have a place in the schema. */
interface KnownMetadata {
  actor?: Actor;
  email?: string;
  /** Stays in `unmapped` */
  ended_by?: string;
  family_id?: string;
  key_id?: string;
  service_name?: string;
  webhook_id?: string;
  /** Of a webhook */
  host?: string;
}

/** @param more further fields for `unmapped` */
export function toOcsf(event: StoredEvent, more: Record<string, unknown>): object {
  const { id, event_type, created_at, written_at } = event;
  const common = {
    time: created_at.getTime(),
    metadata: {
      version: OCSF_VERSION,
      product: PRODUCT,
      uid: id,
      event_code: event_type,
      log_name: 'audit_events',
      logged_time: Date.parse(written_at),
    },
  };
  return isKnown(event_type) ? known(event, event_type, common, more) : unknown(event, common, more);
}

function isKnown(type: string): type is EventType {
  return Object.hasOwn(OCSF_KINDS, type);
}

function known(event: StoredEvent, type: EventType, common: object, more: object): object {
  const { entity_type, user_id, ip_address, user_agent } = event;
  const { actor, email, family_id, key_id, service_name, webhook_id, host, ...rest } = event.metadata as KnownMetadata;
  const kind = kindOf(type, rest);
  const hasSession = family_id !== undefined && kind.class === AUTHENTICATION; // an account change has no place for it
  const entityType = ENTITY_TYPES[entity_type as keyof typeof ENTITY_TYPES];
  return {
    ...classified(kind),
    ...common,
    message: meaningOf(type),
    ...(kind.class === ENTITY_MANAGEMENT
      ? { entity: { uid: key_id ?? webhook_id, name: service_name ?? host ?? entityType, type: entityType } }
      : { user: userOf(user_id, email) }),
    ...(kind.class === AUTHENTICATION && { service: { name: PRODUCT.name } }),
    ...(hasSession && { session: { uid: family_id } }),
    ...(actor !== undefined && { actor: actorOf(actor) }),
    src_endpoint: isIP(ip_address) === 0 ? { name: ip_address } : { ip: ip_address },
    ...(user_agent && { http_request: { user_agent } }),
    unmapped: { ...rest, ...(!hasSession && { family_id }), ...more },
  };
}

/** OCSF's base event, which has no place for users and addresses. */
function unknown(
  { entity_type, user_id, ip_address, user_agent, metadata }: StoredEvent,
  common: object,
  more: object,
) {
  const base = { category_uid: 0, class_uid: 0, activity_id: 0, type_uid: 0, severity_id: 0 };
  return { ...base, ...common, unmapped: { entity_type, user_id, ip_address, user_agent, metadata, ...more } };
}

function classified({ class: { uid, name, activities }, activity, severity, status, status_detail }: Kind) {
  const activity_id = activities[activity] ?? OTHER;
  return {
    ...CATEGORY,
    class_uid: uid,
    class_name: name,
    activity_id,
    activity_name: activity,
    type_uid: uid * 100 + activity_id,
    severity_id: SEVERITIES[severity],
    severity,
    status_id: STATUSES[status],
    status,
    ...(status_detail && { status_detail }),
  };
}

/** Of a failed login only the e-mail may be known. */
function userOf(id: string | null, email: string | undefined) {
  return { ...(id !== null && { uid: id }), ...(email !== undefined && { name: email, email_addr: email }) };
}

function actorOf(actor: Actor): object {
  switch (actor.caller_type) {
    case 'user':
      return { user: { uid: actor.sub } };
    case 'cli':
      return { app_name: 'command line' };
    default:
      return { app_uid: actor.key_id, app_name: ENTITY_TYPES[actor.caller_type === 'cron' ? 'cron_key' : 'api_key'] };
  }
}
