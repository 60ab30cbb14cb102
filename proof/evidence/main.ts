/**
 * `npm run evidence`: measures real instances from outside and prints a table. Exit code 1 if something was violated, did
 * not finish, had fewer trials than prove something, or was left out.
 *   --full          the large size, about two hours
 *   --only A,B      these experiments alone
 *   --without A,B   leaves these out
 *   --waiting, --alone   only those that may run next to other work, or only those that may not
 *   --mutants       also plants the faults that the experiments must find
 *   --batches SIZE  forces the gateway's batches to be small or large
 *   --install       first installs, by apt-get, the programs that experiments need
 *   --resume FILE   goes on after the results in FILE, of an interrupted run of the same commit
 *   --out FILE      where to write the report as JSON: by default evidence/DATE-SIZE.json
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BATCHES } from './batches.js';
import type { Experiment } from './experiment.js';
import { EXPERIMENTS } from './experiments/index.js';
import { inLab } from './lab/lab.js';
import { inLanes } from './lab/lanes.js';
import { installPrograms, isThere } from './lab/programs.js';
import { type Options, readOptions } from './options.js';
import { runEdited, tryMutants } from './plant.js';
import { examplesOf, isWhole, type Report, type Result, redOf, startReport, tableOf } from './report.js';
import { TITLES } from './titles.js';

/** Experiments that go on at the same time: most of their time they wait. */
const AT_ONCE = { small: 3, full: 2 };

const say = (line: string): void => void process.stderr.write(`${line}\n`);

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Exits with 2 on a usage error. */
function orExplain<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    say(messageOf(error));
    process.exit(2);
  }
}

async function resultOf(experiment: Experiment, options: Options, interrupted: AbortSignal): Promise<Result> {
  const { name, needs = [], run } = experiment;
  const date = new Date().toISOString();
  const missing = needs.filter((need) => !isThere(need));
  if (missing.length > 0) return { experiment: name, date, seconds: 0, rows: [], leftOut: `without ${missing.join()}` };

  const log = (line: string): void => say(`${name}: ${line}`);
  log(TITLES[name]);
  const startedMs = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedMs) / 1000);
  try {
    const rows = await inLab(log, interrupted, (lab) => run(lab, options.size));
    if (options.mutants) rows.push(...(await inLab(log, interrupted, (lab) => tryMutants(lab, experiment))));
    for (const { what, trials, violations, examples = [] } of rows) {
      log(`${what}: ${violations} of ${trials}`);
      if (violations > 0) for (const example of examples.slice(0, 5)) log(`  ${example}`);
    }
    return { experiment: name, date, seconds: seconds(), rows };
  } catch (error) {
    log(`failed: ${messageOf(error)}`);
    return { experiment: name, date, seconds: seconds(), rows: [], failed: messageOf(error).split('\n')[0] ?? '' };
  }
}

/** @throws if the results are of another commit or size */
function startOrResume({ size, resume }: Options): Report {
  const report = startReport(size);
  if (resume === undefined) return report;
  const before = JSON.parse(readFileSync(resume, 'utf8')) as Report;
  for (const key of ['commit', 'size'] as const)
    if (before[key] !== report[key]) throw new Error(`${resume} is of ${key} ${before[key]}, not ${report[key]}`);
  return { ...before, results: before.results.filter(isWhole) };
}

const options = orExplain(() => readOptions(process.argv.slice(2)));
const { chosen, without, size } = options;
if (options.install) installPrograms(chosen.flatMap(({ needs = [] }) => needs));

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => interruption.abort(new Error(`interrupted by ${signal}`)));

const { batches } = options;
if (batches !== undefined) {
  const args = process.argv.slice(2).filter((word, i, all) => word !== '--batches' && all[i - 1] !== '--batches');
  const here = resolve(options.out ?? `evidence/batches-${batches}-${size}.json`);
  const code = await inLab(say, interruption.signal, (lab) =>
    runEdited(lab, BATCHES[batches], [...args, '--out', here]),
  );
  process.exit(code);
}

const report = orExplain(() => startOrResume(options));
const file = options.out ?? options.resume ?? `evidence/${report.date.slice(0, 19).replaceAll(':', '')}-${size}.json`;
mkdirSync(dirname(file), { recursive: true });
const results = new Map(report.results.map((result) => [result.experiment, result]));
for (const { name } of without)
  results.set(name, { experiment: name, date: report.date, seconds: 0, rows: [], withoutIt: true });
const carryOut = async (experiment: Experiment): Promise<void> => {
  if (interruption.signal.aborted || results.has(experiment.name)) return;
  results.set(experiment.name, await resultOf(experiment, options, interruption.signal));
  report.results = EXPERIMENTS.flatMap(({ name }) => results.get(name) ?? []);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`); // results so far are saved, whatever comes next
};
const needsAll = ({ isAlone = false }: Experiment): boolean => options.mutants || isAlone;
const together = chosen.filter((experiment) => !needsAll(experiment));
await inLanes(together.reverse(), AT_ONCE[size], carryOut); // the longest first
await inLanes(chosen.filter(needsAll), 1, carryOut);
const red = redOf(report, chosen);
say(`${red === 0 ? 'nothing is' : `${red} are`} red; the report is in ${file}`);
process.stdout.write(`${tableOf(report)}\n${examplesOf(report)}\n`);
process.exit(interruption.signal.aborted ? 130 : red > 0 ? 1 : 0); // whatever is still in flight
