/** What proves a user once starts one session, however many instances it is presented to at once. (Interface 20) */

import { codeAt } from '../../../test/support/independent/authenticator-app.js';
import { holdNew } from '../../../test/support/postgres/hold.js';
import type { Experiment, Row } from '../experiment.js';
import { type Answer, login } from '../lab/browser.js';
import {
  activateApp,
  addFactors,
  beginApp,
  type FactorUser,
  finishLogin,
  forgetSteps,
  logInByPasskey,
  mintHalfLogins,
  mintRecoveryCodes,
  type Proof,
  signInCeremony,
} from '../lab/factors.js';
import { prepareGateways } from '../lab/gateways.js';
import type { Lab } from '../lab/lab.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { poolOf } from '../lab/pool.js';
import { type Postgres, startPostgres } from '../lab/postgres.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const PRESENTATIONS = 8;
const RACES = { small: 40, full: 2_000 };
/** As many users, so that none is in two races */
const AT_ONCE = 20;
/** Logins by a password whose user adds a first factor meanwhile */
const HELD = { small: 3, full: 100 };

/** Presents to the instance of this number. */
type Present = (number: number) => Promise<Answer>;

interface Race {
  what: string;
  /** Makes everything that a race needs. */
  begin(user: FactorUser): Promise<Present>;
  /** What else must hold after it. @returns undefined if it does */
  broken?(user: FactorUser, answers: readonly Answer[]): Promise<string | undefined>;
}

export const factorRaces: Experiment = {
  name: 'factor-races',
  isAlone: true,
  mutants: [
    {
      name: 'a step is good again',
      file: 'src/auth/factors/sessions.ts',
      from: 'last_step is null or last_step < :step)',
      to: 'last_step is null or last_step <= :step)',
      foundBy: /^sessions by one code other than one/,
    },
    {
      name: 'a step is good again, in a batch',
      file: 'src/auth/factors/sessions.ts',
      from: 'and (step is null or last_step is null or last_step < step)',
      to: 'and (step is null or last_step is null or last_step <= step)',
      foundBy: /^sessions by one code other than one/,
    },
    {
      name: 'a recovery code stays',
      file: 'src/auth/factors/sessions.ts',
      from: `delete from recovery_codes using \${from} as proving
    where user_id = proving.id and code_sha256 = :code_sha256\`;`,
      to: `update recovery_codes set code_sha256 = :code_sha256 from \${from} as proving
    where user_id = proving.id and code_sha256 = :code_sha256\`;`,
      foundBy: /^sessions by one recovery code other than one/,
    },
    {
      name: 'a ceremony stays',
      file: 'src/auth/factors/rows.ts',
      from: `delete from ceremonies using relaxed
    where token_sha256 = :token_sha256 and purpose = 'passkey_login' and expires_at > :now
    returning token_sha256`,
      to: `select token_sha256 from ceremonies, relaxed
    where token_sha256 = :token_sha256 and purpose = 'passkey_login' and expires_at > :now`,
      foundBy: /^sessions by one passkey ceremony other than one/,
    },
    {
      name: 'a ceremony stays, in a batch',
      file: 'src/auth/factors/rows.ts',
      from: `delete from ceremonies using live where ceremonies.ctid = tuple_id
    returning live.*`,
      to: 'select * from live',
      foundBy: /^sessions by one passkey ceremony other than one/,
    },
    {
      name: 'a half login stays',
      file: 'src/auth/factors/sessions.ts',
      from: 'delete from ceremonies using half, used where',
      to: 'update ceremonies set purpose = purpose from half, used where',
      foundBy: /^sessions by one half login other than one/,
    },
    {
      name: 'a login by a password does not look for a factor that is new',
      file: 'src/auth/sessions.ts',
      from: "const NO_FACTOR = 'not has_factors';",
      to: "const NO_FACTOR = 'true';",
      foundBy: /^logins by a password alone after the first factor/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url);
    const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start()]);
    const urlOf = (number: number): string => instances[number % 3]?.url ?? '';
    const emails = await createUsers(gateways, db, AT_ONCE + HELD[size]);
    const users = await addFactors(gateways, db, emails.slice(0, AT_ONCE));
    const rows: Row[] = [];
    /** Races that a busy machine answered with 503 alone, and that were run again; one of them may have stored a session. */
    const overloads = { count: 0 };
    for (const race of racesOf(db, urlOf)) rows.push(await run(lab, race, users, RACES[size], overloads));
    const [{ stored } = { stored: 0 }] = await db.query<{ stored: number }>(
      'select count(*)::integer as stored from sessions',
    );
    const trials = rows.reduce((sum, row) => sum + row.trials, 0);
    return [
      ...rows,
      {
        what: 'sessions stored other than one a race',
        trials,
        least: trials,
        violations: Math.max(0, trials - stored, stored - trials - overloads.count),
        figures: { races_run_again_after_503: overloads.count },
      },
      await addFirstFactors(lab, db, urlOf, emails.slice(AT_ONCE)),
    ];
  },
};

async function run(
  lab: Lab,
  { what, begin, broken }: Race,
  users: readonly FactorUser[],
  trials: number,
  overloads: { count: number },
): Promise<Row> {
  const row: Row = {
    what: `sessions by one ${what} other than one`,
    trials,
    least: trials,
    violations: 0,
    examples: [],
  };
  const presentAtOnce = async (user: FactorUser): Promise<Answer[]> => {
    const present = await begin(user);
    const answers = await Promise.all(upTo(PRESENTATIONS).map(present));
    if (answers.some(({ status }) => status !== 503)) return answers;
    overloads.count += 1;
    return presentAtOnce(user);
  };
  const pool = poolOf(users);
  lab.say(`${trials} races of ${PRESENTATIONS} presentations of one ${what}`);
  await inLanes(upTo(trials), AT_ONCE, () =>
    pool.use(async (user) => {
      const answers = await presentAtOnce(user);
      const statuses = answers.map(({ status }) => status);
      const won = statuses.filter((status) => status === 200).length;
      const why = won === 1 ? await broken?.(user, answers) : `answered ${statuses}`;
      if (why === undefined) return;
      row.violations += 1;
      row.examples?.push(why);
    }),
  );
  return row;
}

function racesOf(db: Postgres, urlOf: (number: number) => string): Race[] {
  /** Each presentation has a half login of its own. */
  const apart = async (user: FactorUser, proof: Proof): Promise<Present> => {
    const challenges = await mintHalfLogins(db, user, PRESENTATIONS);
    return (number) => finishLogin(urlOf(number), challenges[number] ?? '', proof);
  };
  const newCode = async (user: FactorUser): Promise<string> => {
    await forgetSteps(db, user);
    return codeAt(user.secret, new Date());
  };
  return [
    { what: 'code', begin: async (user) => apart(user, { code: await newCode(user) }) },
    {
      what: 'recovery code',
      begin: async (user) => apart(user, { recovery_code: (await mintRecoveryCodes(db, user, 1))[0] }),
    },
    {
      what: 'passkey ceremony',
      begin: async (user) => {
        const proof = await signInCeremony(urlOf(0), user);
        return (number) => logInByPasskey(urlOf(number), proof);
      },
    },
    {
      what: 'half login',
      begin: async (user) => {
        const [challenge = ''] = await mintHalfLogins(db, user, 1);
        await db.query('delete from recovery_codes where user_id = $1', [user.id]);
        const recovery = await mintRecoveryCodes(db, user, PRESENTATIONS - 1);
        const proofs: Proof[] = [{ code: await newCode(user) }, ...recovery.map((code) => ({ recovery_code: code }))];
        return (number) => finishLogin(urlOf(number), challenge, proofs[number] ?? {});
      },
      // Each of the others was right too, and nothing came of it: so it is as good as before.
      broken: async ({ id }, answers) => {
        const [left] = await db.query<{ codes: number; step: number | null }>(
          `select count(*)::integer as codes, (select last_step from factors where user_id = $1 and kind = 'totp') as step
           from recovery_codes where user_id = $1`,
          [id],
        );
        const wonByApp = answers[0]?.status === 200;
        const isWhole = left?.codes === PRESENTATIONS - (wonByApp ? 1 : 2) && (left.step !== null) === wonByApp;
        return isWhole ? undefined : `${left?.codes} recovery codes and the step ${left?.step} are left`;
      },
    },
  ];
}

/** The first factor is there before the session of a login whose password was checked meanwhile. */
async function addFirstFactors(
  lab: Lab,
  db: Postgres,
  urlOf: (number: number) => string,
  emails: readonly string[],
): Promise<Row> {
  const what = 'logins by a password alone after the first factor was added';
  const row: Row = { what, trials: 0, least: emails.length, violations: 0, examples: [] };
  lab.say(`${emails.length} logins during which the user adds a first factor`);
  for (const email of emails) {
    const { body } = await login(urlOf(0), email, PASSWORD);
    const token = String(body['access_token']);
    const { body: app } = await beginApp(urlOf(0), token);
    await using hold = await holdNew('audit_events', { database: db, rows: db.query });
    const adding = activateApp(urlOf(0), token, String(app['id']), codeAt(String(app['secret']), new Date()));
    await hold.waiting(1);
    const entering = login(urlOf(1), email, PASSWORD);
    await hold.waiting(2);
    await hold.release();
    const [added, entered] = [await adding, await entering];
    row.trials += 1;
    if (added.status === 200 && entered.status === 401 && entered.body['reason'] === 'second_factor_required') continue;
    row.violations += 1;
    row.examples?.push(`the factor was answered ${added.status}, the login ${entered.status}`);
  }
  return row;
}
