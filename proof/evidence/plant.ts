/** Plants faults in a copy of the sources, and lets the experiment look for them that must find them. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Edit, Experiment, Mutant, Row } from './experiment.js';
import type { Lab } from './lab/lab.js';
import type { Report } from './report.js';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));

/** Builds a copy of the sources with these edits, and does the whole run there. @returns its exit code */
export async function runEdited(lab: Lab, edits: readonly Edit[], args: string[]): Promise<number> {
  const copy = copySources(lab);
  plant(copy, edits);
  await run(lab, copy, [join(copy, 'scripts/build.js')], true);
  return run(lab, copy, [MAIN, ...args], false, 'inherit');
}

/** @returns a row for each mutant: one that survives is a violation */
export async function tryMutants(lab: Lab, { name, mutants }: Experiment): Promise<Row[]> {
  if (mutants.length === 0) return [];
  const copy = copySources(lab);
  const rows: Row[] = [];
  for (const mutant of mutants) {
    lab.say(`planted: ${mutant.name}`);
    const unplant = plant(copy, editsOf(mutant));
    const report = await lookIn(lab, copy, name);
    unplant();
    const found = report.results.flatMap((result) => result.rows).filter(({ violations }) => violations > 0);
    const isFound = found.some(({ what }) => mutant.foundBy.test(what));
    rows.push({
      what: `not found by ${name}: ${mutant.name}`,
      trials: 1,
      least: 1,
      violations: isFound ? 0 : 1,
      examples: report.results.map(
        (result) => result.failed ?? `red: ${found.map(({ what }) => what).join('; ') || 'none'}`,
      ),
    });
  }
  return rows;
}

/** With the packages and, as a beginning, the build of this one. */
function copySources(lab: Lab): string {
  const copy = join(lab.folder, 'sources');
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  mkdirSync(copy);
  for (const file of list.split('\0').filter(Boolean)) cpSync(file, join(copy, file));
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** @returns what takes it away again @throws if a text does not stand in its file exactly once */
function plant(folder: string, edits: readonly Edit[]): () => void {
  const undo = edits.map((edit) => {
    const path = join(folder, edit.file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, changed(text, edit));
    return () => writeFileSync(path, text);
  });
  return () => {
    for (const each of undo.toReversed()) each(); // two may be of one file
  };
}

export function editsOf(mutant: Mutant): Edit[] {
  return mutant.and === undefined ? [mutant] : [mutant, mutant.and];
}

/** @throws the same */
export function changed(text: string, { file, from, to }: Edit): string {
  const [before, after, ...more] = text.split(from);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${file} must have this text exactly once: ${from}`);
  return `${before}${to}${after}`;
}

/** Builds what is in the folder, and runs the experiment on its instances. */
async function lookIn(lab: Lab, folder: string, experiment: string): Promise<Report> {
  const file = join(folder, 'report.json');
  rmSync(file, { force: true });
  await run(lab, folder, [join(folder, 'scripts/build.js')], true);
  await run(lab, folder, [MAIN, '--only', experiment, '--out', file], false);
  return JSON.parse(readFileSync(file, 'utf8')) as Report;
}

/** @returns the exit code @throws if it must succeed, and does not */
async function run(
  lab: Lab,
  cwd: string,
  words: string[],
  mustSucceed: boolean,
  output: 'inherit' | 'ignore' | 2 = mustSucceed ? 2 : 'ignore', // the compiler writes its errors to stdout
): Promise<number> {
  const child = spawn(process.execPath, words, { cwd, stdio: ['ignore', output, output] });
  lab.defer(() => child.kill('SIGTERM'));
  const [code] = await once(child, 'exit');
  if (mustSucceed && code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`);
  return Number(code ?? 1);
}
