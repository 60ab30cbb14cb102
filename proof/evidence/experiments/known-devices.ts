/** Strangers lock an account, over three instances, while its owner logs in from a known device. (Interface 16) */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment, Row } from '../experiment.js';
import { from, TRUSTED } from '../lab/addresses.js';
import { type Answer, login } from '../lab/browser.js';
import { type Instance, prepareGateways } from '../lab/gateways.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { startPostgres } from '../lab/postgres.js';
import { percentile } from '../lab/stats.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const THRESHOLD = 5;
const OWNERS_LOGINS = { small: 25, full: 1_000 };
/** Each has a device that guesses */
const USERS = { small: 2, full: 40 };
/** Addresses that guess in turn, without a pause */
const STRANGERS = 500;
/** Guesses of strangers, and logins of the owner, under way at any moment */
const AT_ONCE = { guesses: 48, logins: 6 };
const FROM_ONE_DEVICE = 40;
/** Longer than the experiment */
const LOCKOUT_SECONDS = 86_400;

/** Before a 503 is asked again */
const PAUSE_MS = 50;

interface Entered extends Answer {
  /** Number of 503 before this answer */
  overloads: number;
}

/**
 * Logs in at the instance, and from the address, of this number. A 503 is asked again, since it neither checks nor counts
 * the password.
 */
type Enter = (number: number, email: string, password: string, device?: string) => Promise<Entered>;

export const knownDevices: Experiment = {
  name: 'known-devices',
  isAlone: true,
  mutants: [
    {
      name: `the account's lock refuses known devices too`,
      file: 'src/auth/known-devices.ts',
      from: `locked_until: device_locked_until,
    device:`,
      to: `locked_until: device_locked_until ?? user.locked_until,
    device:`,
      foundBy: /^logins of the owner refused/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url, {
      ...TRUSTED,
      KNOWN_DEVICES: 'on',
      LOGIN_MAX_FAILURES: String(THRESHOLD),
      LOGIN_LOCKOUT_SECONDS: String(LOCKOUT_SECONDS),
    });
    const enter = entering(await Promise.all([gateways.start(), gateways.start(), gateways.start()]));
    const [attacked = '', ...users] = await createUsers(gateways, db, 1 + USERS[size]);
    lab.say(`${OWNERS_LOGINS[size]} logins of an owner while ${STRANGERS} addresses guess`);
    const rows = await attack(enter, attacked, OWNERS_LOGINS[size]);
    lab.say(`${FROM_ONE_DEVICE} guesses at once from a device of each of ${users.length} users`);
    return [...rows, ...(await guessFromDevices(enter, users))];
  },
};

function entering(instances: readonly Instance[]): Enter {
  return async (number, email, password, device) => {
    const headers = { ...from(number), ...(device === undefined ? {} : { cookie: `device=${device}` }) };
    const url = instances[number % instances.length]?.url ?? '';
    for (let overloads = 0; ; overloads += 1) {
      const answer = await login(url, email, password, headers);
      if (answer.status !== 503) return { ...answer, overloads };
      await sleep(PAUSE_MS);
    }
  };
}

/** @throws if the login fails */
async function newDevice(enter: Enter, email: string): Promise<string> {
  const { device, status } = await enter(STRANGERS, email, PASSWORD);
  if (device === undefined) throw new Error(`a login for a device was answered ${status}`);
  return device;
}

/** Strangers guess until the owner has logged in so many times, with the newest cookie each time. */
async function attack(enter: Enter, email: string, logins: number): Promise<Row[]> {
  let device = await newDevice(enter, email);
  let isOver = false;
  const guesses: Record<number, number> = {};
  const strangers = inLanes(
    numbersUntil(() => isOver),
    AT_ONCE.guesses,
    async (number) => {
      const { status } = await enter(number % STRANGERS, email, `guess ${number}`);
      guesses[status] = (guesses[status] ?? 0) + 1;
    },
  );

  const refused: Row = {
    what: 'logins of the owner refused',
    trials: logins,
    least: logins,
    violations: 0,
    examples: [],
  };
  const tookMs: number[] = [];
  let overloads = 0;
  await inLanes(upTo(logins), AT_ONCE.logins, async (number) => {
    const answer = await enter(number, email, PASSWORD, device);
    tookMs.push(answer.ms);
    overloads += answer.overloads;
    if (answer.status !== 200) {
      refused.violations += 1;
      refused.examples?.push(`login ${number} was answered ${answer.status}`);
    }
    device = answer.device ?? device;
  });
  isOver = true;
  await strangers;
  refused.figures = { median_ms: percentile(tookMs, 0.5), asked_again_after_503: overloads };

  const { 401: answered = 0, 429: locked = 0 } = guesses;
  const trials = Object.values(guesses).reduce((sum, count) => sum + count, 0);
  const past: Row = {
    what: 'guesses of strangers answered past five',
    trials,
    least: logins,
    // Fewer than the threshold would be wrong too: then something else has locked the account.
    violations: Math.abs(answered - THRESHOLD) + trials - answered - locked,
    examples: [JSON.stringify(guesses)],
  };
  return [refused, past];
}

function* numbersUntil(isOver: () => boolean): Generator<number> {
  for (let number = 0; !isOver(); number += 1) yield number;
}

/** Each user has two devices, of which the first guesses. */
async function guessFromDevices(enter: Enter, emails: readonly string[]): Promise<Row[]> {
  const row = (what: string, least: number): Row => ({ what, trials: 0, least, violations: 0, examples: [] });
  const past = row('guesses at once from one device past five', emails.length * FROM_ONE_DEVICE);
  const inside = row('right passwords let in from it afterwards', emails.length);
  const outside = row('right passwords refused elsewhere afterwards', 2 * emails.length);
  const count = (row: Row, isViolated: boolean, example: string): void => {
    row.trials += 1;
    if (isViolated) row.violations += 1;
    if (isViolated) row.examples?.push(example);
  };
  for (const email of emails) {
    const [guessing, other] = [await newDevice(enter, email), await newDevice(enter, email)];
    const answers = await Promise.all(
      upTo(FROM_ONE_DEVICE).map((number) => enter(number, email, `guess ${number}`, guessing)),
    );
    const statuses = answers.map(({ status }) => status);
    const answered = statuses.filter((status) => status === 401).length;
    past.trials += statuses.length;
    past.violations +=
      Math.abs(answered - THRESHOLD) + statuses.filter((status) => ![401, 429].includes(status)).length;
    if (answered !== THRESHOLD) past.examples?.push(statuses.join());

    const again = await enter(0, email, PASSWORD, guessing);
    count(inside, again.status !== 429, `the device that guessed was answered ${again.status}`);
    const byOther = await enter(1, email, PASSWORD, other);
    count(outside, byOther.status !== 200, `the other device was answered ${byOther.status}`);
    const byStranger = await enter(2, email, PASSWORD);
    count(outside, byStranger.status !== 200, `a login without a cookie was answered ${byStranger.status}`);
  }
  return [past, inside, outside];
}
