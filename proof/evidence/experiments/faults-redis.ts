/** Answers of a gateway while its Redis, or the network in front of it, is faulty. (Interface 5 and 10) */
import { startRedis } from '../../../test/support/programs/redis.js';
import type { Experiment } from '../experiment.js';
import { prepareGateways } from '../lab/gateways.js';
import { startPostgresServer } from '../lab/postgres-server.js';
import { createPeople, PROBED_ENV } from '../lab/probes.js';
import { startTcpProxy } from '../lab/tcp-proxy.js';
import { REDIS_FAULTS } from './faults/redis.js';
import { tryFaults } from './faults/try-faults.js';

export const faultsRedis: Experiment = {
  name: 'faults-redis',
  needs: ['redis-server'],
  mutants: [
    {
      name: 'a login passes if its limit cannot be asked',
      file: 'src/rate-limits/login-limiter.ts',
      from: 'const counted = await limiter.within(budget).count(group);',
      to: 'const counted = await limiter.within(budget).count(group).catch(() => ({ count: 1, msLeft: 0 }));',
      foundBy: /^late or wrong answers while Redis is stopped/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgresServer(lab);
    const redis = await startRedis();
    lab.defer(redis.stop);
    const proxy = await startTcpProxy(lab, Number(new URL(redis.url).port));
    const REDIS_URL = `redis://127.0.0.1:${proxy.port}`;
    const gateways = await prepareGateways(lab, db.urlAt(db.port), { ...PROBED_ENV, REDIS_URL });
    const instance = await gateways.start(); // which migrates
    const people = await createPeople(gateways, db);
    return tryFaults(lab, size, { instance, db, redis, proxy }, people, 'Redis', REDIS_FAULTS);
  },
};
