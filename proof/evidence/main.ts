/**
 * `npm run evidence`: measures real instances from outside and prints a table. Exit code 1 if something was violated.
 *   --full          the large size, an hour or two
 *   --only A,B      these experiments alone
 *   --install       first installs, by apt-get, the programs that experiments need
 *   --out FILE      where to write the report as JSON: by default evidence/DATE-SIZE.json
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Experiment, Size } from './experiment.js';
import { EXPERIMENTS } from './experiments/index.js';
import { inLab } from './lab/lab.js';
import { inLanes } from './lab/lanes.js';
import { findProgram, installPrograms } from './lab/programs.js';
import { examplesOf, type Result, startReport, tableOf, violationsOf } from './report.js';

const OPTIONS = {
  full: { type: 'boolean', default: false },
  only: { type: 'string' },
  install: { type: 'boolean', default: false },
  out: { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

/** Experiments of the small size that go on at the same time: most of their time they wait. */
const AT_ONCE = 4;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Exits with 2 on a usage error. */
function readOptions() {
  try {
    const { full, only, install, out } = parseArgs({ options: OPTIONS }).values;
    const names = only?.split(',') ?? EXPERIMENTS.filter(({ isTested }) => full || !isTested).map(({ name }) => name);
    const unknown = names.filter((name) => !EXPERIMENTS.some((experiment) => experiment.name === name));
    if (unknown.length === 0) return { full, names, install, out };
    say(`no such experiment: ${unknown.join(', ')}; there are ${EXPERIMENTS.map(({ name }) => name).join(', ')}`);
  } catch (error) {
    say(messageOf(error));
  }
  process.exit(2);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function resultOf({ name, needs = [], run }: Experiment, size: Size, interrupted: AbortSignal): Promise<Result> {
  const missing = needs.filter((program) => findProgram(program) === undefined);
  if (missing.length > 0)
    return { experiment: name, seconds: 0, rows: [], leftOut: `${missing.join(', ')} not installed` };

  const log = (line: string): void => say(`${name}: ${line}`);
  log('begins');
  const startedMs = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedMs) / 1000);
  try {
    const rows = await inLab(log, interrupted, (lab) => run(lab, size));
    for (const { what, trials, violations, examples = [] } of rows) {
      log(`${what}: ${violations} of ${trials}`);
      for (const example of examples.slice(0, 5)) log(`  ${example}`);
    }
    return { experiment: name, seconds: seconds(), rows };
  } catch (error) {
    log(`failed: ${messageOf(error)}`);
    return { experiment: name, seconds: seconds(), rows: [], failed: messageOf(error).split('\n')[0] ?? '' };
  }
}

const { full, names, install, out } = readOptions();
const chosen = EXPERIMENTS.filter(({ name }) => names.includes(name));
if (install) installPrograms(chosen.flatMap(({ needs = [] }) => needs));

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => interruption.abort(new Error(`interrupted by ${signal}`)));

const size: Size = full ? 'full' : 'small';
const report = startReport(size);
const file = out ?? `evidence/${report.date.slice(0, 19).replaceAll(':', '')}-${size}.json`;
mkdirSync(dirname(file), { recursive: true });
const results = new Map<Experiment, Result>();
const carryOut = async (experiment: Experiment): Promise<void> => {
  if (interruption.signal.aborted) return;
  results.set(experiment, await resultOf(experiment, size, interruption.signal));
  report.results = chosen.flatMap((each) => results.get(each) ?? []);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`); // results so far are saved, whatever comes next
};
const needsAll = ({ isAlone = false }: Experiment): boolean => full || isAlone;
const together = chosen.filter((experiment) => !needsAll(experiment));
await inLanes(together.reverse(), AT_ONCE, carryOut); // the longest first
await inLanes(chosen.filter(needsAll), 1, carryOut);
say(`${violationsOf(report)} violations; the report is in ${file}`);
process.stdout.write(`${tableOf(report)}\n${examplesOf(report)}\n`);
process.exit(interruption.signal.aborted ? 130 : violationsOf(report) > 0 ? 1 : 0); // whatever is still in flight
