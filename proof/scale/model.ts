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

/** A B-tree. `inner` are the pages above its leaves, `level` is 0 if the root is a leaf. */
export interface Index {
  name: string;
  level: number;
  leaves: number;
  inner: number;
}

/** What one refresh costs */
export interface Pass {
  statements: number;
  pages: number;
  walBytes: number;
  /** Without that of a vacuum */
  ownWalBytes: number;
  postgresUs: number;
}

/** A table of so many records, and refreshes of sessions that are anywhere in it */
export interface Size {
  records: number;
  bytesOfRecord: number;
  indexes: Index[];
  /** Each page changes for the first time since a checkpoint */
  afterCheckpoint: Pass;
  alone: Pass;
  /** Without the CPU of the vacuum itself */
  duringVacuum: Pass;
  /** How many ended while it was measured */
  vacuums: number;
}

/** A figure that rises with the logarithm of the records, at so many times as many as the greater of both. */
export function extrapolate(of: (size: Size) => number, [less, more]: readonly [Size, Size], times: number): number {
  const rise = (of(more) - of(less)) / Math.log10(more.records / less.records);
  return of(more) + rise * Math.log10(times);
}

/** The level of the root of an index with so many times the leaves, whose pages have as many children as now. */
export function levelAt({ level, leaves, inner }: Index, times: number): number {
  const children = level === 0 ? 300 : (leaves + inner - 1) / inner;
  let pages = leaves * times;
  let levels = 0;
  for (; pages > 1; levels += 1) pages = Math.ceil(pages / children);
  return levels;
}

/** What takes part in a refresh */
export const PARTS = ['gateways', 'haproxy', 'pgbouncer', 'primary', 'replica', 'redis'] as const;
export type PartName = (typeof PARTS)[number];

/** How gateways stand and are asked */
export interface Shape {
  what: string;
  gateways: number;
  connections: number;
  /** Between an answer and the next request of a connection */
  pauseMs?: number;
  /** The load, the gateways and PostgreSQL */
  between: 'nothing' | 'HAProxy' | 'all';
  /** A commit waits for the disk of the replica */
  isWaiting?: boolean;
  isExporting?: boolean;
}

export interface Step extends Shape {
  /** Refreshes a second */
  rate: number;
  medianMs: number;
  /** CPU of each refresh */
  cpuUs: Record<PartName, number>;
  /** The next three are of each refresh. */
  walBytes: number;
  statements: number;
  pages: number;
  /** What the replica has not replayed yet */
  lagBytes: { median: number; most: number };
  lagMs: { median: number; most: number };
}

/** CPU of the primary */
export interface Reading {
  /** A command that connects and finds nothing */
  connectionUs: number;
  /** For each more that a command reads */
  eventUs: number;
  listedUserUs: number;
  /** Locks of transactions that write to the audit log, while there is one */
  writersOnPrimary: number;
  writersOnReplica: number;
}

export interface Promotion {
  how: 'promoted' | 'power loss';
  /** Acknowledged logins, rotations and logouts */
  checked: number;
  lost: number;
  /** Asked while no answer came: nobody knows */
  inDoubt: number;
}

export interface ClusterFigures {
  date: string;
  commit: string;
  cores: number;
  steps: Step[];
  reading: Reading;
  promotions: Promotion[];
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Of the same step in several rounds: the median of each figure, and the most of what was the most. */
export function medianStep(rounds: readonly Step[]): Step {
  const [first] = rounds;
  if (first === undefined) throw new Error('there was no round');
  const of = (figure: (step: Step) => number): number => median(rounds.map(figure));
  const most = (figure: (step: Step) => number): number => Math.max(...rounds.map(figure));
  return {
    ...first,
    rate: of(({ rate }) => rate),
    medianMs: of(({ medianMs }) => medianMs),
    cpuUs: Object.fromEntries(PARTS.map((part) => [part, of(({ cpuUs }) => cpuUs[part])])) as Step['cpuUs'],
    walBytes: of(({ walBytes }) => walBytes),
    statements: of(({ statements }) => statements),
    pages: of(({ pages }) => pages),
    lagBytes: { median: of(({ lagBytes }) => lagBytes.median), most: most(({ lagBytes }) => lagBytes.most) },
    lagMs: { median: of(({ lagMs }) => lagMs.median), most: most(({ lagMs }) => lagMs.most) },
  };
}
