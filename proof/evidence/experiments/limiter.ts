/** How many more, or fewer, requests pass than a limit allows, over three instances. (Spec 8 and Interface 6) */

import { startRedis } from '../../../test/support/programs/redis.js';
import type { Experiment, Row } from '../experiment.js';
import { from, TRUSTED } from '../lab/addresses.js';
import { type Answer, ask } from '../lab/browser.js';
import { createApiKey, sendSigned, signAs } from '../lab/callers.js';
import { type Gateways, prepareGateways } from '../lab/gateways.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { startPostgres } from '../lab/postgres.js';

const LOGIN_LIMIT = 5;
const LIMITED = { ...TRUSTED, LOGIN_RATE_LIMIT: String(LOGIN_LIMIT) };
const ADDRESSES = { small: 40, full: 2_000 };
const KEY_LIMIT = 30;
const KEYS = { small: 2, full: 20 };
/** How many times the limit is asked for, at once */
const TIMES = 4;

export const limiterInPostgres: Experiment = {
  name: 'limiter-postgresql',
  isAlone: true,
  mutants: [
    {
      name: 'each instance counts by itself',
      file: 'src/rate-limits/rate-limiter.ts',
      from: `storeType: 'client',`,
      to: `storeType: 'client',
          keyPrefix: \`\${name}-\${process.pid}\`,`,
      foundBy: /^logins beyond or short of the limit/,
    },
    {
      name: 'the logins of a batch are counted as one',
      file: 'src/rate-limits/rate-limiter.ts',
      from: 'select key, total, max(ends)',
      to: 'select key, 1, max(ends)',
      foundBy: /^logins beyond or short of the limit/,
    },
    {
      name: 'each login of a batch is the last of its address',
      file: 'src/rate-limits/rate-limiter.ts',
      from: '(counted.points - total + so_far)',
      to: '(counted.points)',
      foundBy: /^logins beyond or short of the limit/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    return measure('PostgreSQL', await prepareGateways(lab, db.url, LIMITED), ADDRESSES[size], KEYS[size]);
  },
};

export const limiterInRedis: Experiment = {
  name: 'limiter-redis',
  isAlone: true,
  needs: ['redis-server'],
  mutants: [
    {
      name: 'each instance counts by itself',
      file: 'src/rate-limits/rate-limiter.ts',
      from: 'storeClient: redis, rejectIfRedisNotReady: true',
      to: `storeClient: redis, rejectIfRedisNotReady: true, keyPrefix: \`\${name}-\${process.pid}\``,
      foundBy: /beyond or short of/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const redis = await startRedis();
    lab.defer(redis.stop);
    const gateways = await prepareGateways(lab, db.url, { ...LIMITED, REDIS_URL: redis.url });
    return measure('Redis', gateways, ADDRESSES[size], KEYS[size]);
  },
};

async function measure(store: string, gateways: Gateways, addresses: number, keys: number): Promise<Row[]> {
  const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start()]);
  const urlOf = (index: number): string => instances[index % 3]?.url ?? '';

  // A body that is refused counts like any other, and costs no password check.
  const logins: Row = {
    what: `logins beyond or short of the limit, in ${store}`,
    trials: 0,
    least: addresses * TIMES * LOGIN_LIMIT,
    violations: 0,
    examples: [],
  };
  await inLanes(upTo(addresses), 4, async (address) => {
    const headers = { 'content-type': 'application/json', ...from(address) };
    const send = (i: number) => ask(urlOf(i), '/auth/login', { headers, body: '{}' });
    judge(logins, await Promise.all(upTo(TIMES * LOGIN_LIMIT).map(send)), LOGIN_LIMIT);
  });

  const calls: Row = {
    what: `calls of a key beyond or short of its limit, in ${store}`,
    trials: 0,
    least: keys * TIMES * KEY_LIMIT,
    violations: 0,
    examples: [],
  };
  for (let key = 0; key < keys; key += 1) {
    const apiKey = await createApiKey(gateways, KEY_LIMIT);
    const send = (i: number) => sendSigned(urlOf(i), signAs(apiKey));
    judge(calls, await Promise.all(upTo(TIMES * KEY_LIMIT).map(send)), KEY_LIMIT);
  }
  return [logins, calls];
}

/** Of many at once the limit passes, and the others are answered 429. */
function judge(row: Row, answers: Answer[], limit: number): void {
  const passed = answers.filter(({ status }) => status === 200 || status === 422).length;
  const refused = answers.filter(({ status }) => status === 429).length;
  row.trials += answers.length;
  const off = Math.abs(passed - limit) + Math.abs(refused - (answers.length - limit));
  row.violations += off;
  if (off > 0) row.examples?.push(answers.map(({ status }) => status).join());
}
