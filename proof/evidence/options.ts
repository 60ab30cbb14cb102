/** The options of `npm run evidence`, and which experiments they choose. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { BATCHES, type Batches, isBatches } from './batches.js';
import type { Experiment, Size } from './experiment.js';
import { EXPERIMENTS } from './experiments/index.js';

const OPTIONS = {
  full: { type: 'boolean', default: false },
  only: { type: 'string' },
  without: { type: 'string' },
  waiting: { type: 'boolean', default: false },
  alone: { type: 'boolean', default: false },
  mutants: { type: 'boolean', default: false },
  batches: { type: 'string' },
  install: { type: 'boolean', default: false },
  resume: { type: 'string' },
  out: { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

export interface Options {
  size: Size;
  /** In the order of the report */
  chosen: readonly Experiment[];
  /** Left out by `--without` */
  without: readonly Experiment[];
  /** Plants the mutants of what is chosen, too */
  mutants: boolean;
  /** The gateway's batches are forced to be so */
  batches: Batches | undefined;
  install: boolean;
  /** Report of an interrupted run, whose results are taken over */
  resume: string | undefined;
  /** Where the report is written */
  out: string | undefined;
}

/** @throws with a message for the user if they cannot be read */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({ args, options: OPTIONS });
  const { full, only, without, waiting, alone, mutants, batches, install, resume, out } = values;
  if (mutants && full) throw new Error('--mutants is of the small size: leave out --full');
  if (batches !== undefined && !isBatches(batches))
    throw new Error(`--batches is ${Object.keys(BATCHES).join(' or ')}`);
  const leftOut = named(without) ?? [];
  const wanted = named(only) ?? EXPERIMENTS.filter(({ isTested }) => full || mutants || !isTested);
  return {
    size: full ? 'full' : 'small',
    chosen: wanted.filter((experiment) => !leftOut.includes(experiment) && !(experiment.isAlone ? waiting : alone)),
    without: leftOut,
    ...{ mutants, batches, install, resume, out },
  };
}

/** @throws if there is none of such a name */
function named(names: string | undefined): readonly Experiment[] | undefined {
  if (names === undefined) return undefined;
  const unknown = names.split(',').filter((name) => !EXPERIMENTS.some((experiment) => experiment.name === name));
  if (unknown.length === 0) return EXPERIMENTS.filter(({ name }) => names.split(',').includes(name));
  throw new Error(
    `no such experiment: ${unknown.join(', ')}; there are ${EXPERIMENTS.map(({ name }) => name).join(', ')}`,
  );
}
