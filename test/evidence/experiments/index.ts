/** Every experiment, in the order of the report. */
import type { Experiment } from '../experiment.js';
import { refreshRaces } from './refresh-races.js';

export const EXPERIMENTS: readonly Experiment[] = [refreshRaces];
