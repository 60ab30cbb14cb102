/**
 * The lock of an account over three instances: guesses beyond the threshold, and right passwords while the lock begins,
 * holds, or is absent. (Spec 3.2)
 */
import { holdNew } from '../../../test/support/postgres/hold.js';
import type { Experiment, Row } from '../experiment.js';
import { from, TRUSTED } from '../lab/addresses.js';
import { againAfter503 } from '../lab/again.js';
import { login } from '../lab/browser.js';
import { prepareGateways } from '../lab/gateways.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { type Postgres, startPostgres } from '../lab/postgres.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const THRESHOLD = 5;
const USERS = { small: 1, full: 16 };
/** For each user, each from an address of its own */
const GUESSES = 500;
/** Of them: so many are checked at once before the lock exists */
const AT_ONCE = 48;
const RIGHT_WHILE_LOCKED = 12;
const RIGHT_AT_ONCE = 24;
/** Users whose right password is checked next to the guess that locks them, half of them before it */
const FALLS = { small: 16, full: 400 };

/** Logs in at the instance, and from the address, of this number. @returns the status */
type Enter = (number: number, email: string, password: string) => Promise<number>;

export const lockout: Experiment = {
  name: 'lockout',
  isAlone: true,
  mutants: [
    {
      name: 'a right password is let in after the lock fell',
      file: 'src/auth/sessions.ts',
      from: "const NOT_LOCKED = '(locked_until is null or locked_until <= :now)';",
      to: "const NOT_LOCKED = '(locked_until is null or locked_until > :now or locked_until <= :now)';",
      foundBy: /^right passwords let in after the lock fell/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url, { ...TRUSTED, LOGIN_MAX_FAILURES: String(THRESHOLD) });
    const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start()]);
    const emails = await createUsers(gateways, db, 2 * USERS[size] + FALLS[size]);
    const [guessed, honest] = [emails.slice(0, USERS[size]), emails.slice(USERS[size], 2 * USERS[size])];
    const again = againAfter503();
    const enter: Enter = async (number, email, password) => {
      const url = instances[number % 3]?.url ?? '';
      return (await again.answerOf(() => login(url, email, password, from(number)))).status;
    };

    const rows = [
      ...(await guess(enter, guessed)),
      await guessNextTo(enter, db, emails.slice(2 * USERS[size])),
      await enterAtOnce(enter, honest),
    ];
    return rows.map((row, i) => (i === 0 ? { ...row, figures: { asked_again_after_503: again.overloads() } } : row));
  },
};

function rowOf(what: string, least: number): Row {
  return { what, trials: 0, least, violations: 0, examples: [] };
}

async function guess(enter: Enter, emails: readonly string[]): Promise<Row[]> {
  const past = rowOf('guesses answered past the threshold', emails.length * GUESSES);
  const locked = rowOf('right passwords let in while locked', emails.length * RIGHT_WHILE_LOCKED);
  for (const email of emails) {
    const statuses: number[] = [];
    await inLanes(upTo(GUESSES), AT_ONCE, async (number) => {
      statuses.push(await enter(number, email, `guess ${number}`));
    });
    const [answered = 0, refused = 0] = [401, 429].map((status) => statuses.filter((each) => each === status).length);
    past.trials += statuses.length;
    // Fewer than the threshold would be wrong too: nobody is locked before it.
    const wrong = Math.abs(answered - THRESHOLD) + statuses.length - answered - refused;
    past.violations += wrong;
    if (wrong > 0) past.examples?.push(`${answered} times 401, ${refused} times 429 of ${statuses.length}`);
    const right = await Promise.all(upTo(RIGHT_WHILE_LOCKED).map((number) => enter(number, email, PASSWORD)));
    locked.trials += right.length;
    locked.violations += right.filter((status) => status !== 429).length;
  }
  return [past, locked];
}

/**
 * The guess that locks and the right password have both been checked when the first of them commits, at two instances. It
 * decides: the lock refuses the login, or the login resets the failures, of which the guess is then the first.
 */
async function guessNextTo(enter: Enter, db: Postgres, emails: readonly string[]): Promise<Row> {
  const row = rowOf('right passwords let in after the lock fell', emails.length);
  await inLanes([...emails.entries()], 1, async ([i, email]) => {
    await Promise.all(upTo(THRESHOLD - 1).map((number) => enter(number, email, `guess ${number}`)));
    const isGuessFirst = i % 2 === 0;
    await using hold = await holdNew('audit_events', { database: db, rows: db.query });
    const first = isGuessFirst ? enter(0, email, 'the last guess') : enter(1, email, PASSWORD);
    await hold.waiting(1);
    const second = isGuessFirst ? enter(1, email, PASSWORD) : enter(0, email, 'the last guess');
    await hold.waiting(2);
    await hold.release();
    const statuses = [await first, await second].join();
    const [user] = await db.query<{ failures: number; locked: boolean }>(
      'select failed_login_attempts as failures, locked_until > now() as locked from users where email = $1',
      [email],
    );
    row.trials += 1;
    if (isGuessFirst && statuses === '401,429' && user?.locked === true) return;
    if (!isGuessFirst && statuses === '200,401' && user?.failures === 1 && !user.locked) return;
    row.violations += 1;
    row.examples?.push(
      `${isGuessFirst ? 'guess, right' : 'right, guess'}: ${statuses}; ${user?.failures} failures, locked: ${user?.locked}`,
    );
  });
  return row;
}

async function enterAtOnce(enter: Enter, emails: readonly string[]): Promise<Row> {
  const row = rowOf('right passwords refused beside each other', emails.length * RIGHT_AT_ONCE);
  for (const email of emails) {
    const statuses = await Promise.all(upTo(RIGHT_AT_ONCE).map((number) => enter(number, email, PASSWORD)));
    row.trials += statuses.length;
    row.violations += statuses.filter((status) => status !== 200).length;
    if (statuses.some((status) => status !== 200)) row.examples?.push(statuses.join());
  }
  return row;
}
