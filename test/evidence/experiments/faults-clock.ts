/** CONTRACT 10: what an instance answers, and leaves alone, while its clock is wrong. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Experiment } from '../experiment.js';
import { prepareGateways } from '../lab/gateways.js';
import { startPostgresServer } from '../lab/postgres-server.js';
import { createPeople, PROBED_ENV } from '../lab/probes.js';
import { CLOCK_FAULTS } from './faults/clock.js';
import { tryFaults } from './faults/try-faults.js';

const MOVED_CLOCK = new URL('../lab/moved-clock.js', import.meta.url).href;

export const faultsClock: Experiment = {
  name: 'faults-clock',
  run: async (lab, size) => {
    const db = await startPostgresServer(lab);
    const gateways = await prepareGateways(lab, db.urlAt(db.port), PROBED_ENV);
    await gateways.cli('migrate', 'up');
    const people = await createPeople(gateways, db);
    const clockFile = join(lab.folder, 'clock');
    await writeFile(clockFile, '0');
    await gateways.start(); // whose clock is right
    const instance = await gateways.start({ NODE_OPTIONS: `--import=${MOVED_CLOCK}`, MOVED_CLOCK_FILE: clockFile });
    return tryFaults(lab, size, { instance, db, clockFile }, people, 'the clock', CLOCK_FAULTS);
  },
};
