/** What was acknowledged stays, and nobody honest is called a thief, over kill -9 of each process that takes part. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../test/support/until.js';
import type { Experiment, Row } from '../experiment.js';
import { type Clients, startClients } from '../lab/clients.js';
import { type Instance, prepareGateways, ready } from '../lab/gateways.js';
import { rowsOf } from '../lab/journal.js';
import type { Lab } from '../lab/lab.js';
import { joinEmbedded, type Postgres, startPostgres } from '../lab/postgres.js';
import { percentile } from '../lab/stats.js';
import { createUsers } from '../lab/users.js';

const CLIENTS = 8;
/** Acknowledged requests before a kill, and after it before what was acknowledged is looked at */
const [BEFORE, AFTER] = [40, 10];
/** How long after those the kill comes, at most: milliseconds */
const LATER_MS = 100;

/** A kill, and the way back to where everything is ready. */
type Kill = () => Promise<void>;

/** Gateways that share a PostgreSQL: one of them dies, or that does. */
export const kills: Experiment = {
  name: 'kills',
  mutants: [],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url);
    const instances = await Promise.all([gateways.start(), gateways.start()]);
    const emails = await createUsers(gateways, db, CLIENTS);
    const [rounds, serverRounds] = { small: [2, 2], full: [80, 40] }[size] as [number, number];
    const gateway: Kill = async () => {
      const victim = instances[randomInt(instances.length)];
      await victim?.kill();
      await victim?.start();
    };
    return [
      ...(await inRounds(lab, 'a gateway', instances, emails, rounds, [gateway])),
      ...(await inRounds(lab, 'PostgreSQL', instances, emails, serverRounds, [
        () => killPostmaster(db, instances),
        () => killBackend(db, instances),
      ])),
    ];
  },
};

/** One gateway with the database in its DATA_DIR: it starts the server again, and finds that of a killed gateway. */
export const killsEmbedded: Experiment = {
  name: 'kills-embedded',
  mutants: [],
  run: async (lab, size) => {
    const dataDir = join(lab.folder, 'data');
    const gateways = await prepareGateways(lab, 'embedded', { DATA_DIR: dataDir });
    const joined = joinEmbedded(lab, dataDir);
    const instance = await gateways.start();
    const db = await joined();
    const emails = await createUsers(gateways, db, CLIENTS);
    return inRounds(lab, 'the embedded server or its gateway', [instance], emails, { small: 3, full: 80 }[size], [
      () => killPostmaster(db, [instance]),
      () => killBackend(db, [instance]),
      async () => {
        await instance.kill();
        await instance.start();
      },
    ]);
  },
};

async function inRounds(
  lab: Lab,
  whom: string,
  instances: Instance[],
  emails: string[],
  rounds: number,
  how: Kill[],
): Promise<Row[]> {
  const clients = startClients(
    instances.map(({ url }) => url),
    emails,
  );
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    lab.say(`kill -9 of ${whom}, ${round + 1} of ${rounds}`);
    await clients.work(BEFORE);
    await sleep(Math.random() * LATER_MS);
    const killedMs = performance.now();
    await how[round % how.length]?.();
    await clients.work(AFTER);
    seconds.push((performance.now() - killedMs) / 1000);
    await clients.check();
  }
  await clients.stop();
  return rowsOfKills(whom, clients, rounds, seconds);
}

function rowsOfKills(whom: string, clients: Clients, rounds: number, seconds: number[]): Row[] {
  const { journal, unexpected } = clients;
  const over = `over kill -9 of ${whom}`;
  return [
    {
      what: `answers other than 200, 401 and 503 ${over}`,
      trials: clients.acknowledged() + clients.lostAnswers(),
      least: rounds * (BEFORE + AFTER),
      violations: unexpected.length,
      figures: {
        rounds,
        answers_lost: clients.lostAnswers(),
        seconds_until_well_p50: percentile(seconds, 0.5),
        seconds_until_well_max: Math.max(...seconds),
      },
      examples: unexpected,
    },
    ...rowsOf(journal.promises, over, rounds),
  ];
}

async function killPostmaster(db: Postgres, instances: Instance[]): Promise<void> {
  const before = postmasterOf(db);
  process.kill(before, 'SIGKILL');
  await until('another server runs', () => postmasterOf(db) !== before);
  await wellAgain(db, instances);
}

/** A backend that dies takes all others with it: the postmaster ends them and recovers. */
async function killBackend(db: Postgres, instances: Instance[]): Promise<void> {
  const found = await db.query<{ pid: number }>(
    "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  const victim = found[randomInt(found.length)]?.pid;
  if (victim === undefined) throw new Error('PostgreSQL has no backends');
  const startsOf = 'select count(*)::integer as n from pg_stat_activity where pid = $1';
  process.kill(victim, 'SIGKILL');
  await until('the backend is gone', () =>
    db.query<{ n: number }>(startsOf, [victim]).then(
      ([row]) => row?.n === 0,
      () => false,
    ),
  );
  await wellAgain(db, instances);
}

/** 0 if there is none */
function postmasterOf({ clusterDir }: Postgres): number {
  try {
    return Number(readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return 0;
  }
}

async function wellAgain(db: Postgres, instances: Instance[]): Promise<void> {
  await until('PostgreSQL answers', () =>
    db.query('select 1').then(
      () => true,
      () => false,
    ),
  );
  await Promise.all(instances.map(ready));
}
