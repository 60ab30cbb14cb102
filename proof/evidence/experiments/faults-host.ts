/** Answers of an instance, and what it leaves alone, while its own clock or its log is faulty. (Interface 10 and 14) */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Experiment } from '../experiment.js';
import { prepareGateways } from '../lab/gateways.js';
import { startPostgresServer } from '../lab/postgres-server.js';
import { createPeople, PROBED_ENV } from '../lab/probes.js';
import { CLOCK_FAULTS, type ClockStand } from './faults/clock.js';
import { LOG_FAULTS, type LogStand } from './faults/log.js';
import { tryFaults } from './faults/try-faults.js';

const MOVED_CLOCK = new URL('../lab/moved-clock.js', import.meta.url).href;

export const faultsHost: Experiment = {
  name: 'faults-host',
  mutants: [
    {
      name: 'a clock that is two minutes off issues tokens',
      file: 'src/platform/watched-clock.ts',
      from: '<= maxSkewSeconds * 1000);',
      to: '<= maxSkewSeconds * 1000 + 120_000);',
      foundBy: /^late or wrong answers while its clock is 120 s ahead/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgresServer(lab);
    const gateways = await prepareGateways(lab, db.urlAt(db.port), PROBED_ENV);
    await gateways.start(); // whose clock is right, and which migrates
    const people = await createPeople(gateways, db);
    const clockFile = join(lab.folder, 'clock');
    await writeFile(clockFile, '0');
    const instance = await gateways.start({ NODE_OPTIONS: `--import=${MOVED_CLOCK}`, MOVED_CLOCK_FILE: clockFile });
    const stand = { instance, db, clockFile, gateways, folder: lab.folder };
    return tryFaults<ClockStand & LogStand>(lab, size, stand, people, 'the host', [...CLOCK_FAULTS, ...LOG_FAULTS]);
  },
};
