/** What was acknowledged stays, and nobody honest is called a thief, over kill -9 of each process that takes part. */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment, Mutant, Row } from '../experiment.js';
import { watchAudit } from '../lab/audited.js';
import { type Clients, startClients } from '../lab/clients.js';
import { type Instance, prepareGateways, QUICK_TIMERS } from '../lab/gateways.js';
import { rowsOf } from '../lab/journal.js';
import type { Lab } from '../lab/lab.js';
import { joinEmbedded, type Postgres, startPostgres } from '../lab/postgres.js';
import { killBackend, killPostmaster } from '../lab/postgres-kills.js';
import { percentile } from '../lab/stats.js';
import { beginOldSessions } from '../lab/swept.js';
import { createUsers } from '../lab/users.js';

const CLIENTS = 8;
/** Acknowledged requests before a kill, and after it before what was acknowledged is looked at */
const [BEFORE, AFTER] = [40, 10];
/** Begun before all kills, and asked for after them */
const OLD_SESSIONS = 10;
/** How long after those the kill comes, at most: milliseconds */
const LATER_MS = 100;

/** A kill, and the way back to where everything is ready. */
type Kill = () => Promise<void>;

const LATE_OUTAGES: Mutant = {
  name: 'one rotation in 16 is answered 503 after its commit',
  file: 'src/auth/refresh.ts',
  from: 'if (rotated !== undefined) {',
  to: "if (rotated !== undefined) {\n    if (successor.jti.endsWith('f')) throw new ClockSkewed('planted');",
  foundBy: /^false thefts/,
};

/** Gateways that share a PostgreSQL: one of them dies, or that does. */
export const kills: Experiment = {
  name: 'kills',
  mutants: [
    LATE_OUTAGES,
    {
      ...LATE_OUTAGES,
      name: 'one refresh in 16 is answered 503',
      from: 'const now = clock.now();',
      to: "const now = clock.now();\n  if (now.getTime() % 16 === 0) throw new ClockSkewed('planted');",
      foundBy: /in calm/,
    },
    {
      name: 'the event of a login is written by a statement of its own',
      file: 'src/auth/sessions.ts',
      from: '    events: eventRows([event], now),\n  };',
      to: `    events: eventRows([], now),
  };
  await (await import('../audit/write.js')).writeAudit(db, [{ ...event, metadata: { role: 'viewer' } }], now);`,
      foundBy: /^snapshots/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url, QUICK_TIMERS);
    const instances = await Promise.all([gateways.start(), gateways.start()]);
    const emails = await createUsers(gateways, db, CLIENTS);
    const old = await beginOldSessions(gateways, db, instances[0].url, emails[0] ?? '', OLD_SESSIONS);
    const [rounds, serverRounds] = { small: [2, 2], full: [40, 20] }[size] as [number, number];
    const gateway: Kill = async () => {
      const victim = instances[randomInt(instances.length)];
      await victim?.kill();
      await victim?.start();
    };
    return [
      ...(await inRounds(lab, 'a gateway', db, instances, emails, rounds, [gateway])),
      ...(await inRounds(lab, 'PostgreSQL', db, instances, emails, serverRounds, [
        () => killPostmaster(db, instances),
        () => killBackend(db, instances),
      ])),
      await old.row('over kills and sweeps'),
    ];
  },
};

/** One gateway with the database in its DATA_DIR: it starts the server again, and finds that of a killed gateway. */
export const killsEmbedded: Experiment = {
  name: 'kills-embedded',
  mutants: [
    LATE_OUTAGES,
    {
      name: 'the embedded server does not flush what it commits',
      file: 'src/db/embedded/server.ts',
      from: "log_checkpoints: 'off',",
      to: "log_checkpoints: 'off',\n    synchronous_commit: 'off',",
      foundBy: /^acknowledged (logins|rotations|logouts)/,
    },
  ],
  run: async (lab, size) => {
    const dataDir = join(lab.folder, 'data');
    const gateways = await prepareGateways(lab, 'embedded', { DATA_DIR: dataDir });
    const joined = joinEmbedded(lab, dataDir);
    const instance = await gateways.start();
    const db = await joined();
    const emails = await createUsers(gateways, db, CLIENTS);
    return inRounds(lab, 'the embedded server or its gateway', db, [instance], emails, { small: 3, full: 40 }[size], [
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
  db: Postgres,
  instances: Instance[],
  emails: string[],
  rounds: number,
  how: Kill[],
): Promise<Row[]> {
  const clients = startClients(
    instances.map(({ url }) => url),
    emails,
  );
  const audit = watchAudit(db);
  const seconds: number[] = [];
  clients.beCalm(true);
  for (let round = 0; round < rounds; round += 1) {
    lab.say(`kill -9 of ${whom}, ${round + 1} of ${rounds}`);
    await clients.work(BEFORE);
    await sleep(Math.random() * LATER_MS);
    clients.beCalm(false);
    const killedMs = performance.now();
    await how[round % how.length]?.();
    await clients.work(AFTER);
    seconds.push((performance.now() - killedMs) / 1000);
    clients.beCalm(true);
    await clients.check();
    await audit.compare(clients.journal.takeAcknowledged());
  }
  clients.beCalm(false);
  await clients.stop();
  await audit.stop();
  const over = `over kill -9 of ${whom}`;
  return [...rowsOfKills(over, clients, rounds, seconds), ...audit.rows(over, rounds)];
}

function rowsOfKills(over: string, clients: Clients, rounds: number, seconds: number[]): Row[] {
  const { journal, unexpected } = clients;
  return [
    {
      what: `answers other than 200, 401 and 503 ${over}`,
      trials: clients.acknowledged() + clients.lostAnswers(),
      least: rounds * (BEFORE + AFTER),
      violations: unexpected.length,
      figures: {
        rounds,
        acknowledged: clients.acknowledged(),
        answers_lost: clients.lostAnswers(),
        seconds_until_well_p50: percentile(seconds, 0.5),
        seconds_until_well_max: Math.max(...seconds),
      },
      examples: unexpected,
    },
    {
      what: `refreshes and logouts answered 503 or not at all in calm, ${over}`,
      least: (rounds * BEFORE) / 2,
      ...journal.promises.calm,
    },
    ...rowsOf(journal.promises, over, rounds),
  ];
}
