/** Compiles the model with Spin and gcc, runs the checker that comes out, and reads what it prints. */
import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const MODEL = 'rotation.pml';
const run = promisify(execFile);
/** The longest path is some hundred steps; beyond this many the checker reports an error */
const DEPTH = '-m100000';
const OUTPUT_BYTES = 2 ** 30;

export const hasSpin =
  ['spin', 'gcc'].every((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0) ||
  process.env['REQUIRE_PROGRAMS'] === '1';

export interface Checker extends AsyncDisposable {
  /** @returns all that it prints */
  run(options?: string[], env?: Record<string, string>): Promise<string>;
  /** @returns what the model prints on the way to the error that the last run has found */
  trail(): Promise<string>;
}

/** @param defines of the model @param flags of the compiler: by default for a search of all states for what must not be */
export async function compile(defines: readonly string[], flags = ['-DSAFETY', '-O1']): Promise<Checker> {
  const cwd = await mkdtemp(join(tmpdir(), 'protocol-'));
  await copyFile(`proof/protocol/${MODEL}`, join(cwd, MODEL)); // a trail is written next to it
  await run('spin', ['-a', ...defines.map((define) => `-D${define}`), MODEL], { cwd });
  await run('gcc', ['-w', '-DNOCLAIM', '-DVECTORSZ=2048', '-DCOLLAPSE', ...flags, '-o', 'pan', 'pan.c'], { cwd });
  return {
    run: async (options = [], env = {}) => {
      const args = [DEPTH, ...options];
      const { stdout } = await run('./pan', args, { cwd, env, maxBuffer: OUTPUT_BYTES });
      return stdout;
    },
    // It ends as the run did: with the error
    trail: () =>
      run('./pan', ['-r'], { cwd }).then(
        ({ stdout }) => stdout,
        ({ stdout }) => stdout,
      ),
    [Symbol.asyncDispose]: () => rm(cwd, { recursive: true }),
  };
}

export interface Checked {
  /** What was violated, if anything */
  error: string | undefined;
  states: number;
  depth: number;
  memoryMb: number;
  seconds: number;
  /** How often each event happened */
  events: Record<string, number>;
}

/** @throws {Error} if the search was not exhaustive */
export function read(printed: string): Checked {
  const found = (pattern: RegExp): string => {
    const [, value] = pattern.exec(printed) ?? [];
    if (value === undefined) throw new Error(`the checker printed no ${pattern}:\n${printed}`);
    return value;
  };
  if (/Search not completed|max search depth too small|out of memory/.test(printed) && !/errors: [1-9]/.test(printed))
    throw new Error(`the search was not exhaustive:\n${printed}`);
  return {
    error: found(/errors: (\d+)/) === '0' ? undefined : found(/pan:\d+: (.+) \(at depth/),
    states: Number(found(/([\d.e+]+) states, stored/)),
    depth: Number(found(/depth reached (\d+)/)),
    memoryMb: Math.round(Number(found(/([\d.]+)\s+total actual memory usage/))),
    seconds: Number(found(/elapsed time ([\d.e+-]+)/)),
    events: Object.fromEntries(
      Array.from(printed.matchAll(/^event (\d+) (.+)$/gm), ([, count, event]) => [event, Number(count)]),
    ),
  };
}
