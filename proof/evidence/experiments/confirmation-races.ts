/** A confirmation counts for nothing once its session has ended, and is not lost to a rotation. (Interface 20) */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { codeAt } from '../../../test/support/independent/authenticator-app.js';
import { holdNewRecords } from '../../../test/support/postgres/hold.js';
import type { Experiment, Row } from '../experiment.js';
import { type Answer, login, logout, refresh } from '../lab/browser.js';
import { mutate } from '../lab/callers.js';
import { addFactors, beginApp, confirm, type FactorUser, forgetSteps } from '../lab/factors.js';
import { type Gateways, prepareGateways } from '../lab/gateways.js';
import type { Lab } from '../lab/lab.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { mintSessions, sidOf } from '../lab/minted.js';
import { poolOf } from '../lab/pool.js';
import { type Postgres, startPostgres } from '../lab/postgres.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const RACES = { small: 60, full: 5_000 };
const ROTATIONS = { small: 30, full: 1_500 };
/** As many users, so that none is in two races */
const AT_ONCE = 12;
/** Confirmations that wait for a rotation */
const HELD = { small: 10, full: 1_000 };
/** How far a confirmation and a rotation may be apart, either way: milliseconds */
const APART_MS = 8;
/** What the newest of two durations counts in their mean */
const NEWEST_SHARE = 0.2;
/** Of a confirmation, and of the end of its session, until they are known: milliseconds */
const TAKES_MS = 30;
/** Long before now, so that only a confirmation makes a session fresh */
const BEGUN_SECONDS_AGO = 20_000;

interface Session {
  user: FactorUser;
  /** Its first token, which is used, and the one after it */
  used: string;
  newest: string;
  accessToken: string;
}

interface Stand {
  lab: Lab;
  db: Postgres;
  gateways: Gateways;
  urls: readonly [string, string, string];
  users: readonly FactorUser[];
}

/** What ends a session */
interface End {
  what: string;
  end(session: Session): Promise<Answer>;
}

export const confirmationRaces: Experiment = {
  name: 'confirmation-races',
  isAlone: true,
  mutants: [
    {
      name: 'a confirmation does not look for the successor of a record',
      file: 'src/auth/factors/sessions.ts',
      from: 'if ((await findLiveRecord(db, session, now)) === undefined) return undefined;',
      to: 'if ((await findLiveRecord(db, session, now)) !== null) return undefined;',
      foundBy: /^confirmations lost to a rotation/,
    },
    {
      name: 'a session that has ended is confirmed',
      file: 'src/auth/factors/sessions.ts',
      from: 'user_id = :user_id and not revoked and expires_at >= :now',
      to: 'user_id = :user_id and expires_at >= :now',
      foundBy: /^confirmations that count after a/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url, { SESSION_RATE_LIMIT: '1000000' });
    const instances = [await gateways.start(), await gateways.start(), await gateways.start()] as const;
    const urls = [instances[0].url, instances[1].url, instances[2].url] as const;
    const [operator = '', ...emails] = await createUsers(gateways, db, 1 + AT_ONCE);
    await db.query(`update users set role = 'admin'`);
    const users = await addFactors(gateways, db, emails);
    const stand = { lab, db, gateways, urls, users };
    const { body } = await login(urls[0], operator, PASSWORD);
    const operatorToken = String(body['access_token']);
    const ends: End[] = [
      { what: 'a theft', end: ({ used }) => refresh(urls[1], used) },
      { what: 'a logout', end: ({ newest }) => logout(urls[1], newest) },
      { what: 'a deactivation', end: ({ user }) => deactivate(urls[1], operatorToken, user) },
    ];
    const rows: Row[] = [];
    for (const end of ends) rows.push(await confirmNextTo(stand, end, Math.ceil(RACES[size] / ends.length)));
    return [
      ...rows,
      await confirmNextToRotations(stand, ROTATIONS[size]),
      await confirmDuringRotations(stand, HELD[size]),
    ];
  },
};

/** A session at `aal1` that began long ago, whose user has a code that nobody has used. */
async function begin({ db, gateways, urls }: Stand, user: FactorUser): Promise<Session> {
  const [used = ''] = await mintSessions(gateways, db, user.email, 1);
  await db.query(
    `update refresh_tokens set session_started_at = now() - $2 * interval '1 second' where family_id = $1`,
    [sidOf(used), BEGUN_SECONDS_AGO],
  );
  await forgetSteps(db, user);
  const { cookie = '', body } = await refresh(urls[0], used);
  return { user, used, newest: cookie, accessToken: String(body['access_token']) };
}

function confirmByCode(url: string, { user, accessToken }: Session): Promise<Answer> {
  return confirm(url, accessToken, { code: codeAt(user.secret, new Date()) });
}

async function confirmNextTo(stand: Stand, { what, end }: End, trials: number): Promise<Row> {
  const { lab, db, urls, users } = stand;
  const row: Row = {
    what: `confirmations that count after ${what}`,
    trials,
    least: trials,
    violations: 0,
    examples: [],
  };
  let confirmed = 0;
  const takesMs = { confirmation: TAKES_MS, end: TAKES_MS };
  lab.say(`${trials} confirmations next to ${what}`);
  const pool = poolOf(users);
  await inLanes(upTo(trials), AT_ONCE, () =>
    pool.use(async (user) => {
      const session = await begin(stand, user);
      // Each comes at any moment of the other, so that either is first in many races.
      const apartMs = Math.random() * (takesMs.confirmation + takesMs.end) - takesMs.end;
      const [confirmation, ending] = await Promise.all([
        sleep(Math.max(-apartMs, 0)).then(() => confirmByCode(urls[0], session)),
        sleep(Math.max(apartMs, 0)).then(() => end(session)),
      ]);
      takesMs.end += (ending.ms - takesMs.end) * NEWEST_SHARE;
      if (confirmation.status === 200) takesMs.confirmation += (confirmation.ms - takesMs.confirmation) * NEWEST_SHARE;
      await db.query('update users set is_active = true where id = $1', [user.id]);
      if (confirmation.status === 200) confirmed += 1;
      const token = String(confirmation.body['access_token'] ?? session.accessToken);
      const [change, app] = [await changeRole(urls[2], token, user.id), await beginApp(urls[2], token)];
      const again = await confirmByCode(urls[2], { ...session, accessToken: token });
      const isWhole = [200, 401].includes(confirmation.status) && isDone(ending, what);
      if (isWhole && isStale(change) && app.status === 401 && again.status === 401) return;
      row.violations += 1;
      const after = `a change ${JSON.stringify(change.body)}, a new app ${app.status}, one more ${again.status}`;
      row.examples?.push(`confirmation ${confirmation.status}, ${what} ${ending.status}, ${after}`);
    }),
  );
  row.figures = { confirmed_before_the_end: confirmed };
  return row;
}

/** A used token is refused; the others are answered 200. */
function isDone({ status, body }: Answer, what: string): boolean {
  return what === 'a theft' ? status === 401 : status === 200 && body['errors'] === undefined;
}

const CHANGE = 'mutation ($input: SetUserRoleInput!) { setUserRole(input: $input) { user { id } } }';
const DEACTIVATE = 'mutation ($input: SetUserActiveInput!) { setUserActive(input: $input) { user { id } } }';

/** To the role that the user has: it is refused, or changes nothing. */
function changeRole(url: string, token: string, id: string): Promise<Answer> {
  return mutate(url, token, CHANGE, { id, role: 'admin' });
}

function deactivate(url: string, token: string, { id }: FactorUser): Promise<Answer> {
  return mutate(url, token, DEACTIVATE, { id, isActive: false });
}

/** Whether a change was refused for want of a proof, or of a session. */
function isStale({ body }: Answer): boolean {
  const codes = (body['errors'] as Array<{ extensions?: { code?: string } }> | undefined)?.map(
    ({ extensions }) => extensions?.code,
  );
  return codes?.every((code) => code === 'CONFIRMATION_REQUIRED' || code === 'UNAUTHENTICATED') ?? false;
}

/** Whether the session has proved its user since then: its next access token says so. */
async function isProved(url: string, token: string, sinceSeconds: number): Promise<string | undefined> {
  const { status, body } = await refresh(url, token);
  if (status !== 200) return `the session was refreshed with ${status}`;
  const { acr, auth_time } = decodeJwt(String(body['access_token'])) as { acr?: string; auth_time?: number };
  return acr === 'aal2' && Number(auth_time) >= sinceSeconds ? undefined : `the session has ${acr} of ${auth_time}`;
}

const now = (): number => Math.floor(Date.now() / 1000);

async function confirmNextToRotations(stand: Stand, trials: number): Promise<Row> {
  const { lab, urls, users } = stand;
  const row: Row = {
    what: 'confirmations lost next to a rotation',
    trials,
    least: trials,
    violations: 0,
    examples: [],
  };
  lab.say(`${trials} confirmations next to a rotation`);
  const pool = poolOf(users);
  await inLanes(upTo(trials), AT_ONCE, () =>
    pool.use(async (user) => {
      const session = await begin(stand, user);
      const sinceSeconds = now();
      const apartMs = (2 * Math.random() - 1) * APART_MS;
      const [confirmation, rotation] = await Promise.all([
        sleep(Math.max(apartMs, 0)).then(() => confirmByCode(urls[0], session)),
        sleep(Math.max(-apartMs, 0)).then(() => refresh(urls[1], session.newest)),
      ]);
      const statuses = `${confirmation.status},${rotation.status}`;
      const why = statuses === '200,200' ? await isProved(urls[2], rotation.cookie ?? '', sinceSeconds) : statuses;
      if (why === undefined) return;
      row.violations += 1;
      row.examples?.push(why);
    }),
  );
  return row;
}

/** The rotation waits between its claim and its commit, and the confirmation for the record that it has claimed. */
async function confirmDuringRotations(stand: Stand, trials: number): Promise<Row> {
  const { lab, db, urls, users } = stand;
  const row: Row = {
    what: 'confirmations lost to a rotation that waits',
    trials: 0,
    least: trials,
    violations: 0,
    examples: [],
  };
  lab.say(`${trials} confirmations while a rotation waits for its commit`);
  for (const round of upTo(trials)) {
    const user = users[round % users.length];
    if (user === undefined) throw new Error('there are no users');
    const session = await begin(stand, user);
    const sinceSeconds = now();
    await using hold = await holdNewRecords({ database: db, rows: db.query });
    const rotating = refresh(urls[1], session.newest);
    await hold.waiting(1);
    const confirming = confirmByCode(urls[0], session);
    await hold.waiting(2);
    await hold.release();
    const [confirmation, rotation] = [await confirming, await rotating];
    const statuses = `${confirmation.status},${rotation.status}`;
    const why = statuses === '200,200' ? await isProved(urls[2], rotation.cookie ?? '', sinceSeconds) : statuses;
    row.trials += 1;
    if (why === undefined) continue;
    row.violations += 1;
    row.examples?.push(why);
  }
  return row;
}
