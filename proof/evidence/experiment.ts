/** What an experiment is: it tries something many times on real instances, and counts what must not happen. */
import type { Lab } from './lab/lab.js';
import type { ExperimentName } from './titles.js';

/** A row of the table. */
export interface Row {
  /** What was counted, such as `winners other than one` */
  what: string;
  /** How often it could have happened */
  trials: number;
  /** Fewest trials that prove something: with fewer the experiment has failed */
  least: number;
  /** How often it did: 0 is what is hoped for */
  violations: number;
  /** More measurements, with the unit in the name: `p99_ms` */
  figures?: Record<string, number>;
  /** The first few violations, for a reader who looks into them; never a secret */
  examples?: string[];
}

/** `small` is for every change, some minutes in all; `full` is what the documents quote. */
export type Size = 'small' | 'full';

/** A 503 that comes later is a violation: milliseconds. In the small size other experiments run at the same time. */
export const LATE_MS: Record<Size, number> = { small: 20_000, full: 5_000 };

/** A change of a source file. */
export interface Edit {
  /** Path of the file from the root of the repository */
  file: string;
  /** Text that stands in the file exactly once, and what takes its place */
  from: string;
  to: string;
}

/**
 * A fault of the product that an experiment must find. `npm run evidence -- --mutants` plants it in a copy of the
 * sources, builds that and runs the experiment in its small size.
 */
export interface Mutant extends Edit {
  /** What it does, as in `a theft looks for survivors once` */
  name: string;
  /** For a fault that the product guards against in two places */
  and?: Edit;
  /** Matches the `what` of the rows that find it */
  foundBy: RegExp;
}

export interface Experiment {
  /** As `--only` takes it */
  name: ExperimentName;
  /** Programs that have to be installed (see `lab/programs.ts`), or `root`: without them it is left out, which is red */
  needs?: readonly string[];
  /** `npm test` tries the same in its small size: then it is left out of the small one here, unless it is named */
  isTested?: boolean;
  /** It measures times, or computes all the time: it runs alone, even in the small size */
  isAlone?: boolean;
  /** Each is found in the small size */
  mutants: readonly Mutant[];
  run(lab: Lab, size: Size): Promise<Row[]>;
}
