/** A code is good once over instances whose clocks are apart, over the end of its step, and over kill -9. (Interface 20) */
import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeAt } from '../../../test/support/independent/authenticator-app.js';
import { type Hold, holdNew } from '../../../test/support/postgres/hold.js';
import type { Experiment, Row } from '../experiment.js';
import { type Answer, refresh } from '../lab/browser.js';
import {
  addFactors,
  confirm,
  type FactorUser,
  finishLogin,
  mintHalfLogins,
  mintRecoveryCodes,
  type Proof,
} from '../lab/factors.js';
import { type Gateways, type Instance, prepareGateways } from '../lab/gateways.js';
import type { Lab } from '../lab/lab.js';
import { upTo } from '../lab/lanes.js';
import { mintSessions } from '../lab/minted.js';
import { type Postgres, startPostgres } from '../lab/postgres.js';
import { createUsers } from '../lab/users.js';

const MOVED_CLOCK = new URL('../lab/moved-clock.js', import.meta.url).href;
const STEP_SECONDS = 30;
/** How far a clock may be off, either way: a gateway believes a minute, and two clocks are then 90 s apart. */
const MOST_OFF_SECONDS = 45;
const PRESENTATIONS = 8;
const ROUNDS = {
  small: { apart: 20, ending: 5, kills: 3, random: 2 },
  full: { apart: 2_000, ending: 500, kills: 75, random: 50 },
};
/** The kill comes so many milliseconds after the presentations, at most */
const LATER_MS = 30;

/** An instance, and its clock. */
interface Clocked extends Instance {
  /** @param seconds how far its clock is ahead from now on */
  turn(seconds: number): Promise<void>;
}

interface Stand {
  lab: Lab;
  db: Postgres;
  gateways: Gateways;
  instances: readonly [Clocked, Clocked];
  /** Whose factors nobody has used */
  newUser(): FactorUser;
}

export const factorClocks: Experiment = {
  name: 'factor-clocks',
  mutants: [
    {
      name: 'a step is that of the clock and not that of the code',
      file: 'src/auth/factors/proofs.ts',
      from: 'used: { factorId: totp.id, step, signCount: null }',
      to: 'used: { factorId: totp.id, step: Math.floor(clock.now().getTime() / 30_000), signCount: null }',
      foundBy: /^codes good other than once, (by clocks that are apart|before and after the end of their step)/,
    },
    {
      name: 'a code is used up after the session has started',
      file: 'src/auth/factors/sessions.ts',
      from: ': await db.run(byFactor[form], { ...values, ...factorValues(used) });',
      to: `: await db.run(byFactor[form], { ...values, ...factorValues({ ...used, step: null }) });
  if ('factorId' in used && started !== undefined) await takeFactor(db, user.id, used, now);`,
      foundBy: /^codes good again after a kill -9/,
    },
    {
      name: 'a code is used up outside the transaction of its confirmation',
      file: 'src/auth/factors/confirm.ts',
      from: '!(await takeFactor(tx, user.id, right.proof.used, now))',
      to: '!(await takeFactor(db, user.id, right.proof.used, now))',
      foundBy: /^confirmations half done after a kill -9/,
    },
  ],
  run: async (lab, size) => {
    const { apart, ending, kills, random } = ROUNDS[size];
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url);
    const instances = [await startClocked(lab, gateways, 'one'), await startClocked(lab, gateways, 'two')] as const;
    const users = await addFactors(gateways, db, await createUsers(gateways, db, apart + ending + kills + random));
    const newUser = (): FactorUser => {
      const user = users.pop();
      if (user === undefined) throw new Error('each round has a user of its own');
      return user;
    };
    const stand = { lab, db, gateways, instances, newUser };
    return [
      await presentToClocks(stand, apart),
      await presentOverStep(stand, ending),
      ...(await killHeld(stand, kills)),
      ...(await killAnywhere(stand, random)),
    ];
  },
};

async function startClocked(lab: Lab, gateways: Gateways, name: string): Promise<Clocked> {
  const file = join(lab.folder, `clock-${name}`);
  await writeFile(file, '0');
  const instance = await gateways.start({ NODE_OPTIONS: `--import=${MOVED_CLOCK}`, MOVED_CLOCK_FILE: file });
  return Object.assign(instance, { turn: (seconds: number) => writeFile(file, String(seconds)) });
}

/** A code of an app whose clock is ahead by so many seconds */
function codeOf({ secret }: FactorUser, seconds: number): string {
  return codeAt(secret, new Date(Date.now() + seconds * 1000));
}

function rowOf(what: string, least: number): Row {
  return { what, trials: 0, least, violations: 0, examples: [] };
}

function note(row: Row, why: string | undefined): void {
  row.trials += 1;
  if (why === undefined) return;
  row.violations += 1;
  row.examples?.push(why);
}

function countWon(answers: readonly Answer[]): number {
  return answers.filter(({ status }) => status === 200).length;
}

/** At once to clocks that are anywhere; then again to each, turned to the time of the app, which has to accept it if nobody has. */
async function presentToClocks({ lab, db, instances, newUser }: Stand, rounds: number): Promise<Row> {
  const row = rowOf('codes good other than once, by clocks that are apart', rounds);
  lab.say(`${rounds} codes for instances whose clocks are up to ${2 * MOST_OFF_SECONDS} s apart`);
  const anywhere = (): number => randomInt(-MOST_OFF_SECONDS, MOST_OFF_SECONDS + 1);
  const apartSeconds: number[] = [];
  for (const _round of upTo(rounds)) {
    const user = newUser();
    const [first, second, ofApp] = [anywhere(), anywhere(), anywhere()];
    apartSeconds.push(Math.abs(first - second));
    await Promise.all([instances[0].turn(first), instances[1].turn(second)]);
    const code = codeOf(user, ofApp);
    const challenges = await mintHalfLogins(db, user, PRESENTATIONS + 2);
    const present = (instance: Instance, number: number): Promise<Answer> =>
      finishLogin(instance.url, challenges[number] ?? '', { code });
    const atOnce = await Promise.all(
      upTo(PRESENTATIONS).map((number) => present(number % 2 === 0 ? instances[0] : instances[1], number)),
    );
    const again: Answer[] = [];
    for (const [i, instance] of instances.entries()) {
      await instance.turn(ofApp);
      again.push(await present(instance, PRESENTATIONS + i));
    }
    const answers = [...atOnce, ...again];
    note(
      row,
      countWon(answers) === 1 ? undefined : `${answers.map(({ status }) => status)}, ${first} s and ${second} s`,
    );
  }
  row.figures = { clocks_apart_at_most_s: Math.max(...apartSeconds) };
  return row;
}

/** In the middle of a step, so that no end of a step comes between */
function middleSeconds(): number {
  return STEP_SECONDS / 2 - ((Date.now() / 1000) % STEP_SECONDS);
}

/** The first waits before its commit. For the second the step of the code has ended meanwhile, and it is good as the one before. */
async function presentOverStep({ lab, db, instances, newUser }: Stand, rounds: number): Promise<Row> {
  const row = rowOf('codes good other than once, before and after the end of their step', rounds);
  lab.say(`${rounds} codes whose step ends between two presentations`);
  const [one, two] = instances;
  for (const _round of upTo(rounds)) {
    const user = newUser();
    const [first = '', second = ''] = await mintHalfLogins(db, user, 2);
    const seconds = middleSeconds();
    await Promise.all([one.turn(seconds), two.turn(seconds + STEP_SECONDS)]);
    const proof = { code: codeOf(user, seconds) };
    await using hold = await holdNew('refresh_tokens', { database: db, rows: db.query });
    const before = finishLogin(one.url, first, proof);
    await hold.waiting(1);
    const after = finishLogin(two.url, second, proof);
    await hold.waiting(2);
    await hold.release();
    const answers = [await before, await after];
    note(
      row,
      answers.map(({ status }) => status).join() === '200,401' ? undefined : answers.map((a) => a.status).join(),
    );
  }
  return row;
}

/** Kills the first instance while what it was asked waits in the database, which then goes on. */
async function killWhile(one: Instance, hold: Hold, request: Promise<Answer>): Promise<void> {
  const answered = request.then(
    ({ status }) => status,
    () => undefined,
  );
  await hold.waiting(1);
  await one.kill();
  await hold.release();
  const status = await answered;
  if (status !== undefined) throw new Error(`a killed gateway answered ${status}`);
}

/** A login has one statement, which goes on without its gateway; a confirmation has a transaction, which does not. */
async function killHeld(stand: Stand, rounds: number): Promise<Row[]> {
  const { lab, db, gateways, instances, newUser } = stand;
  const [one, two] = instances;
  const logins = rowOf('codes good again after a kill -9 between check and answer', Math.ceil(rounds / 3) * 2);
  const confirmations = rowOf(
    'confirmations half done after a kill -9 between check and answer',
    Math.floor(rounds / 3),
  );
  for (const round of upTo(rounds)) {
    lab.say(`kill -9 between check and answer, ${round + 1} of ${rounds}`);
    const user = newUser();
    const seconds = middleSeconds();
    await Promise.all([one.turn(seconds), two.turn(seconds)]);
    const code = codeOf(user, seconds);
    if (round % 3 === 2) {
      const [token = ''] = await mintSessions(gateways, db, user.email, 1);
      const accessToken = String((await refresh(two.url, token)).body['access_token']);
      await using hold = await holdNew('audit_events', { database: db, rows: db.query });
      await killWhile(one, hold, confirm(one.url, accessToken, { code }));
      const again = [await confirm(two.url, accessToken, { code }), await confirm(two.url, accessToken, { code })];
      const done = await eventsOf(db, user, 'session_confirmed');
      const statuses = again.map(({ status }) => status).join();
      note(confirmations, statuses === '200,403' && done === 1 ? undefined : `${statuses}, ${done} events`);
    } else {
      const [first = '', second = ''] = await mintHalfLogins(db, user, 2);
      const [recovery_code] = await mintRecoveryCodes(db, user, 1);
      const proof: Proof = round % 3 === 0 ? { code } : { recovery_code };
      await using hold = await holdNew('refresh_tokens', { database: db, rows: db.query });
      await killWhile(one, hold, finishLogin(one.url, first, proof));
      const { status } = await finishLogin(two.url, second, proof);
      const done = await eventsOf(db, user, 'login_success');
      const sessions = await sessionsOf(db, user);
      const isRight = status === 401 && done === 1 && sessions === 1;
      note(logins, isRight ? undefined : `answered ${status}, ${sessions} sessions and ${done} events are there`);
    }
    await one.start();
  }
  return [logins, confirmations];
}

async function eventsOf(db: Postgres, { id }: FactorUser, type: string): Promise<number> {
  const [found] = await db.query<{ count: number }>(
    'select count(*)::integer as count from audit_events where user_id = $1 and event_type = $2',
    [id, type],
  );
  return found?.count ?? 0;
}

async function sessionsOf(db: Postgres, { id }: FactorUser): Promise<number> {
  const [found] = await db.query<{ count: number }>(
    'select count(*)::integer as count from sessions where user_id = $1',
    [id],
  );
  return found?.count ?? 0;
}

/** At any moment of many presentations at once. */
async function killAnywhere({ lab, db, instances, newUser }: Stand, rounds: number): Promise<Row[]> {
  const [one, two] = instances;
  const sessions = rowOf('codes with other than one session after a kill -9 at any moment', rounds);
  const lost = rowOf('acknowledged logins lost in it', Math.floor(rounds / 10));
  for (const round of upTo(rounds)) {
    lab.say(`kill -9 at any moment, ${round + 1} of ${rounds}`);
    const user = newUser();
    const seconds = middleSeconds();
    await Promise.all([one.turn(seconds), two.turn(seconds)]);
    const proof = { code: codeOf(user, seconds) };
    const challenges = await mintHalfLogins(db, user, PRESENTATIONS + 1);
    const presenting = upTo(PRESENTATIONS).map((number) =>
      finishLogin((number % 2 === 0 ? one : two).url, challenges[number] ?? '', proof).catch(() => undefined),
    );
    await sleep(Math.random() * LATER_MS);
    await one.kill();
    const answers = (await Promise.all(presenting)).flatMap((answer) => answer ?? []);
    const again = await finishLogin(two.url, challenges[PRESENTATIONS] ?? '', proof);
    const stored = await sessionsOf(db, user);
    const isRight = stored === 1 && again.status === 401 && countWon(answers) <= 1;
    note(sessions, isRight ? undefined : `${stored} sessions, then ${again.status}, ${answers.map((a) => a.status)}`);
    await one.start();
    for (const { cookie = '' } of answers.filter(({ status }) => status === 200)) {
      const { status } = await refresh(one.url, cookie);
      note(lost, status === 200 ? undefined : `its refresh was answered ${status}`);
    }
  }
  return [sessions, lost];
}
