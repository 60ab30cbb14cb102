/** What so many users cost, as docs/scale.md prints it. */
import { readFileSync } from 'node:fs';
import {
  ASSUMED,
  type Checked,
  type ClusterFigures,
  type Costs,
  deviationOf,
  extrapolate,
  holds,
  levelAt,
  needOf,
  type PartName,
  type Pass,
  type Size,
} from '../../../proof/scale/model.js';
import { table } from './table.js';

interface Simulation {
  date: string;
  commit: string;
  users: number;
  records: number;
  wal_bytes_after_checkpoint: number;
  checked: Checked[];
}

const USERS = [10_000, 1_000_000, 10_000_000, 100_000_000];
const HOURS_A_DAY = [8, 24];

export function readCosts(): Costs {
  return JSON.parse(readFileSync('proof/scale/costs.json', 'utf8')) as Costs;
}

export function readSimulation(): Simulation {
  return JSON.parse(readFileSync('proof/scale/simulation.json', 'utf8')) as Simulation;
}

/** What is needed, a row for so many users and hours. */
export function scaleNeeds(): string {
  const costs = readCosts();
  const rows = USERS.flatMap((users) =>
    HOURS_A_DAY.map((hoursADay) => {
      const need = needOf({ users, hoursADay }, costs);
      const rates = [need.refreshesASecond, need.loginsASecond].map(shown);
      const cores = [need.gatewayCores, need.postgresCores].map((each) => shown(Math.max(each, 0.01)));
      const disk = [bytes(need.sessionBytes), bytes(need.auditBytes)];
      const log = `${bytes(need.walBytesASecond)}/s`;
      return [users.toLocaleString('en'), hoursADay, ...rates, ...cores, log, count(need.records), ...disk];
    }),
  );
  const head = ['users', 'hours a day', 'refreshes a second', 'logins a second', 'cores of gateways'];
  const more = ['of PostgreSQL', 'log', 'records', 'disk, sessions', 'disk, audit'];
  const { recordDays, auditDays } = ASSUMED;
  return `${table([...head, ...more], rows)}

*Records* are the refresh tokens of ${recordDays} days: ${recordDays - 2}, one more in which a used token is still known, and one that the sweeper may take. *Audit* is that of ${auditDays} days. *Log* is PostgreSQL's
write-ahead log; whole pages after a checkpoint make it [many times as much](#ten-and-a-hundred-million-records) for some minutes.`;
}

/** What one of each costs. */
export function scaleCosts(): string {
  const { cpu, disk } = readCosts();
  const row = (what: string, gatewayUs: number, postgresUs: number, walBytes: number) => {
    return [what, `${shown(gatewayUs)} µs`, `${shown(postgresUs)} µs`, `${shown(walBytes)} bytes`];
  };
  return `${table(
    ['one', 'gateway', 'PostgreSQL', 'log'],
    [
      row('refresh', cpu.gateway_us_refresh, cpu.postgres_us_refresh, disk.wal_bytes_refresh),
      row('login', cpu.gateway_us_login, cpu.postgres_us_login, disk.wal_bytes_login),
      row('logout', cpu.gateway_us_logout, cpu.postgres_us_logout, disk.wal_bytes_logout),
    ],
  )}

A record takes ${shown(disk.bytes_record)} bytes on disk, a session ${shown(disk.bytes_session)} more, an audit event ${shown(disk.bytes_event)}, with their
indexes. The processor times are of an earlier run of the [benchmark](benchmark.md), at commit \`${cpu.commit}\` (${cpu.date}), the rest is of \`${disk.commit}\` (${disk.date}).`;
}

/** What the simulation has found. */
export function scaleSimulation(): string {
  const { date, commit, users, records, checked, wal_bytes_after_checkpoint } = readSimulation();
  const rows = checked.map((each) => {
    const apart = `${(100 * deviationOf(each)).toFixed(0)} %`;
    return [each.what, shown(each.expected), shown(each.measured), apart, holds(each) ? 'holds' : 'TOO FAR'];
  });
  return `On ${date}, at \`${commit}\`: ${users.toLocaleString('en')} users with ${records.toLocaleString('en')} records.

${table(['figure', 'expected', 'measured', 'apart', ''], rows)}

Right after a checkpoint, when each page that changes goes into the log as a whole, a refresh of a random session writes ${bytes(wal_bytes_after_checkpoint)}.`;
}

/** Shapes of proof/scale/cluster.ts that sentences are about */
const [MORE_LOAD, DURING_EXPORT] = ['more load', 'during an audit export'];

export function readCluster(): ClusterFigures {
  return JSON.parse(readFileSync('proof/scale/cluster.json', 'utf8')) as ClusterFigures;
}

/** A refresh in each shape of the cluster, and how its parts relate. */
export function scaleCluster(): string {
  const { date, commit, cores, steps } = readCluster();
  const rows = steps.map((step) => [
    step.what,
    step.gateways,
    step.connections,
    shown(step.rate),
    ...(['gateways', 'haproxy', 'pgbouncer', 'primary', 'replica'] as const).map((part) => shown(step.cpuUs[part])),
    shown(1 / step.statements),
    shown(step.pages),
    shown(step.walBytes),
    `${shown(step.lagMs.median)} ms, ${shown(step.lagMs.most)} ms (${bytes(step.lagBytes.most)})`,
  ]);
  const head = ['', 'gateways', 'connections', 'refreshes a second', 'gateways, µs', 'HAProxy', 'PgBouncer', 'primary'];
  const more = ['replica', 'refreshes a statement', 'pages', 'log, bytes', 'lag, median and most'];
  const { cpuUs } = steps.findLast(({ what }) => what === MORE_LOAD) ?? steps[0] ?? noSteps();
  const coresOf = (part: PartName): string => shown(cpuUs[part] / cpuUs.primary);
  const redis = shown(Math.max(...steps.map((step) => step.cpuUs.redis)));
  return `On ${date}, at \`${commit}\`: medians of three rounds. ${cores} cores do everything, also the load. CPU, pages and log are of one refresh; of a busy machine they say more than the rates.

${table([...head, ...more], rows)}

Each *and* adds a part. From *and a replica* on, each commit waits for the disk of the replica. With *little load* each connection pauses 200 ms after an answer; what idle parts use is in it. *Lag* is what the
replica has not replayed.

At ${MORE_LOAD} with ${steps.findLast(({ what }) => what === MORE_LOAD)?.gateways} gateways, one core of the primary serves ${shown(1e6 / cpuUs.primary)} refreshes a second. As many need ${coresOf('gateways')} cores of gateways, ${coresOf('haproxy')} of HAProxy,
${coresOf('pgbouncer')} of PgBouncer and ${coresOf('replica')} of the replica. Redis uses ${redis} µs at most, for itself: a refresh asks it nothing.`;
}

/** What is lost with the primary. */
export function scalePromotions(): string {
  const { promotions } = readCluster();
  const how = {
    promoted: 'the replica is promoted, then the primary ends',
    'power loss': 'the primary is killed first',
  };
  return table(
    ['', 'acknowledged', 'lost', 'without an answer'],
    promotions.map((each) => [how[each.how], each.checked.toLocaleString('en'), each.lost, each.inDoubt]),
  );
}

/** What reading takes from the primary. */
export function scaleReading(): string {
  const { reading, steps } = readCluster();
  const { cpu } = readCosts();
  const { eventsASession, sessionsADay } = ASSUMED;
  const refreshes = (8 * 3_600) / ASSUMED.accessTokenSeconds;
  const day = refreshes * cpu.postgres_us_refresh + cpu.postgres_us_login + cpu.postgres_us_logout;
  const share = (100 * eventsASession * sessionsADay * reading.eventUs) / day;
  const during = steps.find(({ what }) => what === DURING_EXPORT);
  const alone = steps.findLast(({ what }) => what === MORE_LOAD);
  const added = (during?.cpuUs.primary ?? Number.NaN) - (alone?.cpuUs.primary ?? Number.NaN);
  return `An event costs the primary ${shown(reading.eventUs)} µs to export, ${shown(share)} % of all that a user costs it in a day; a line of \`user list\` ${shown(reading.listedUserUs)} µs. Exports without a pause add ${shown(added)} µs to a refresh.
While one transaction writes to the audit log, the primary shows ${reading.writersOnPrimary} lock of a writer, the replica ${reading.writersOnReplica}: there
\`audit export\` would call the log complete too early. Your own queries, and \`pg_dump\`, may go to a replica.`;
}

interface Sizes {
  date: string;
  commit: string;
  sizes: [Size, Size];
}

export function readSizes(): Sizes {
  return JSON.parse(readFileSync('proof/scale/rows.json', 'utf8')) as Sizes;
}

/** Of the greater size, for which the same is computed */
const TIMES = [10, 100];

/** Two sizes that were measured, and greater ones. */
export function scaleRows(): string {
  const { date, commit, sizes } = readSizes();
  const [less, more] = sizes;
  const row = (what: string, of: (size: Size) => number): string[] => [
    what,
    ...sizes.map((size) => shown(of(size))),
    ...TIMES.map((times) => shown(extrapolate(of, sizes, times))),
  ];
  const ofPass = (what: string, figure: keyof Pass): string[][] => [
    row(`${what}, alone`, ({ alone }) => alone[figure]),
    row(`${what}, during a vacuum`, ({ duringVacuum }) => duringVacuum[figure]),
  ];
  const depths = more.indexes.map((index, i) => {
    const levels = [less.indexes[i]?.level ?? Number.NaN, index.level, ...TIMES.map((times) => levelAt(index, times))];
    return [`depth of \`${index.name}\``, ...levels.map((level) => level + 1)];
  });
  const computed = TIMES.map((times) => more.records * times);
  const counted = [
    ...sizes.map(({ records }) => count(records)),
    ...computed.map((each) => `${count(each)}, computed`),
  ];
  const disk = [
    ...sizes.map((size) => size.bytesOfRecord * size.records),
    ...computed.map((n) => more.bytesOfRecord * n),
  ];
  const rows = [
    ...ofPass('pages', 'pages'),
    ...ofPass('PostgreSQL, µs', 'postgresUs'),
    ...ofPass('log, bytes', 'ownWalBytes'),
    row('log right after a checkpoint, bytes', ({ afterCheckpoint }) => afterCheckpoint.ownWalBytes),
    ...depths,
    ['disk of all', ...disk.map(bytes)],
  ];
  return `On ${date}, at \`${commit}\`: refreshes of sessions anywhere in the table, of which each has ten records. *During a vacuum* one of the whole table always runs, whose own CPU and log are not counted.
The CPU is of a busy machine; pages and log decide.

${table(['records', ...counted], rows)}

Computed is: each decade adds what the last one added, and the depth follows from the pages of the index. The log grows too: new records probably go into free space of old pages, each of which\ngoes into the log as a whole once after a checkpoint.`;
}

function noSteps(): never {
  throw new Error('proof/scale/cluster.json has no steps');
}

/** In two digits */
function shown(figure: number): string {
  return Number(figure.toPrecision(2)).toLocaleString('en', { maximumFractionDigits: 2 });
}

function count(figure: number): string {
  const [unit, name] = [
    [1e9, ' G'],
    [1e6, ' M'],
    [1, ''],
  ].find(([least]) => figure >= Number(least)) ?? [1, ''];
  return `${shown(figure / Number(unit))}${name}`;
}

function bytes(figure: number): string {
  const units: Array<[number, string]> = [
    [1e12, 'TB'],
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
  ];
  const [unit, name] = units.find(([least]) => figure >= least) ?? [1, 'bytes'];
  return `${shown(figure / unit)} ${name}`;
}
