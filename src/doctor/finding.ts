/** Interface 9: what `doctor` says of one thing that it has looked at. */

/** Every name under which something is found; docs/doctor.md has a row for each. */
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
  'keyring',
  'keyring_readable',
  'keyring_owner',
  'keyring_rotation',
  'keyring_database',
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
  'expired_rows',
  'redis',
  'redis_eviction',
  'redis_tls',
  'public_url',
  'certificate',
  'metrics_open',
  'password_speed',
  'memory',
  'open_files',
  'disk',
] as const;

export type FindingName = (typeof FINDINGS)[number];

export interface Finding {
  /** `fault`: it does not work, or not safely. `warning`: it works, and may not for long. */
  severity: 'fault' | 'warning' | 'ok';
  check: FindingName;
  /** With figures, and without a secret */
  seen: string;
  /** What to type or to set; null where all is well. `run: auth-gateway …` begins a command of this program. */
  remedy: string | null;
}

export function ok(check: FindingName, seen: string): Finding {
  return { severity: 'ok', check, seen, remedy: null };
}

export function warning(check: FindingName, seen: string, remedy: string): Finding {
  return { severity: 'warning', check, seen, remedy };
}

export function fault(check: FindingName, seen: string, remedy: string): Finding {
  return { severity: 'fault', check, seen, remedy };
}
