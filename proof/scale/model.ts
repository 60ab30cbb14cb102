/** What so many users cost: from what one refresh, login and row cost (`costs.json`). `docs/scale.md` prints it. */

/** What was measured, with its units in the names. */
export interface Costs {
  cpu: {
    /** Where the figures of this group come from */
    date: string;
    commit: string;
    gateway_us_refresh: number;
    postgres_us_refresh: number;
    gateway_us_logout: number;
    postgres_us_logout: number;
    /** Mostly the password's hash */
    gateway_us_login: number;
    postgres_us_login: number;
  };
  disk: {
    date: string;
    commit: string;
    /** Write-ahead log, without the images of whole pages after a checkpoint */
    wal_bytes_refresh: number;
    wal_bytes_login: number;
    wal_bytes_logout: number;
    /** On disk, with indexes and free space */
    bytes_record: number;
    bytes_session: number;
    bytes_event: number;
  };
}

export interface People {
  users: number;
  /** How long each of them uses the application each day */
  hoursADay: number;
}

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** How people behave, and what the gateway does by default. */
export const ASSUMED = {
  /** ACCESS_TOKEN_TTL_SECONDS: an application in use refreshes when its token expires */
  accessTokenSeconds: 900,
  /** REFRESH_TOKEN_TTL_SECONDS, and a day more, in which a record is known as used; the sweeper takes another */
  recordDays: 14 + 2,
  /** AUDIT_RETENTION_DAYS */
  auditDays: 365,
  /** Each user logs in and logs out once a day; two events */
  sessionsADay: 1,
  eventsASession: 2,
  /** If people use it for some hours a day, all of them log in within this time; otherwise over the whole day */
  loginSeconds: HOUR_SECONDS,
  /** How busy a core may be, so that what comes unevenly does not wait */
  busy: 0.5,
} as const;

export interface Need {
  refreshesASecond: number;
  loginsASecond: number;
  /** Cores of gateways, of which each instance uses one, and further ones for passwords */
  gatewayCores: number;
  postgresCores: number;
  walBytesASecond: number;
  /** In `refresh_tokens`, and how much disk they and `sessions` take */
  records: number;
  sessionBytes: number;
  auditBytes: number;
}

/** At the busiest time of the day; disk after a year. */
export function needOf({ users, hoursADay }: People, { cpu, disk }: Costs): Need {
  const { accessTokenSeconds, recordDays, auditDays, sessionsADay, eventsASession, loginSeconds, busy } = ASSUMED;
  const refreshesASecond = users / accessTokenSeconds;
  const loginsASecond = (users * sessionsADay) / (hoursADay < 24 ? loginSeconds : DAY_SECONDS);
  const logoutsASecond = loginsASecond; // in another hour, if at all; counted in the same
  const perSecond = (refresh: number, login: number, logout: number): number =>
    refreshesASecond * refresh + loginsASecond * login + logoutsASecond * logout;
  const coresOf = (micros: number): number => micros / 1e6 / busy;

  const recordsOfASession = 1 + (hoursADay * HOUR_SECONDS) / accessTokenSeconds;
  const sessions = users * sessionsADay * recordDays;
  return {
    refreshesASecond,
    loginsASecond,
    gatewayCores: coresOf(perSecond(cpu.gateway_us_refresh, cpu.gateway_us_login, cpu.gateway_us_logout)),
    postgresCores: coresOf(perSecond(cpu.postgres_us_refresh, cpu.postgres_us_login, cpu.postgres_us_logout)),
    walBytesASecond: perSecond(disk.wal_bytes_refresh, disk.wal_bytes_login, disk.wal_bytes_logout),
    records: sessions * recordsOfASession,
    sessionBytes: sessions * (disk.bytes_session + recordsOfASession * disk.bytes_record),
    auditBytes: users * sessionsADay * eventsASession * auditDays * disk.bytes_event,
  };
}

/** Findings of the simulation, next to the figures of the model. */
export interface Checked {
  what: string;
  expected: number;
  measured: number;
  /** How far apart they may be, as a share of what was expected */
  tolerance: number;
}

export function deviationOf({ expected, measured }: Checked): number {
  return measured / expected - 1;
}

export function holds(checked: Checked): boolean {
  return Math.abs(deviationOf(checked)) <= checked.tolerance;
}
