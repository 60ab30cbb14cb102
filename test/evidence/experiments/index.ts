/** Every experiment, in the order of the report. */
import type { Experiment } from '../experiment.js';
import { faultsPostgres } from './faults-postgres.js';
import { fuzz } from './fuzz.js';
import { keyRotation } from './key-rotation.js';
import { kills, killsEmbedded } from './kills.js';
import { limiterInPostgres, limiterInRedis } from './limiter.js';
import { lockout } from './lockout.js';
import { overload } from './overload.js';
import { refreshRaces } from './refresh-races.js';
import { replays } from './replays.js';
import { soak } from './soak.js';
import { timing } from './timing.js';

export const EXPERIMENTS: readonly Experiment[] = [
  refreshRaces,
  lockout,
  limiterInPostgres,
  limiterInRedis,
  replays,
  kills,
  killsEmbedded,
  faultsPostgres,
  timing,
  keyRotation,
  overload,
  soak,
  fuzz,
];
