/** Every experiment, in the order of the report. */
import type { Experiment } from '../experiment.js';
import { keyRotation } from './key-rotation.js';
import { kills, killsEmbedded } from './kills.js';
import { limiterInPostgres, limiterInRedis } from './limiter.js';
import { lockout } from './lockout.js';
import { refreshRaces } from './refresh-races.js';
import { replays } from './replays.js';
import { timing } from './timing.js';

export const EXPERIMENTS: readonly Experiment[] = [
  refreshRaces,
  lockout,
  limiterInPostgres,
  limiterInRedis,
  replays,
  kills,
  killsEmbedded,
  timing,
  keyRotation,
];
