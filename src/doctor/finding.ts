/** `doctor`: what it may find, and the result of one check. (Interface 9) */
import { type Remedy, remedyText } from '../platform/explained.js';

/** Each finding: what it means, and what to do. `npm run docs` prints them in docs/doctor.md. */
export const FINDINGS = {
  configuration: {
    means: 'A variable is refused, or a name is misspelt.',
    remedy: 'Correct or unset it.',
  },
  listen_host: {
    means: 'Other machines can reach a development set-up.',
    remedy: 'Set `PUBLIC_URL` to the public origin, or unset `LISTEN_HOST`.',
  },
  login_limits: {
    means:
      'Production allows 1,000 or more logins of an address or 100 or more wrong passwords of an account; or the gateway at `LISTEN_HOST` and `PORT` has another limit than this shell.',
    remedy: 'Unset the limits, or run doctor in the environment of the gateway.',
  },
  token_lifetimes: {
    means: 'Access tokens live longer than an hour, or (fault) than the session.',
    remedy: 'Unset `ACCESS_TOKEN_TTL_SECONDS`; clients refresh by themselves.',
  },
  log_level: {
    means: 'Warnings are not logged.',
    remedy: 'Set `LOG_LEVEL=info`.',
  },
  proxy_unknown: {
    means: '`PUBLIC_URL` is https, and no proxy is trusted: all clients may share one login limit.',
    remedy: 'Set `TRUST_PROXY` to the address from which the proxy connects.',
  },
  trust_proxy: {
    means: 'Nearly every address is trusted as a proxy, so clients can forge their address.',
    remedy:
      'List the addresses of your proxies alone. A wrong address shows only in the log, at the first request through the proxy.',
  },
  cookie: {
    means:
      'Browsers drop the refresh cookie or do not send it; or `COOKIE_DOMAIN` shares it with every host below, each of which can plant its own.',
    remedy: 'Serve the page from the site of `PUBLIC_URL` by https; unset the `COOKIE_…` variable that is named.',
  },
  cors_origins: {
    means: "In production a page on the visitor's own machine may call.",
    remedy: 'Remove local origins from `CORS_ORIGINS`.',
  },
  forward_auth: {
    means:
      '`FORWARD_AUTH_PROXIES` has a large public network; or a production service is http while `PUBLIC_URL` is https; or most questions since the start, ten or more, came from peers that are not listed.',
    remedy: 'List the addresses from which your proxies connect, and https origins.',
  },
  keyring: {
    means: 'The keyring is missing, refused, or has no current key.',
    remedy: 'Put back a copy, with owner and mode 0600 ([lost](runbook.md#a-lost-keyring)).',
  },
  keyring_readable: {
    means: 'Other accounts can read the keyring.',
    remedy: '`chmod 600`, in a folder that others cannot read.',
  },
  keyring_owner: {
    means: 'The keyring belongs to neither this account nor root.',
    remedy: '`chown` it to the account of the gateway.',
  },
  keyring_rotation: {
    means: 'The newest keys are older than 90 days.',
    remedy: '`keyring rotate`, [every month](keyring.md#rotate-it).',
  },
  keyring_database: {
    means:
      'The keyring lacks keys that sealed secrets in this database need. It is probably the keyring of another gateway.',
    remedy:
      'Use the right copy. If there is none, rotate the API keys and webhooks that are named, and `user reset-factors` the users.',
  },
  key_expiry: {
    means: 'An API key or cron key expires within 14 days.',
    remedy: 'Rotate it with a later end, or let it end.',
  },
  trusted_documents: {
    means:
      'A file of `TRUSTED_DOCUMENTS` is refused (fault), or documents do not fit the schema of this version: they are named.',
    remedy: 'Generate the documents again, from this `schema.graphql`.',
  },
  breached_passwords: {
    means: '`BREACHED_PASSWORDS` is missing, or not what the downloader writes.',
    remedy: 'Download it again.',
  },
  database: {
    means: 'The database cannot be reached.',
    remedy: 'Follow the printed reason; check host, password and firewall.',
  },
  database_version: {
    means: 'PostgreSQL is older than 14.',
    remedy: 'Upgrade PostgreSQL.',
  },
  database_writes: {
    means: 'A login could not be written: read-only, a full disk, a lock.',
    remedy: 'Name the primary, free space, or end the process that holds the lock.',
  },
  migrations: {
    means: 'The tables belong to an older version or an incompatible newer one (faults), or to a compatible newer one.',
    remedy: '`migrate up`; or start the newer version here too.',
  },
  pooler: {
    means: '`DATABASE_POOLER` does not match what is in front of PostgreSQL.',
    remedy: 'Set it as printed ([PgBouncer](operate.md#behind-pgbouncer)).',
  },
  statement_timeout: {
    means: 'PostgreSQL has no time limit for statements, as behind a pooler.',
    remedy: 'Give the role its limits ([PgBouncer](operate.md#behind-pgbouncer)).',
  },
  database_tls: {
    means: 'The database is remote, without TLS or with an unchecked certificate.',
    remedy: 'Add `sslmode=verify-full` to `DATABASE_URL`.',
  },
  database_connections: {
    means: 'PostgreSQL has connections for fewer than two instances (fault: one).',
    remedy: 'Raise the limit that is named.',
  },
  database_durability: {
    means: 'PostgreSQL does not wait for its disk: a crash undoes what was already answered.',
    remedy: 'Set `synchronous_commit` and `fsync` to `on`.',
  },
  database_encoding: {
    means: 'The encoding of the database is not UTF8.',
    remedy: 'Create a database with UTF8 and move into it.',
  },
  database_rights: {
    means:
      'The role cannot use the tables, cannot migrate although it owns them, or owns none and cannot use future ones.',
    remedy: 'Grant what is printed ([a role that owns nothing](operate.md#a-role-that-owns-nothing)).',
  },
  clock: {
    means:
      'This clock is more than 5 s (fault: 60 s) from that of the database. Redis and `PUBLIC_URL` are asked too, to find out which clock is wrong.',
    remedy: 'Run NTP on the machine that is named.',
  },
  administrators: {
    means: 'There is no active administrator.',
    remedy: '`user invite EMAIL --role admin`.',
  },
  first_administrator: {
    means: 'In production the password of the first start was never changed.',
    remedy: '`user reset-link EMAIL`.',
  },
  second_factors: {
    means:
      'Active users of a role in `SECOND_FACTOR_ROLES` have no second factor. Their next session has no scopes until they add one. If no administrator has one, nobody administers but by commands.',
    remedy:
      'Lead them to *My sessions* of the console ([second factors](second-factors.md#the-day-you-require-a-factor)).',
  },
  operator_passwords: {
    means: 'In production an operator has set the password of active users, who have not changed it.',
    remedy: 'Ask them to change it, or `user reset-link EMAIL`.',
  },
  users_without_password: {
    means: 'Active users have no password, and no valid link to set one.',
    remedy: '`user reset-link EMAIL`.',
  },
  expired_rows: {
    means: 'Expired audit events or refresh tokens are a day overdue for deletion.',
    remedy: 'Leave a gateway running; look for `sweeping failed` in its log.',
  },
  redis: {
    means: 'Redis cannot be reached, or accepts no writes.',
    remedy: 'Name the master; start Redis, free its memory or disk, or allow its user to write.',
  },
  redis_eviction: {
    means: 'Redis drops counters when it is full.',
    remedy: 'Set `maxmemory-policy noeviction`.',
  },
  redis_tls: {
    means: 'Redis is remote, without TLS.',
    remedy: 'Use `rediss://` in `REDIS_URL`.',
  },
  webhooks: {
    means:
      '`WEBHOOK_HOSTS` is unset while webhooks exist; or does not list a host or allow a URL (fault); or a receiver answered 410; or a webhook is behind by more than ten minutes or has failed events.',
    remedy:
      'List the host, ask who runs the receiver, then `webhook test ID` ([its alert](runbook.md#authgatewaywebhooklag)).',
  },
  mail: {
    means: 'A mail has waited for more than ten minutes.',
    remedy: 'Check the server of `SMTP_URL` ([its alert](runbook.md#authgatewaymaillag)).',
  },
  public_url: {
    means:
      '`PUBLIC_URL` does not lead to this gateway: no answer (a warning on this machine), another program, another name or another keyring. In production a proxy that forwards `/auth` alone is a warning.',
    remedy: 'Correct `PUBLIC_URL` or the proxy, in every instance.',
  },
  certificate: {
    means: 'The certificate of `PUBLIC_URL` is for another name, untrusted, or ends within 14 days.',
    remedy: 'Renew it, and reload the proxy.',
  },
  metrics_open: {
    means: 'In production everybody can read `/metrics`.',
    remedy: 'Set `METRICS_PORT`, or hide `/metrics` in the proxy.',
  },
  forward_auth_open: {
    means: 'In production everybody can ask at `/authz` through the proxy at `PUBLIC_URL`.',
    remedy: 'Let the public proxy refuse `/authz/`.',
  },
  password_speed: {
    means: 'One password takes more than half a second of a core.',
    remedy: 'Lower `ARGON2_…`, or [compile argon2](operate.md#passwords-a-second).',
  },
  memory: {
    means: 'There is less memory than program and passwords need.',
    remedy: 'Give it more, or lower the variables that are named.',
  },
  open_files: {
    means: '2,048 connections need more open files than are allowed.',
    remedy: 'Set `LimitNOFILE=65536`.',
  },
  disk: {
    means: 'The disk of the embedded database has less than 1 GiB left (fault: 256 MiB).',
    remedy: 'Free space, or lower `AUDIT_RETENTION_DAYS`.',
  },
} as const;

export type FindingName = keyof typeof FINDINGS;

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
