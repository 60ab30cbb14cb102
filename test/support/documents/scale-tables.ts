/** What so many users cost, as docs/scale.md prints it. */
import { readFileSync } from 'node:fs';
import { type Checked, type Costs, deviationOf, holds, needOf } from '../../../proof/scale/model.js';
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
  return table([...head, ...more], rows);
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
