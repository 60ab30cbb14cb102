/** Interface 9: the result of one check of `doctor`. */
import { type Remedy, remedyText } from '../platform/explained.js';

/** The names of all findings; docs/monitoring.md#doctor has a row for each. */
export const FINDINGS = [
  'configuration',
  'listen_host',
  'login_limits',
  'token_lifetimes',
  'log_level',
  'proxy_unknown',
  'trust_proxy',
  'cookie',
  'cors_origins',
  'forward_auth',
  'keyring',
  'keyring_readable',
  'keyring_owner',
  'keyring_rotation',
  'keyring_database',
  'key_expiry',
  'breached_passwords',
  'database',
  'database_version',
  'database_writes',
  'migrations',
  'pooler',
  'statement_timeout',
  'database_tls',
  'database_connections',
  'database_durability',
  'database_encoding',
  'database_rights',
  'clock',
  'administrators',
  'first_administrator',
  'operator_passwords',
  'users_without_password',
  'expired_rows',
  'redis',
  'redis_eviction',
  'redis_tls',
  'webhooks',
  'mail',
  'public_url',
  'certificate',
  'metrics_open',
  'forward_auth_open',
  'password_speed',
  'memory',
  'open_files',
  'disk',
] as const;

export type FindingName = (typeof FINDINGS)[number];

export interface Finding {
  /** `fault`: something does not work, or is not safe. `warning`: it works, but perhaps not for long. */
  severity: 'fault' | 'warning' | 'ok';
  check: FindingName;
  /** What was found, with figures and without secrets */
  seen: string;
  /** What to type or to set; null if all is well */
  remedy: Remedy | null;
  /** Code of the error that prevented the check */
  code?: string;
  /** True if the next look may miss it, because another instance may answer */
  isIntermittent?: boolean;
}

export interface PrintedFinding extends Pick<Finding, 'severity' | 'check' | 'seen'> {
  remedy: string | null;
}

/** @param program what is typed in front of a command */
export function printable({ severity, check, seen, remedy }: Finding, program?: string): PrintedFinding {
  return { severity, check, seen, remedy: remedy === null ? null : remedyText(remedy, program) };
}

export function ok(check: FindingName, seen: string): Finding {
  return { severity: 'ok', check, seen, remedy: null };
}

export function warning(check: FindingName, seen: string, remedy: Remedy): Finding {
  return { severity: 'warning', check, seen, remedy };
}

export function fault(check: FindingName, seen: string, remedy: Remedy): Finding {
  return { severity: 'fault', check, seen, remedy };
}
