/** Every experiment, in the order of the report. */
import type { Experiment } from '../experiment.js';
import { accountRaces } from './account-races.js';
import { backup } from './backup.js';
import { browsers } from './browsers.js';
import { confirmationRaces } from './confirmation-races.js';
import { factorClocks } from './factor-clocks.js';
import { factorGuesses } from './factor-guesses.js';
import { factorRaces } from './factor-races.js';
import { failovers } from './failovers.js';
import { faultsDisk } from './faults-disk.js';
import { faultsHost } from './faults-host.js';
import { faultsPgBouncer } from './faults-pgbouncer.js';
import { faultsPostgres } from './faults-postgres.js';
import { faultsRedis } from './faults-redis.js';
import { fuzz } from './fuzz.js';
import { gate } from './gate.js';
import { keyRotation } from './key-rotation.js';
import { kills, killsEmbedded } from './kills.js';
import { killsQuiet } from './kills-quiet.js';
import { knownDevices } from './known-devices.js';
import { limiterInPostgres, limiterInRedis } from './limiter.js';
import { linkRaces } from './link-races.js';
import { liveAudit } from './live-audit.js';
import { lockout } from './lockout.js';
import { lostAnswers } from './lost-answers.js';
import { model } from './model.js';
import { move } from './move.js';
import { overload } from './overload.js';
import { passwordGuesses } from './password-guesses.js';
import { refreshRaces } from './refresh-races.js';
import { replays } from './replays.js';
import { rollingRestarts, rollingRestartsHaproxy } from './rolling-restarts.js';
import { silentReceivers } from './silent-receivers.js';
import { slowMailServers } from './slow-mail-servers.js';
import { slowReceivers } from './slow-receivers.js';
import { soak } from './soak.js';
import { timing } from './timing.js';
import { timingDevices } from './timing-devices.js';
import { timingEmail } from './timing-email.js';
import { timingForgot } from './timing-forgot.js';
import { trustedDocuments } from './trusted-documents.js';
import { webhookBacklog } from './webhook-backlog.js';
import { webhookKills } from './webhook-kills.js';

export const EXPERIMENTS: readonly Experiment[] = [
  refreshRaces,
  browsers,
  lockout,
  knownDevices,
  linkRaces,
  passwordGuesses,
  factorRaces,
  factorGuesses,
  factorClocks,
  confirmationRaces,
  accountRaces,
  gate,
  trustedDocuments,
  limiterInPostgres,
  limiterInRedis,
  replays,
  kills,
  killsEmbedded,
  lostAnswers,
  killsQuiet,
  webhookKills,
  webhookBacklog,
  liveAudit,
  slowReceivers,
  slowMailServers,
  silentReceivers,
  backup,
  move,
  faultsPostgres,
  faultsPgBouncer,
  faultsRedis,
  faultsHost,
  faultsDisk,
  failovers,
  rollingRestarts,
  rollingRestartsHaproxy,
  timing,
  timingDevices,
  timingForgot,
  timingEmail,
  keyRotation,
  overload,
  soak,
  fuzz,
  model,
];
