/** What has ended is refused by every instance at once, what is live never, and a code is good once. (Interface 22 and 23) */
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ORIGIN } from '../../../test/support/gateway/authz.js';
import { ask, askWayBack, GATE_COOKIE, leadOf, STATE_COOKIE, visit } from '../../../test/support/gateway/gate.js';
import type { Experiment, Row } from '../experiment.js';
import { type Accounts, openAccounts } from '../lab/accounts.js';
import { againAfter503 } from '../lab/again.js';
import { login, logout, refresh } from '../lab/browser.js';
import { mutate } from '../lab/callers.js';
import {
  type Asked,
  asked,
  createIntrospector,
  GATE_ENV,
  liveAs,
  mintCodes,
  newVisitor,
  OTHER_ORIGIN,
  present,
  questionsBy,
  ROLES,
  type Visitor,
} from '../lab/gate.js';
import { type Instance, prepareGateways } from '../lab/gateways.js';
import type { Lab } from '../lab/lab.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { redeem } from '../lab/passwords.js';
import { type Postgres, startPostgres } from '../lab/postgres.js';
import { percentile } from '../lab/stats.js';
import { PASSWORD } from '../lab/users.js';

/** Sessions that end in each of the ways; each is asked for `ASKED_AGAIN` times by three ways at three instances */
const ENDS = { small: 10, full: 200 };
const ASKED_AGAIN = 3;
/** Logouts that are timed, one after another */
const TIMED = { small: 40, full: 400 };
const CODES = { small: 100, full: 3_000 };
/** Rotations, each next to nine questions about its session */
const ROTATIONS = { small: 200, full: 3_000 };
const KILLS = { small: 2, full: 10 };
/** Sessions that end next to a kill */
const ENDS_AT_KILL = 18;
/** When the kill comes, at most: milliseconds */
const LATER_MS = 60;
const AT_ONCE = 12;
/** How far a rotation and the questions may be apart, at most: milliseconds */
const APART_MS = 8;

interface Stand {
  lab: Lab;
  db: Postgres;
  accounts: Accounts;
  instances: readonly Instance[];
  asked: readonly Asked[];
  questions: ReturnType<typeof questionsBy>;
  /** Of an administrator */
  token: string;
}

/** What ends the session of a visitor. @returns the status */
type End = (stand: Stand, visitor: Visitor) => Promise<number>;

const anyUrl = ({ instances }: Stand): string => instances[randomInt(instances.length)]?.url ?? '';
const anyAsked = ({ asked: all }: Stand): Asked => all[randomInt(all.length)] as Asked;

async function change(stand: Stand, mutation: string, input: object): Promise<number> {
  const name = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}Input`;
  const query = `mutation ($input: ${name}!) { ${mutation}(input: $input) { __typename } }`;
  const { status, body } = await mutate(anyUrl(stand), stand.token, query, input);
  return body['errors'] === undefined ? status : 503;
}

const ENDED_BY: Record<string, { end: End; status: number }> = {
  'a logout': { end: async (stand, { newest }) => (await logout(anyUrl(stand), newest)).status, status: 200 },
  'a theft': { end: async (stand, { used }) => (await refresh(anyUrl(stand), used)).status, status: 401 },
  'a deactivation': {
    end: (stand, { owner: { id } }) => change(stand, 'setUserActive', { id, isActive: false }),
    status: 200,
  },
  'a new password': {
    end: async (stand, { owner }) => (await redeem(anyUrl(stand), owner.resetToken, `a new ${PASSWORD}`)).status,
    status: 204,
  },
  'a revocation by an administrator': {
    end: (stand, { sid }) => change(stand, 'revokeSession', { id: sid }),
    status: 200,
  },
  'a logout at the service': {
    end: async (stand, { cookies }) => {
      const leaving = { method: 'POST', target: '/.auth-gateway/logout', cookies, headers: { Origin: ORIGIN } };
      return (await visit(anyAsked(stand), leaving)).status;
    },
    status: 302,
  },
};

const live = 'src/auth/live-sessions.ts';
const codes = 'src/auth/gate-codes.ts';
const LIVE_FOR_EVER = " ?? { role: 'viewer' as const, amr: [], provedAt: now }";

export const gate: Experiment = {
  name: 'gate',
  isAlone: true,
  mutants: [
    {
      name: 'the cookie of another origin is taken',
      file: 'src/credentials/tokens/gate-token.ts',
      from: ' || claims.aud !== origin',
      to: ' || (claims.aud !== origin && false)',
      foundBy: /^cookies taken at another origin/,
    },
    {
      name: 'a cookie does not read the session',
      file: 'src/http/authz/pages.ts',
      from: 'await readLiveSession(db, claims, now)',
      to: `(await readLiveSession(db, claims, now))${LIVE_FOR_EVER}`,
      foundBy: /^questions accepted after/,
    },
    {
      name: 'live=on does not read the session',
      file: 'src/http/routes/authz-routes.ts',
      from: 'return live?.role === role;',
      to: 'return live === undefined || live.role === role;',
      foundBy: /^questions accepted after/,
    },
    {
      name: 'introspection does not read the session',
      file: 'src/http/routes/introspection-route.ts',
      from: 'await readLiveSession(db, { sub, sid }, now)',
      to: `(await readLiveSession(db, { sub, sid }, now))${LIVE_FOR_EVER}`,
      foundBy: /^questions accepted after/,
    },
    {
      name: 'what was read of a session is remembered',
      file: live,
      from: 'await db.run(liveSessionSql, { family_id: sid, user_id: sub, now })',
      to: 'await ((globalThis as any)[sid] ??= db.run(liveSessionSql, { family_id: sid, user_id: sub, now }))',
      foundBy: /^questions accepted after/,
    },
    {
      name: 'a batch gives the row of a neighbour',
      file: live,
      from: 'select n, $',
      to: 'select (n % (select count(*) from asked) + 1)::integer as n, $',
      foundBy: /^live sessions refused, or taken for another/,
    },
    {
      name: 'a code is still there',
      file: codes,
      from: 'delete from gate_codes using users\n  where',
      to: 'select gate_codes.user_id, gate_codes.family_id, target from gate_codes, users\n  where',
      and: { file: codes, from: '\n  returning gate_codes.user_id, gate_codes.family_id, target`;', to: '`;' },
      foundBy: /^codes with winners other than one/,
    },
    {
      name: 'the state is not compared',
      file: codes,
      from: 'and state_sha256 = :state_sha256\n    and gate_codes',
      to: 'and (state_sha256 = :state_sha256 or true)\n    and gate_codes',
      foundBy: /^codes taken at another origin/,
    },
    {
      name: 'a code is good at any origin',
      file: codes,
      from: 'and origin = :origin and',
      to: 'and (origin = :origin or true) and',
      foundBy: /^codes taken at another origin/,
    },
    {
      name: 'a code outlives its session',
      file: codes,
      from: 'live.family_id = gate_codes.family_id and not revoked and',
      to: 'live.family_id = gate_codes.family_id and',
      foundBy: /^codes taken after the end/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url, GATE_ENV);
    const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start()]);
    const accounts = await openAccounts(gateways, db, instances[0].url);
    const questions = questionsBy(await createIntrospector(gateways));
    const operator = await accounts.add({ role: 'admin' });
    const { body } = await login(instances[0].url, operator.email, PASSWORD);
    const all = instances.map((instance) => asked(lab, instance));
    const stand = { lab, db, accounts, instances, asked: all, questions, token: String(body['access_token']) };
    return [
      ...(await endInEachWay(stand, ENDS[size])),
      await timeLogouts(stand, TIMED[size]),
      ...(await presentCodes(stand, CODES[size])),
      await askNextToRotations(stand, ROTATIONS[size]),
      await endNextToKills(stand, KILLS[size]),
    ];
  },
};

function rowOf(what: string, least: number): Row & { examples: string[] } {
  return { what, trials: 0, least, violations: 0, examples: [] };
}

/** Counts a trial, and a violation if there is an example of one. */
function count(row: ReturnType<typeof rowOf>, example: string | false | undefined): void {
  row.trials += 1;
  if (typeof example !== 'string') return;
  row.violations += 1;
  row.examples.push(example);
}

/** By the cookie as a page or as a script, by the token, and by introspection, at each instance. */
function askEverywhere({ asked: all, questions }: Stand, visitor: Visitor): Promise<string>[] {
  const byCookie = Math.random() < 0.5 ? questions.cookie : questions.page;
  return [byCookie, questions.token, questions.introspection].flatMap((way) => all.map((on) => way(on, visitor)));
}

function newVisitorOf(stand: Stand, number: number): Promise<Visitor> {
  const at = number % stand.instances.length;
  const [instance, on] = [stand.instances[at] as Instance, stand.asked[at] as Asked];
  return newVisitor(stand.accounts, instance, on, ROLES[number % ROLES.length]);
}

/** A code that the visitor has not used yet */
async function wayBackOf(stand: Stand, { newest }: Visitor): Promise<{ code: string; state: string | undefined }> {
  const on = anyAsked(stand);
  const sent = await visit(on);
  const state = /auth-gate-state=([^;]+)/.exec(sent.cookies.join())?.[1];
  const { json } = await askWayBack(on, leadOf(sent), newest);
  return { code: new URL(json.location).searchParams.get('code') ?? '', state };
}

async function endInEachWay(stand: Stand, ends: number): Promise<Row[]> {
  const { lab, asked: all, questions } = stand;
  const neighbours = rowOf('live sessions refused, or taken for another, next to those that end', 0);
  const lateCodes = rowOf('codes taken after the end of their session', 6 * ends);
  const untouched = await Promise.all(upTo(AT_ONCE).map((number) => newVisitorOf(stand, number)));
  const again = againAfter503();
  const rows: Row[] = [];
  for (const [how, { end, status: right }] of Object.entries(ENDED_BY)) {
    lab.say(`${ends} sessions end by ${how}`);
    const row = rowOf(`questions accepted after ${how}`, ends * 9 * ASKED_AGAIN);
    await inLanes(upTo(ends), AT_ONCE, async (number) => {
      const visitor = await newVisitorOf(stand, number);
      const neighbour = untouched[number % AT_ONCE] as Visitor;
      const itself = liveAs(visitor.owner.id, visitor.role);
      for (const verdict of await Promise.all(askEverywhere(stand, visitor)))
        if (verdict !== itself) count(neighbours, `before the end: ${verdict}, not ${itself}`);
      const way = await wayBackOf(stand, visitor);
      void Promise.all(askEverywhere(stand, visitor)); // begun before the end: either answer is right
      const { status } = await again.answerOf(async () => ({ status: await end(stand, visitor) }));
      if (status !== right) throw new Error(`${how} was answered ${status}`);
      for (const _ of upTo(ASKED_AGAIN)) {
        const isLive = all.map((on) => questions.cookie(on, neighbour));
        for (const verdict of await Promise.all(askEverywhere(stand, visitor)))
          count(row, verdict !== 'ended' && verdict);
        const its = liveAs(neighbour.owner.id, neighbour.role);
        for (const verdict of await Promise.all(isLive)) count(neighbours, verdict !== its && `${verdict}, not ${its}`);
      }
      const taken = await present(anyAsked(stand), way.code, way);
      count(lateCodes, taken !== undefined && `after ${how}`);
    });
    rows.push(row);
  }
  neighbours.least = neighbours.trials;
  return [...rows, neighbours, lateCodes];
}

/** Nothing else goes on. */
async function timeLogouts(stand: Stand, logouts: number): Promise<Row> {
  const { lab, asked: all, questions } = stand;
  const row = rowOf('timed logouts that are not refused by each instance', logouts);
  const tookMs: number[] = [];
  lab.say(`${logouts} logouts, one after another`);
  for (const number of upTo(logouts)) {
    const visitor = await newVisitorOf(stand, number);
    await Promise.all(all.map((on) => questions.cookie(on, visitor)));
    await logout(anyUrl(stand), visitor.newest);
    const endedMs = performance.now();
    const verdicts = await Promise.all(all.map((on) => questions.cookie(on, visitor)));
    tookMs.push(performance.now() - endedMs);
    count(row, verdicts.some((verdict) => verdict !== 'ended') && verdicts.join());
  }
  const [p50, p99] = [percentile(tookMs, 0.5), percentile(tookMs, 0.99)];
  row.figures = { ms_until_refused_everywhere_p50: p50, ms_until_refused_everywhere_p99: p99 };
  return row;
}

async function presentCodes(stand: Stand, trials: number): Promise<Row[]> {
  const { lab, db, asked: all } = stand;
  const winners = rowOf('codes with winners other than one', trials);
  const strangers = rowOf('codes taken at another origin, or from another browser', 3 * trials);
  const cookies = rowOf('cookies taken at another origin, or refused at their own', 2 * trials);
  const visitor = await newVisitorOf(stand, 0);
  lab.say(`${trials} codes, each at three instances at once`);
  const minted = await mintCodes(db, visitor, trials);
  await inLanes(minted.entries(), AT_ONCE, async ([number, { code, state }]) => {
    const other = randomBytes(32).toString('base64url');
    const tryAsStrangers = (): Promise<Array<string | undefined>> =>
      Promise.all([
        present(anyAsked(stand), code, { state, origin: OTHER_ORIGIN }),
        present(anyAsked(stand), code, { state: other }),
        present(anyAsked(stand), code, { state: undefined }),
      ]);
    const before = number % 2 === 0 ? await tryAsStrangers() : undefined;
    const [taken, wrong] = await Promise.all([
      Promise.all(all.map((on) => present(on, code, { state }))),
      before ?? tryAsStrangers(),
    ]);
    const won = taken.filter((cookie) => cookie !== undefined);
    count(winners, won.length !== 1 && `${won.length} winners`);
    for (const [i, cookie] of wrong.entries())
      count(strangers, cookie !== undefined && ['at another origin', 'with another state', 'without a state'][i]);
    const its = { [GATE_COOKIE]: won[0] ?? '', [STATE_COOKIE]: state };
    const [own, elsewhere] = await Promise.all([
      ask(anyAsked(stand), { cookies: its }),
      ask(anyAsked(stand), { cookies: its, origin: OTHER_ORIGIN }),
    ]);
    count(cookies, won.length > 0 && own.status !== 200 && `at its own origin ${own.status}`);
    count(cookies, elsewhere.status !== 401 && `at another origin ${elsewhere.status}`);
  });
  return [winners, strangers, cookies];
}

/** Each lane has a session of its own, which never ends. */
async function askNextToRotations(stand: Stand, rotations: number): Promise<Row> {
  const { lab } = stand;
  const row = rowOf('live sessions refused, or taken for another, next to a rotation', 9 * rotations);
  lab.say(`${rotations} rotations, each next to nine questions`);
  await inLanes(upTo(AT_ONCE), AT_ONCE, async (lane) => {
    const visitor = await newVisitorOf(stand, lane);
    const its = liveAs(visitor.owner.id, visitor.role);
    let { newest } = visitor;
    for (let left = Math.ceil(rotations / AT_ONCE); left > 0; left -= 1) {
      const apartMs = (2 * Math.random() - 1) * APART_MS;
      const [rotation, verdicts] = await Promise.all([
        sleep(Math.max(apartMs, 0)).then(() => refresh(anyUrl(stand), newest)),
        sleep(Math.max(-apartMs, 0)).then(() => Promise.all(askEverywhere(stand, visitor))),
      ]);
      if (rotation.cookie === undefined) throw new Error(`a rotation was answered ${rotation.status}`);
      newest = rotation.cookie;
      for (const verdict of verdicts) count(row, verdict !== its && `${verdict}, not ${its}`);
    }
  });
  return row;
}

async function endNextToKills(stand: Stand, kills: number): Promise<Row> {
  const { lab, instances } = stand;
  const row = rowOf('questions accepted after an end that was acknowledged next to kill -9 of an instance', kills * 9);
  const ways = Object.values(ENDED_BY);
  let [acknowledged, lost] = [0, 0];
  for (const round of upTo(kills)) {
    lab.say(`kill -9 of an instance, ${round + 1} of ${kills}`);
    const visitors = await Promise.all(upTo(ENDS_AT_KILL).map((number) => newVisitorOf(stand, number)));
    const victim = instances[randomInt(instances.length)];
    const [ended] = await Promise.all([
      Promise.all(
        visitors.map(async (visitor, i) => {
          const way = ways[i % ways.length];
          await sleep(Math.random() * LATER_MS);
          const status = await way?.end(stand, visitor).catch(() => undefined); // nobody knows whether it was done
          return status === way?.status ? [visitor] : [];
        }),
      ).then((all) => all.flat()),
      sleep(Math.random() * LATER_MS).then(() => victim?.kill()),
    ]);
    await victim?.start();
    acknowledged += ended.length;
    lost += visitors.length - ended.length;
    await inLanes(ended, AT_ONCE, async (visitor) => {
      for (const verdict of await Promise.all(askEverywhere(stand, visitor)))
        count(row, verdict !== 'ended' && verdict);
    });
  }
  row.figures = { kills, ends_acknowledged: acknowledged, answers_lost: lost };
  return row;
}
