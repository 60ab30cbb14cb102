/** The published run of `npm run bench`, as docs/benchmark.md prints it. */
import { readPublished } from '../../../proof/bench/published.js';
import { shown } from '../../../proof/bench/tables.js';
import { table } from './table.js';

const { date, commit, machine, postgres, lines, goals, before } = readPublished();

export function benchmarkWorks(): string {
  const { cpu, cores, node } = machine;
  const rows = lines.map(({ what, rate, serverUs, postgresUs }) => [
    `\`${what}\``,
    shown(rate, 4),
    shown(serverUs),
    shown(postgresUs),
    shown(before.server_us[what]),
  ]);
  const where = `${cores} cores (${cpu}), Node ${node}, PostgreSQL ${postgres}, 64 connections`;
  const sentence = `Commit \`${commit}\`, ${date.slice(0, 10)}: ${where}. *Before* is \`${before.commit}\`, ${before.date}.`;
  const head = ['work', 'a second', 'CPU of the gateway, µs', 'of PostgreSQL, µs', 'of the gateway before, µs'];
  return `${sentence}\n\n${table(head, rows)}`;
}

export function benchmarkGoals(): string {
  const rows = goals.map(({ what, connections, value, low, high, goal, verdict }) => [
    connections === undefined || connections === 64 ? what : `${what} (${connections} connections)`,
    low === undefined ? shown(value) : `${shown(value)} (${shown(low)} to ${shown(high)})`,
    goal ?? '',
    verdict === 'no' ? '**no**' : (verdict ?? ''),
  ]);
  return table(['compared', 'median (quartiles)', 'goal', 'reached'], rows);
}
