/** Answers of a gateway while the pooler in front of its database is faulty. (Interface 2, DATABASE_POOLER) */
import type { Experiment } from '../experiment.js';
import { prepareGateways } from '../lab/gateways.js';
import { startPgBouncer } from '../lab/pgbouncer.js';
import { startPostgresServer } from '../lab/postgres-server.js';
import { createPeople, PROBED_ENV } from '../lab/probes.js';
import { startTcpProxy } from '../lab/tcp-proxy.js';
import { PGBOUNCER_FAULTS } from './faults/pgbouncer.js';
import { tryFaults } from './faults/try-faults.js';

export const faultsPgBouncer: Experiment = {
  name: 'faults-pgbouncer',
  needs: ['pgbouncer'],
  mutants: [
    {
      name: 'a pooler that does not listen is an error of the gateway',
      file: 'src/db/outage.ts',
      from: '/^(ECONNREFUSED|ECONNRESET',
      to: '/^(ECONNRESET',
      and: { file: 'src/db/connection-faults.ts', from: '[/^(ECONNREFUSED|ENOENT)$/', to: '[/^(ENOENT)$/' },
      foundBy: /^late or wrong answers while PgBouncer/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgresServer(lab);
    const proxy = await startTcpProxy(lab, db.port);
    const pgbouncer = await startPgBouncer(lab, proxy.port);
    const gateways = await prepareGateways(lab, pgbouncer.url, { ...PROBED_ENV, DATABASE_POOLER: 'transaction' });
    const instance = await gateways.start(); // which migrates
    const people = await createPeople(gateways, db);
    return tryFaults(lab, size, { instance, db, pgbouncer, proxy }, people, 'PgBouncer', PGBOUNCER_FAULTS);
  },
};
