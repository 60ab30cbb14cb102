/** Guesses at codes and passwords, over all routes and three instances, share one count and one lock. (Spec 3.2, Interface 20) */
import { codeAt, wrongCode } from '../../../test/support/independent/authenticator-app.js';
import { holdNew } from '../../../test/support/postgres/hold.js';
import type { Experiment, Row } from '../experiment.js';
import { from, TRUSTED } from '../lab/addresses.js';
import { againAfter503 } from '../lab/again.js';
import { type Answer, login, refresh } from '../lab/browser.js';
import {
  addFactors,
  confirm,
  type FactorUser,
  finishLogin,
  forgetSteps,
  mintHalfLogins,
  mintRecoveryCodes,
} from '../lab/factors.js';
import { type Gateways, prepareGateways } from '../lab/gateways.js';
import type { Lab } from '../lab/lab.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { mintSessions } from '../lab/minted.js';
import { type Postgres, startPostgres } from '../lab/postgres.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const THRESHOLD = 5;
/** Half of them on a known device, which has the count and the lock in place of the account */
const USERS = { small: 2, full: 40 };
/** For each user, each from an address of its own */
const GUESSES = 500;
/** Of them: so many are checked at once before the lock exists */
const AT_ONCE = 48;
const RIGHT_WHILE_LOCKED = 12;
/** Right codes that wait for the guess that locks their user */
const FALLS = { small: 3, full: 300 };

const WAYS = ['code', 'recovery code', 'confirmation', 'password'] as const;
type Way = (typeof WAYS)[number];

/** How each way answers what is wrong */
const WRONG: Record<Way, number> = { code: 401, 'recovery code': 401, confirmation: 403, password: 401 };

/** One way to prove who one is, by what is right or wrong, at the instance and from the address of this number. */
type Present = (way: Way, isRight: boolean, number: number) => Promise<Answer>;

export const factorGuesses: Experiment = {
  name: 'factor-guesses',
  isAlone: true,
  mutants: [
    {
      name: 'a wrong code is not counted',
      file: 'src/auth/factors/login.ts',
      from: "factor !== 'passkey' && (await countFailure(deps, failure, now, user.device))",
      to: "factor !== 'passkey' && (factor === 'totp' || (await countFailure(deps, failure, now, user.device)))",
      foundBy: /^guesses answered past the threshold/,
    },
    {
      name: 'a wrong code at a confirmation is not counted',
      file: 'src/auth/factors/confirm.ts',
      from: "kind !== 'passkey' && (await countFailure(deps, failure, now))",
      to: "kind !== 'passkey' && (kind === 'totp' || (await countFailure(deps, failure, now)))",
      foundBy: /^guesses answered past the threshold/,
    },
    {
      name: 'what is wrong clears the failures of a known device',
      file: 'src/auth/factors/sessions.ts',
      from: 'from used where known_devices.id = :device_id',
      to: 'from owner where known_devices.id = :device_id',
      foundBy: /^guesses answered past the threshold, on a known device/,
    },
    {
      name: 'a right code is let in after the lock fell',
      file: 'src/auth/factors/sessions.ts',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
      from: 'select id from users where ${SAME_USER} and has_factors and ${NOT_LOCKED} for update',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
      to: 'select id from users where ${SAME_USER} and has_factors for update',
      foundBy: /^right codes let in after the lock fell/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url, {
      ...TRUSTED,
      KNOWN_DEVICES: 'on',
      LOGIN_MAX_FAILURES: String(THRESHOLD),
    });
    const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start()]);
    const urlOf = (number: number): string => instances[number % 3]?.url ?? '';
    const emails = await createUsers(gateways, db, USERS[size] + FALLS[size]);
    const users = await addFactors(gateways, db, emails);
    const again = againAfter503();
    const presentAs = async (user: FactorUser, isKnown: boolean): Promise<Present> => {
      const present = await presenting({ gateways, db, urlOf }, user, isKnown);
      return (...how) => again.answerOf(() => present(...how));
    };

    const rows: Row[] = [];
    for (const [where, isKnown] of [
      ['', false],
      [', on a known device', true],
    ] as const) {
      const guessed = users.slice(0, USERS[size]).filter((_user, i) => (i % 2 === 1) === isKnown);
      lab.say(`${GUESSES} guesses at ${guessed.length} users${where}`);
      rows.push(...(await guess(presentAs, guessed, isKnown, where)));
    }
    const figures = { asked_again_after_503: again.overloads() };
    const fallen = await enterAfterLock(lab, db, presentAs, users.slice(USERS[size]));
    return [...rows.map((row, i) => (i === 0 ? { ...row, figures } : row)), fallen];
  },
};

interface Stand {
  gateways: Gateways;
  db: Postgres;
  urlOf(number: number): string;
}

/** Everything that is right is good, and so many half logins wait, that no guess fails for another reason. */
async function presenting({ gateways, db, urlOf }: Stand, user: FactorUser, isKnown: boolean): Promise<Present> {
  const challenges = await mintHalfLogins(db, user, GUESSES);
  const recovery = await mintRecoveryCodes(db, user, GUESSES);
  const [session = ''] = await mintSessions(gateways, db, user.email, 1);
  const { body } = await refresh(urlOf(0), session);
  const device = isKnown ? await deviceOf({ gateways, db, urlOf }, user) : {};
  return async (way, isRight, number) => {
    const [url, more] = [urlOf(number), { ...from(number), ...device }];
    if (way === 'password') return login(url, user.email, isRight ? PASSWORD : `guess ${number}`, more);
    const code = isRight ? codeAt(user.secret, new Date()) : wrongCode(user.secret, new Date());
    if (way === 'confirmation') return confirm(url, String(body['access_token']), { code }, more);
    const proof = way === 'code' ? { code } : { recovery_code: isRight ? recovery[number] : `guess ${number}` };
    return finishLogin(url, challenges[number] ?? '', proof, more);
  };
}

/** @returns the cookie of a device that the user has logged in from */
async function deviceOf({ db, urlOf }: Stand, user: FactorUser): Promise<Record<string, string>> {
  const [challenge = ''] = await mintHalfLogins(db, user, 1);
  const { device } = await finishLogin(urlOf(0), challenge, { code: codeAt(user.secret, new Date()) });
  if (device === undefined) throw new Error('a login has made no device known');
  await forgetSteps(db, user);
  return { cookie: `device=${device}` };
}

type PresentAs = (user: FactorUser, isKnown: boolean) => Promise<Present>;

/** A confirmation is of the session, not of the device: on a known device it is left out. */
async function guess(
  presentAs: PresentAs,
  users: readonly FactorUser[],
  isKnown: boolean,
  where: string,
): Promise<Row[]> {
  const ways = WAYS.filter((way) => !isKnown || way !== 'confirmation');
  const rowOf = (what: string, least: number): Row => ({ what, trials: 0, least, violations: 0, examples: [] });
  const past = rowOf(`guesses answered past the threshold${where}`, users.length * GUESSES);
  const locked = rowOf(`right proofs accepted while locked${where}`, users.length * RIGHT_WHILE_LOCKED);
  for (const user of users) {
    const present = await presentAs(user, isKnown);
    const counts: Record<string, number> = {};
    let wrong = 0;
    let refused = 0;
    await inLanes(upTo(GUESSES), AT_ONCE, async (number) => {
      const way = ways[number % ways.length] ?? 'code';
      const { status } = await present(way, false, number);
      if (status === WRONG[way]) wrong += 1;
      if (status === 429) refused += 1;
      counts[`${way} ${status}`] = (counts[`${way} ${status}`] ?? 0) + 1;
    });
    past.trials += GUESSES;
    // Fewer than the threshold would be wrong too: nobody is locked before it.
    const violations = Math.abs(wrong - THRESHOLD) + GUESSES - wrong - refused;
    past.violations += violations;
    if (violations > 0) past.examples?.push(JSON.stringify(counts));

    const right = await Promise.all(
      upTo(RIGHT_WHILE_LOCKED).map((number) => present(ways[number % ways.length] ?? 'code', true, number)),
    );
    const accepted = right.filter(({ status }) => status !== 429);
    locked.trials += right.length;
    locked.violations += accepted.length;
    locked.examples?.push(...accepted.map(({ status }) => String(status)));
  }
  return [past, locked];
}

/** The guess that locks waits before its commit, and the right code was read before the lock. */
async function enterAfterLock(
  lab: Lab,
  db: Postgres,
  presentAs: PresentAs,
  users: readonly FactorUser[],
): Promise<Row> {
  const what = 'right codes let in after the lock fell';
  const row: Row = { what, trials: 0, least: users.length, violations: 0, examples: [] };
  lab.say(`${users.length} right codes next to the guess that locks`);
  for (const [i, user] of users.entries()) {
    const way = WAYS[i % 3] ?? 'code';
    const present = await presentAs(user, false);
    await db.query('update users set failed_login_attempts = $2 where id = $1', [user.id, THRESHOLD - 1]);
    await using hold = await holdNew('audit_events', { database: db, rows: db.query });
    const guessing = present('code', false, 0);
    await hold.waiting(1);
    const entering = present(way, true, 1);
    await hold.waiting(2);
    await hold.release();
    const statuses = [(await guessing).status, (await entering).status];
    row.trials += 1;
    if (statuses.join() === '401,429') continue;
    row.violations += 1;
    row.examples?.push(`the guess was answered ${statuses[0]}, the right ${way} ${statuses[1]}`);
  }
  return row;
}
