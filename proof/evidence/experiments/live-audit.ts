/**
 * Streams of the audit log give each event once and in the order of `audit export`, over kill -9 of gateways and PostgreSQL,
 * cuts, late commits and a backlog, and end with the right of their caller. (Interface 24)
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment, Row, Size } from '../experiment.js';
import { startClients } from '../lab/clients.js';
import { type Follower, follow } from '../lab/followers.js';
import { type Gateways, type Instance, prepareGateways } from '../lab/gateways.js';
import { writeEvents } from '../lab/log-events.js';
import { type Postgres, startPostgres } from '../lab/postgres.js';
import { killBackend, killPostmaster } from '../lab/postgres-kills.js';
import { accessTokenOf, logInAt, sendCookie } from '../lab/probes.js';
import { createUsers } from '../lab/users.js';

const CLIENTS = 8;
/** Streams that are followed over the kills: all events, and of two types */
const FILTERS = [{}, {}, { eventTypes: ['login_success'] }, { eventTypes: ['logout', 'login_success'] }];
const KILLS = { small: 6, full: 12 };
/** Acknowledged requests before a kill, of which about a fifth write an event */
const BEFORE = 60;
const BACKLOG = { small: 30_000, full: 1_000_000 };
/** How long a transaction is open that has written an event: longer than the horizon is behind. Seconds. */
const LATE_COMMIT_SECONDS = 12;
/** What is missing counts as lost once nothing has been given for so long: milliseconds. */
const PATIENCE_MS = 60_000;
const ENDED = { small: 20, full: 100 };
/** A stream that is open so long after the end of its right is a violation: milliseconds. */
const OUTLIVES_MS = { small: 20_000, full: 15_000 } as const satisfies Record<Size, number>;

export const liveAudit: Experiment = {
  name: 'live-audit',
  mutants: [
    {
      name: 'a page begins with the last event of the one before',
      file: 'src/audit/order.ts',
      from: 'where (audit_events.written_at, id) > (:at::timestamptz, :id) and',
      to: 'where (audit_events.written_at, id) >= (:at::timestamptz, :id) and',
      foundBy: /^events that a stream was given twice/,
    },
    {
      name: 'the horizon does not look at open transactions',
      file: 'src/audit/order.ts',
      from: 'then least(statement_timestamp(), min(xact_start)) end as complete',
      to: 'then statement_timestamp() end as complete',
      foundBy: /^events that a stream missed, over/,
    },
    {
      name: 'a stream that resumes joins the others without reading what it has missed',
      file: 'src/audit/live.ts',
      from: 'if (at.at >= until) return at;',
      to: "if (at.at !== '') return at;",
      foundBy: /^events that a stream missed, over/,
    },
    {
      name: 'what does not fit into the queue of a stream is dropped',
      file: 'src/audit/live.ts',
      from: 'if (follower.isTooFarBehind) continue;',
      to: 'if (follower.isTooFarBehind) {\n        follower.isTooFarBehind = false;\n        continue;\n      }',
      foundBy: /^events that a stream missed, as a backlog comes/,
    },
    {
      name: 'a stream goes on when the right of its caller has ended',
      file: 'src/graphql/streams.ts',
      from: 'return may === false;',
      to: 'return false;',
      foundBy: /^streams that outlived/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url);
    const instances = await Promise.all([gateways.start(), gateways.start()]);
    const urls = instances.map(({ url }) => url);
    const emails = await createUsers(gateways, db, Math.max(CLIENTS, ENDED[size]));
    const as = { 'x-internal-key': await readerKey(gateways) };

    const over = await overKills(db, instances, emails.slice(0, CLIENTS), KILLS[size], (filter) =>
      follow(lab, urls, as, { filter }),
    );
    lab.say(`${BACKLOG[size]} events`);
    const backlog = await ofBacklog(db, BACKLOG[size], () => follow(lab, urls, as));
    lab.say('ends the rights of streams');
    await db.query("update users set role = 'analyst'");
    const outlived = await ofEndedRights(urls, emails.slice(0, ENDED[size]), OUTLIVES_MS[size]);
    return [...over, ...backlog, outlived];
  },
};

async function readerKey({ cli }: Gateways): Promise<string> {
  const words = ['cron-key', 'create', '--service', 'follower', '--scope', 'audit:read'];
  return (await cli<{ header_value: string }>(...words)).header_value;
}

async function overKills(
  db: Postgres,
  instances: Instance[],
  emails: string[],
  count: number,
  open: (filter: object) => Promise<Follower>,
): Promise<Row[]> {
  const clients = startClients(
    instances.map(({ url }) => url),
    emails,
  );
  await clients.work(BEFORE);
  const followers = await Promise.all(FILTERS.map(open));
  const since = await momentOf(db);
  let late = 0;
  const kills: Array<() => Promise<unknown>> = [
    async () => {
      const instance = instances[randomInt(instances.length)];
      await instance?.kill();
      await instance?.start();
    },
    async () => {
      for (const follower of followers) follower.cut();
    },
    () => killPostmaster(db, instances),
    () => killBackend(db, instances),
  ];
  for (let round = 0; round < count; round += 1) {
    await clients.work(BEFORE);
    const commits = lateCommit(db, LATE_COMMIT_SECONDS).then(
      () => {
        late += 1;
      },
      () => undefined, // the kill has rolled it back
    );
    await sleep(Math.random() * 100);
    await kills[round % kills.length]?.();
    if (round % kills.length < 2) await commits;
  }
  await clients.work(BEFORE);
  await clients.stop();
  const logged = await loggedSince(db, since);
  const wanted = FILTERS.map(({ eventTypes }: { eventTypes?: string[] }) =>
    logged.filter(({ event_type }) => eventTypes?.includes(event_type) ?? true).map(({ id }) => id),
  );
  const expected = followers.map((follower, i) => ({ follower, ids: wanted[i] ?? [] }));
  await settled(followers, () => expected.every(({ follower, ids }) => hasAll(follower, ids)));
  for (const follower of followers) await follower.stop();
  const opened = followers.reduce((sum, follower) => sum + follower.opened(), 0);
  return rowsOf(expected, 'over kill -9 of gateways and PostgreSQL, cuts and late commits', {
    kills: count,
    streams: opened,
    late_commits: late,
  });
}

async function ofBacklog(db: Postgres, count: number, open: () => Promise<Follower>): Promise<Row[]> {
  const live = await open();
  const before = await momentOf(db);
  const startedMs = performance.now();
  await writeEvents(db, count);
  const ids = (await loggedSince(db, before)).map(({ id }) => id);
  await settled([live], () => hasAll(live, ids));
  const seconds = (performance.now() - startedMs) / 1000;
  await live.stop();
  return rowsOf([{ follower: live, ids }], 'as a backlog comes', { seconds, events_per_second: ids.length / seconds });
}

const ADDED = JSON.stringify({ query: 'subscription { auditEventAdded { cursor } }' });

/** Each user opens a stream, and logs out at the other instance. */
async function ofEndedRights(urls: string[], emails: string[], outlivesMs: number): Promise<Row> {
  const tooLong: string[] = [];
  const lived: number[] = [];
  const live: Array<{ cookie: string; text: Promise<string> }> = [];
  for (const [i, email] of emails.entries()) {
    const url = urls[i % urls.length] ?? '';
    const login = await logInAt(url, email);
    if (login.status !== 200) throw new Error(`a login was answered ${login.status}`);
    const headers = {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${accessTokenOf(login)}`,
    };
    const stream = await fetch(`${url}/graphql`, { method: 'POST', headers, body: ADDED });
    if (stream.status !== 200) throw new Error(`a stream was answered ${stream.status}: ${await stream.text()}`);
    live.push({ cookie: login.cookie ?? '', text: stream.text() });
  }
  await Promise.all(
    live.map(async ({ cookie, text }, i) => {
      await sendCookie(urls[(i + 1) % urls.length] ?? '', '/auth/logout', cookie);
      const endedMs = performance.now();
      const given = await Promise.race([text, sleep(outlivesMs, undefined, { ref: false })]);
      if (given?.includes('event: complete')) lived.push(performance.now() - endedMs);
      else tooLong.push(`stream ${i}`);
    }),
  );
  return {
    what: `streams that outlived a logout at the other instance by ${outlivesMs / 1000} s, or ended without \`complete\``,
    trials: emails.length,
    least: emails.length,
    violations: tooLong.length,
    figures: { longest_seconds: Math.max(0, ...lived) / 1000 },
    examples: tooLong,
  };
}

function rowsOf(
  expected: Array<{ follower: Follower; ids: string[] }>,
  when: string,
  figures: Record<string, number>,
): Row[] {
  const missed: string[] = [];
  const twice: string[] = [];
  const misplaced: string[] = [];
  for (const { follower, ids } of expected) {
    const given = new Set<string>();
    for (const id of follower.given) {
      if (given.has(id)) twice.push(id);
      given.add(id);
    }
    missed.push(...ids.filter((id) => !given.has(id)));
    const places = new Map(ids.map((id, place) => [id, place]));
    let last = -1;
    for (const id of given) {
      const place = places.get(id) ?? last; // or it was written before it was counted
      if (place < last) misplaced.push(id);
      last = place;
    }
  }
  const trials = expected.reduce((sum, { ids }) => sum + ids.length, 0);
  const row = (what: string, violations: string[]): Row => ({
    what: `events that a stream ${what}, ${when}`,
    trials,
    least: 100,
    violations: violations.length,
    examples: violations,
  });
  return [
    { ...row('missed', missed), figures },
    row('was given twice', twice),
    row('was given in another order than that of the log', misplaced),
  ];
}

const hasAll = ({ given }: Follower, ids: string[]): boolean => {
  const found = new Set(given);
  return ids.every((id) => found.has(id));
};

/** Waits until all is there, or nothing has come for a while. */
async function settled(followers: Follower[], isAll: () => boolean): Promise<void> {
  const count = (): number => followers.reduce((sum, { given }) => sum + given.length, 0);
  let [last, sinceMs] = [count(), performance.now()];
  while (!isAll() && performance.now() - sinceMs < PATIENCE_MS) {
    await sleep(500);
    if (count() > last) [last, sinceMs] = [count(), performance.now()];
  }
}

async function momentOf(db: Postgres): Promise<string> {
  const [row] = await db.query<{ now: string }>('select clock_timestamp()::text as now');
  return row?.now ?? '';
}

/** An event whose transaction commits later than others that are written meanwhile */
async function lateCommit(db: Postgres, seconds: number): Promise<void> {
  await db.query(
    `with written as (
       insert into audit_events (id, event_type, entity_type, ip_address, user_agent, metadata, created_at)
       values (gen_random_uuid(), 'login_success', 'user', '192.0.2.7', 'late', '{"role": "viewer"}', now()) returning id
     ) select pg_sleep($1) from written`,
    [seconds],
  );
}

/** Events since then, in the order of `audit export` */
function loggedSince(db: Postgres, since: string): Promise<Array<{ id: string; event_type: string }>> {
  return db.query(
    'select id, event_type from audit_events where written_at >= $1::timestamptz order by written_at, id',
    [since],
  );
}
