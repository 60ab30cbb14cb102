/** What the gateway acknowledged holds when another PostgreSQL takes the primary's place (Patroni, synchronous). */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../test/support/until.js';
import type { Experiment, Row, Size } from '../experiment.js';
import { type Instance, prepareGateways } from '../lab/gateways.js';
import { createJournal, type Journal, rowsOf } from '../lab/journal.js';
import { type Patroni, startPatroni } from '../lab/patroni.js';
import { health } from '../lab/probes.js';
import { createUsers } from '../lab/users.js';
import { createJudge, type Judge } from './faults/judge.js';

const FAILOVERS = { small: 1, full: 10 };
const CLIENTS = 4;
const PAUSE_MS = 20;
/** Of so many steps of a client, one is a login and one is a logout. */
const STEPS = 20;

/** Longer than Patroni's leader key lives without a renewal: milliseconds */
const BEYOND_TTL_MS = 25_000;

interface Kind {
  name: string;
  isPartition?: true;
  run(patroni: Patroni): Promise<void>;
}

/** How a failover comes about: in turn. Each ends with all nodes in their places. */
const KINDS: readonly Kind[] = [
  // The dangerous one: gateways still reach the old primary, which must not acknowledge what the new one lacks.
  { name: 'partition', isPartition: true, run: (patroni) => partition(patroni) },
  { name: 'switchover', run: (patroni) => patroni.switchOver() },
  {
    name: 'power loss',
    run: async (patroni) => {
      const old = await patroni.primary();
      await old.kill();
      await untilAnotherThan(old, patroni);
      old.start();
    },
  },
  { name: 'partition from outside too', isPartition: true, run: (patroni) => partition(patroni, 'from outside') },
  {
    // Its Patroni may read an old leader key there. It may find another member in time: then the primary stays.
    name: 'partition of etcd alone',
    isPartition: true,
    run: async (patroni) => {
      patroni.partitionEtcd(await patroni.primary());
      await sleep(BEYOND_TTL_MS);
      patroni.heal();
    },
  },
  {
    name: 'hang',
    run: async (patroni) => {
      const old = await patroni.primary();
      old.freeze();
      await untilAnotherThan(old, patroni);
      await old.kill(); // and not left to wake up: Patroni asks for a watchdog against that
      old.start();
    },
  },
];

async function partition(patroni: Patroni, also?: 'from outside'): Promise<void> {
  const old = await patroni.primary();
  patroni.partition(old, also);
  await untilAnotherThan(old, patroni);
  patroni.heal();
}

/** A gateway that finds the primary in one way, and what its clients know. */
interface Way {
  name: string;
  instance: Instance;
  journal: Journal;
  judge: Judge;
  /** Longest time between two acknowledged answers, of each failover: milliseconds */
  gapsMs: number[];
}

/** A partition need not end in a failover, if the primary keeps its place. */
type Counts = Record<'rounds' | 'failovers' | 'partitions', number>;

export const failovers: Experiment = {
  name: 'failovers',
  needs: ['root', 'patroni', 'etcd', 'haproxy', 'ip', 'pg_controldata'],
  mutants: [
    {
      name: 'a commit that waits for a replica is an error of the gateway',
      file: 'src/db/outage.ts',
      from: 'if (error instanceof Outage ||',
      to: "if ((error instanceof Outage && error.name !== 'TimeSpent') ||",
      foundBy: /^late or wrong answers/,
    },
  ],
  run: async (lab, size) => {
    const patroni = await startPatroni(lab);
    const urlOf = (hosts: string): string => `postgresql://gateway@${hosts}/gateway`;
    const throughProxy = urlOf(`127.0.0.1:${patroni.proxyPort}`);
    const gateways = await prepareGateways(lab, throughProxy);
    const behindProxy = await gateways.start(); // which migrates
    const { query } = patroni;
    const emails = await createUsers(gateways, { query }, CLIENTS);
    const hosts = patroni.nodes.map(({ host }) => host).join();
    const throughHosts = `${urlOf(hosts)}?target_session_attrs=read-write`;
    const ways = [
      startWay(size, 'through HAProxy', behindProxy),
      startWay(size, 'by three hosts in DATABASE_URL', await gateways.start({ DATABASE_URL: throughHosts })),
    ];

    const counts: Counts = { rounds: FAILOVERS[size], failovers: 0, partitions: 0 };
    for (let round = 0; round < FAILOVERS[size]; round += 1) {
      for (const { gapsMs } of ways) gapsMs.push(0);
      const working = new AbortController();
      const work = Promise.all(ways.flatMap((way) => emails.map((email) => workOn(way, email, working.signal))));
      const old = await patroni.primary();
      const kind = KINDS[round % KINDS.length] as Kind;
      await kind.run(patroni);
      await patroni.settled();
      if (kind.isPartition) counts.partitions += 1;
      if ((await patroni.primary()).name !== old.name) counts.failovers += 1;
      for (const way of ways) await untilWell(way, emails[0] ?? '');
      working.abort();
      await work;
      for (const { journal, instance } of ways) await journal.check(instance.url);
      lab.say(
        `${round + 1}, ${kind.name}: ${ways.map(({ name, gapsMs }) => `${name} ${gapsMs.at(-1)} ms`).join(', ')}`,
      );
    }
    return ways.flatMap((way) => rowsOfWay(way, counts));
  },
};

function startWay(size: Size, name: string, instance: Instance): Way {
  // A connection that ends may take the answer to a commit with it.
  return { name, instance, journal: createJournal(true), judge: createJudge(size), gapsMs: [] };
}

async function untilAnotherThan(old: { name: string }, { nodes }: Patroni): Promise<void> {
  const others = nodes.filter(({ name }) => name !== old.name);
  await until('another node is the primary', async () =>
    (await Promise.all(others.map((node) => node.isPrimary()))).includes(true),
  );
}

/** One client: logs in, refreshes, logs out, and notes the longest time without an acknowledgement. */
async function workOn(way: Way, email: string, signal: AbortSignal): Promise<void> {
  const {
    instance: { url },
    journal,
    judge,
  } = way;
  let acknowledgedMs = performance.now();
  for (let step = 0; !signal.aborted; step += 1) {
    const probe = step % STEPS === 0 ? 'login' : step % STEPS === STEPS - 1 ? 'logout' : 'refresh';
    const ask = {
      login: () => journal.login(url, email),
      logout: () => journal.logout(url),
      refresh: () => journal.refresh(url),
    };
    const answer = await ask[probe]().catch(() => 'no answer' as const);
    if (answer !== undefined) judge.take(probe, answer, 'either');
    if (typeof answer === 'object' && answer.status === 200) {
      const gapMs = Math.round(performance.now() - acknowledgedMs);
      way.gapsMs.push(Math.max(gapMs, way.gapsMs.pop() ?? 0));
      acknowledgedMs = performance.now();
    }
    await sleep(PAUSE_MS);
  }
}

/** Starts it again if it does not find the new primary within a minute. */
async function untilWell({ instance, judge, journal }: Way, email: string): Promise<void> {
  try {
    await until('the gateway is well again', async () => {
      const ready = await health(instance.url, 'ready').catch(() => undefined);
      return ready?.status === 200 && (await journal.login(instance.url, email)).status === 200;
    });
  } catch {
    judge.fault('not well again within a minute');
    await instance.kill();
    await instance.start();
  }
}

function rowsOfWay({ name, journal, judge, gapsMs }: Way, counts: Counts): Row[] {
  const over = `over failovers ${name}`;
  const { answers, answered503, slowest503Ms, late, wrong, examples } = judge.sum();
  const figures = {
    ...counts,
    answered_503: answered503,
    late_503: late,
    wrong,
    slowest_503_ms: Math.round(slowest503Ms),
    longest_without_s: Math.max(...gapsMs) / 1000,
  };
  return [
    {
      what: `late or wrong answers ${over}`,
      trials: answers,
      least: counts.rounds * STEPS,
      violations: late + wrong,
      figures,
      examples,
    },
    ...rowsOf(journal.promises, over, counts.rounds),
  ];
}
