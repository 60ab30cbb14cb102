/** Answers of a gateway while its database, or the network in front of it, is faulty. (Interface 5 and 10) */
import type { Experiment } from '../experiment.js';
import { prepareGateways } from '../lab/gateways.js';
import { startPostgresServer } from '../lab/postgres-server.js';
import { createPeople, PROBED_ENV } from '../lab/probes.js';
import { startTcpProxy } from '../lab/tcp-proxy.js';
import { POSTGRES_FAULTS } from './faults/postgres.js';
import { tryFaults } from './faults/try-faults.js';

export const faultsPostgres: Experiment = {
  name: 'faults-postgres',
  mutants: [
    {
      name: 'a connection stays in the pool after its query had no answer',
      file: 'src/db/run.ts',
      from: 'failed = true; // then the connection is dropped',
      to: 'failed = false; // then the connection is dropped',
      and: {
        file: 'src/db/connection.ts',
        from: "const isLate = error.message === 'Query read timeout';",
        to: 'const isLate = false;',
      },
      foundBy: /^late or wrong answers while every connection that is open to PostgreSQL is dead/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgresServer(lab);
    const proxy = await startTcpProxy(lab, db.port);
    const gateways = await prepareGateways(lab, db.urlAt(proxy.port), PROBED_ENV);
    const instance = await gateways.start(); // which migrates
    const people = await createPeople(gateways, db);
    return tryFaults(lab, size, { instance, db, proxy }, people, 'PostgreSQL', POSTGRES_FAULTS);
  },
};
