/** CONTRACT 14: a log that cannot be written stops nothing. */
import type { Experiment } from '../experiment.js';
import { prepareGateways } from '../lab/gateways.js';
import { startPostgresServer } from '../lab/postgres-server.js';
import { createPeople, PROBED_ENV } from '../lab/probes.js';
import { LOG_FAULTS } from './faults/log.js';
import { tryFaults } from './faults/try-faults.js';

export const faultsLog: Experiment = {
  name: 'faults-log',
  run: async (lab, size) => {
    const db = await startPostgresServer(lab);
    const gateways = await prepareGateways(lab, db.urlAt(db.port), PROBED_ENV);
    await gateways.cli('migrate', 'up');
    const people = await createPeople(gateways, db);
    const stand = { instance: await gateways.start(), db, gateways, folder: lab.folder };
    return tryFaults(lab, size, stand, people, 'the log', LOG_FAULTS);
  },
};
