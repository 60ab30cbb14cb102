/** The run that docs/benchmark.md prints: `npm run bench -- --publish` writes it. */
import { readFileSync } from 'node:fs';
import { writeJson } from './report.js';
import type { Judged, Line } from './summary.js';
import { JUDGED } from './work.js';

const FILE = 'proof/bench/published.json';

interface Run {
  date: string;
  commit: string;
  machine: { cpu: string; cores: number; memory_gib: number; node: string };
  postgres: string;
  lines: Array<Pick<Line, 'what' | 'connections' | 'rate' | 'serverUs' | 'postgresUs'>>;
  goals: Judged[];
}

export interface Published extends Run {
  /** The published run that it replaced: CPU of the gateway by work, µs */
  before: { commit: string; date: string; server_us: Record<string, number> };
}

export function readPublished(): Published {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Published;
}

/** The works at 64 connections, and what has a goal. */
export function published({ date, commit, machine, postgres, lines, goals }: Run, replaced: Published): Published {
  const works = replaced.lines.flatMap(({ what, serverUs }) => (serverUs === undefined ? [] : [[what, serverUs]]));
  return {
    ...{ date, commit, machine, postgres },
    lines: lines.filter(({ rate, connections = JUDGED }) => rate !== undefined && connections === JUDGED),
    goals: goals.filter(({ goal }) => goal !== undefined),
    before: { commit: replaced.commit, date: replaced.date.slice(0, 10), server_us: Object.fromEntries(works) },
  };
}

export function publish(run: Run): void {
  writeJson(FILE, published(run, readPublished()));
}
