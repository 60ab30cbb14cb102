/** Changes of e-mails, ways back and deletions meet at three instances. (Interface 21) */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { holdNew } from '../../../test/support/postgres/hold.js';
import type { Experiment, Row } from '../experiment.js';
import {
  ACCOUNT_ENV,
  type AccountState,
  type Accounts,
  deleteAccount,
  type Owner,
  openAccounts,
  redeemEmail,
  requestEmail,
  undoEmail,
} from '../lab/accounts.js';
import { type Again, againAfter503 } from '../lab/again.js';
import { type Answer, login, refresh } from '../lab/browser.js';
import { prepareGateways } from '../lab/gateways.js';
import type { Lab } from '../lab/lab.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { redeem } from '../lab/passwords.js';
import { type Postgres, startPostgres } from '../lab/postgres.js';
import { PASSWORD } from '../lab/users.js';

const RACES = { small: 40, full: 600 };
/** Changes of two users to one address, of which the first waits for its commit */
const HELD = { small: 3, full: 60 };
const AT_ONCE = 12;
/** What the newest of two durations counts in their mean */
const NEWEST_SHARE = 0.1;
/** Of a request that hashes a password, until it is known: milliseconds */
const HASH_MS = 60;

interface Stand {
  db: Postgres;
  accounts: Accounts;
  again: Again;
  urlOf(number: number): string;
}

interface Race {
  what: string;
  /** Owners of one race are in no other. @returns undefined, or what was wrong */
  run(number: number): Promise<string | undefined>;
  /** The races follow each other. */
  isAlone?: true;
}

const NOBODY = '00000000-0000-0000-0000-000000000000';
const rows = 'src/auth/email/rows.ts';
const change = 'src/auth/email/change.ts';
const removal = 'src/admin/user-changes.ts';

export const accountRaces: Experiment = {
  name: 'account-races',
  isAlone: true,
  mutants: [
    {
      name: 'a reserved address is free',
      file: rows,
      from: `\n        or \${isReserved('email_changes.email', ':user_id', ':now')} as is_taken`,
      to: ' as is_taken',
      foundBy: /^addresses with two owners/,
    },
    {
      name: 'a link of a change is still there',
      file: rows,
      from: 'used as (\n    delete from email_changes using free where user_id = :user_id',
      to: 'used as (\n    select from free',
      foundBy: /^links that work other than once/,
    },
    {
      name: 'a way back is still there',
      file: rows,
      from: 'delete from email_undos using free where user_id = :user_id and email_undos.id >= free.id',
      to: 'select from free',
      foundBy: /^links that work other than once/,
    },
    {
      name: 'the way back leaves sessions',
      file: change,
      from: "revokeAll(tx, { userId }, 'email_change_undone', now)",
      to: `revokeAll(tx, { userId: '${NOBODY}' }, 'email_change_undone', now)`,
      foundBy: /^undone changes that stand/,
    },
    {
      name: 'a change does not wait for its turn',
      file: change,
      from: '{ fresh: false, inTurn: true }',
      to: '{ fresh: false }',
      foundBy: /^changes to one address answered wrongly/,
    },
    {
      name: 'a deletion leaves sessions',
      file: removal,
      from: "revokeAll(db, { userId: id }, 'user_deleted', now)",
      to: `revokeAll(db, { userId: '${NOBODY}' }, 'user_deleted', now)`,
      foundBy: /^sessions that live after a deletion/,
    },
    {
      name: 'the last administrator may leave',
      file: removal,
      from: 'await requireAnotherAdministrator(change, user);\n  const ended',
      to: 'const ended',
      foundBy: /^no administrator left/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url, ACCOUNT_ENV);
    const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start()]);
    const urlOf = (number: number): string => instances[number % 3]?.url ?? '';
    const again = againAfter503();
    const stand = { db, again, urlOf, accounts: await openAccounts(gateways, db, urlOf(0)) };
    const results: Row[] = [];
    for (const race of racesOf(stand)) results.push(await run(lab, race, RACES[size]));
    results.push(await changeDuringAnother(lab, stand, HELD[size]));
    return results.map((row, index) =>
      index > 0 ? row : { ...row, figures: { asked_again_after_503: again.overloads() } },
    );
  },
};

async function run(lab: Lab, race: Race, trials: number): Promise<Row> {
  const row: Row = { what: race.what, trials, least: trials, violations: 0, examples: [] };
  lab.say(`${trials} races: ${race.what}`);
  await inLanes(upTo(trials), race.isAlone ? 1 : AT_ONCE, async (number) => {
    const why = await race.run(number);
    if (why === undefined) return;
    row.violations += 1;
    row.examples?.push(why);
  });
  return row;
}

function racesOf(stand: Stand): Race[] {
  return [
    { what: 'links that work other than once', run: (number) => presentTwice(stand, number) },
    { what: 'undone changes that stand, or leave a session', run: (number) => redeemAndUndo(stand, number) },
    { what: 'two changes of one user that both stand', run: (number) => changeTwice(stand, number) },
    { what: 'a change and a new password by older links of one user', run: changeAndReset(stand) },
    { what: 'addresses with two owners, or taken from who had them', run: (number) => shareAddress(stand, number) },
    { what: 'sessions that live after a deletion', run: deleteAndLogIn(stand) },
    { what: 'no administrator left', run: deleteAdministrators(stand), isAlone: true },
  ];
}

/** Sends all at once, and every second time the last first. @returns their statuses, in the order of the requests */
async function atOnce(
  { again }: Stand,
  number: number,
  requests: ReadonlyArray<() => Promise<Answer>>,
): Promise<number[]> {
  const order = number % 2 === 0 ? requests : requests.toReversed();
  const answers = await Promise.all(order.map((request) => again.answerOf(request)));
  const statuses = answers.map(({ status }) => status);
  return number % 2 === 0 ? statuses : statuses.reverse();
}

/** @returns undefined if the statuses are among these, and the state is this; otherwise both */
function judged(statuses: readonly number[], right: string[], state: unknown, rightState: unknown): string | undefined {
  const isRight = right.includes(statuses.join()) && isDeepStrictEqual(state, rightState);
  return isRight ? undefined : `${statuses} and ${JSON.stringify(state)}`;
}

const stateWith = (email: string, more: Partial<AccountState> = {}): AccountState => ({
  ...{ email, sessions: 1, pending: null, undos: [], link: false },
  ...more,
});

/** The address is the former one, and everything has ended. */
const undoneTo = (email: string): AccountState => stateWith(email, { sessions: 0 });

async function presentTwice(stand: Stand, number: number): Promise<string | undefined> {
  const { accounts, urlOf } = stand;
  const [wants, had] = [`wanted${number}@example.com`, `former${number}@example.com`];
  const owner = await accounts.add({ wants, had });
  const changes = await atOnce(
    stand,
    number,
    upTo(3).map((i) => () => redeemEmail(urlOf(i), owner)),
  );
  const changed = await accounts.stateOf(owner);
  const undos = await atOnce(
    stand,
    number,
    upTo(3).map((i) => () => undoEmail(urlOf(i), owner.undoToken)),
  );
  return (
    judged(changes.toSorted(), ['200,401,401'], changed, stateWith(wants, { undos: [had, owner.email] })) ??
    judged(undos.toSorted(), ['204,401,401'], await accounts.stateOf(owner), undoneTo(had))
  );
}

/** A way back next to a later change and to a rotation of the session. */
async function redeemAndUndo(stand: Stand, number: number): Promise<string | undefined> {
  const { accounts, urlOf } = stand;
  const had = `before${number}@example.com`;
  const owner = await accounts.add({ wants: `after${number}@example.com`, had });
  const statuses = await atOnce(stand, number, [
    () => redeemEmail(urlOf(0), owner),
    () => undoEmail(urlOf(1), owner.undoToken),
    () => refresh(urlOf(2), owner.refreshToken),
  ]);
  const right = ['200,204,200', '401,204,200', '200,204,401', '401,204,401'];
  return judged(statuses, right, await accounts.stateOf(owner), undoneTo(had));
}

/** Two new changes next to the link of an older one. */
async function changeTwice(stand: Stand, number: number): Promise<string | undefined> {
  const { accounts, urlOf } = stand;
  const [older, ...newer] = [`older${number}@example.com`, `new${number}@example.com`, `newer${number}@example.com`];
  const owner = await accounts.add({ wants: older });
  const statuses = await atOnce(stand, number, [
    () => requestEmail(urlOf(0), owner, newer[0] ?? ''),
    () => redeemEmail(urlOf(1), owner),
    () => requestEmail(urlOf(2), owner, newer[1] ?? ''),
  ]);
  const state = await accounts.stateOf(owner);
  const isChanged = statuses[1] === 200;
  const [email, undos] = isChanged ? [older, [owner.email]] : [owner.email, []];
  const pending = newer.find((wanted) => wanted === state?.pending) ?? 'one of the two';
  const wrong = judged(statuses, ['202,200,202', '202,401,202'], state, stateWith(email, { undos, pending }));
  if (wrong !== undefined) return wrong;

  const token = await accounts.openChange(owner);
  const used = await atOnce(stand, number, [
    () => redeemEmail(urlOf(1), owner),
    () => redeemEmail(urlOf(0), owner, token),
    () => redeemEmail(urlOf(2), owner, token),
  ]);
  const changed = stateWith(pending, { undos: [...undos, email] });
  const wrongUse = judged(used, ['401,200,401', '401,401,200'], await accounts.stateOf(owner), changed);
  if (wrongUse !== undefined) return wrongUse;
  const undone = await atOnce(stand, number, [
    async () => undoEmail(urlOf(2), await accounts.openUndo(owner, owner.email)),
  ]);
  return judged(undone, ['204'], await accounts.stateOf(owner), undoneTo(owner.email));
}

/** At any moment of a request that hashes a password. */
function momentOfHash(): { wait(): Promise<void>; took(answer: Answer): Answer } {
  let takesMs = HASH_MS;
  return {
    wait: () => sleep(Math.random() * takesMs),
    took: (answer) => {
      takesMs += (answer.ms - takesMs) * NEWEST_SHARE;
      return answer;
    },
  };
}

function changeAndReset(stand: Stand): Race['run'] {
  const { accounts, again, urlOf } = stand;
  const moment = momentOfHash();
  return async (number) => {
    const wants = `kept${number}@example.com`;
    const owner = await accounts.add({ wants, forgot: true });
    const statuses = await atOnce(stand, number, [
      () => moment.wait().then(() => redeemEmail(urlOf(number), owner)),
      () => redeem(urlOf(number + 1), owner.resetToken, `a new ${PASSWORD}`).then(moment.took),
    ]);
    const isChanged = statuses[0] === 200;
    const state = await accounts.stateOf(owner);
    const right = isChanged
      ? stateWith(wants, { undos: [owner.email] })
      : stateWith(owner.email, { sessions: 0, pending: wants });
    const wrong = judged(statuses, ['200,401', '401,204'], state, right);
    if (wrong !== undefined || isChanged) return wrong;
    const accessToken = await accounts.logIn(owner);
    const { status } = await again.answerOf(() => redeemEmail(urlOf(number + 2), { ...owner, accessToken }));
    return status === 401 ? undefined : `the link of the change was answered ${status} after a reset`;
  };
}

async function shareAddress(stand: Stand, number: number): Promise<string | undefined> {
  const { accounts, urlOf } = stand;
  const wants = `shared${number}@example.com`;
  const [one, two] = [await accounts.add({ wants }), await accounts.add({ wants })];
  const both = await atOnce(stand, number, [() => redeemEmail(urlOf(0), one), () => redeemEmail(urlOf(1), two)]);
  const [winner, loser] = both[0] === 200 ? [one, two] : [two, one];
  const states = [await accounts.stateOf(winner), await accounts.stateOf(loser)];
  const rightStates = [stateWith(wants, { undos: [winner.email] }), stateWith(loser.email, { pending: wants })];
  const wrong = judged(both, ['200,409', '409,200'], states, rightStates);
  if (wrong !== undefined) return wrong;

  // Who wants the address of another, while they leave it and while they come back to it.
  const other = await accounts.add({ wants: winner.email });
  const leaver = await accounts.add({ wants: `left${number}@example.com` });
  const heir = await accounts.add({ wants: leaver.email });
  const left = await atOnce(stand, number, [() => redeemEmail(urlOf(0), leaver), () => redeemEmail(urlOf(1), heir)]);
  const tokens = [await accounts.openUndo(winner, winner.email), await accounts.openUndo(leaver, leaver.email)];
  const back = await atOnce(stand, number, [
    () => undoEmail(urlOf(0), tokens[0] ?? ''),
    () => redeemEmail(urlOf(1), other),
    () => redeemEmail(urlOf(2), heir),
    () => undoEmail(urlOf(1), tokens[1] ?? ''),
  ]);
  const ends = [await accounts.stateOf(winner), await accounts.stateOf(leaver)];
  return (
    judged(left, ['200,409'], undefined, undefined) ??
    judged(back, ['204,409,409,204'], ends, [undoneTo(winner.email), undoneTo(leaver.email)])
  );
}

function deleteAndLogIn(stand: Stand): Race['run'] {
  const { accounts, db, urlOf } = stand;
  const moment = momentOfHash();
  return async (number) => {
    const owner = await accounts.add();
    const statuses = await atOnce(stand, number, [
      () => moment.wait().then(() => deleteAccount(urlOf(number), owner)),
      () => login(urlOf(number + 1), owner.email, PASSWORD).then(moment.took),
    ]);
    const left = await db.query('select from refresh_tokens where user_id = $1 and not revoked', [owner.id]);
    const state = [left.length, await accounts.stateOf(owner)];
    return judged(statuses, ['204,200', '204,401'], state, [0, undefined]);
  };
}

function deleteAdministrators(stand: Stand): Race['run'] {
  const { accounts, db, urlOf } = stand;
  let left: Owner[] = [];
  return async (number) => {
    const [one, two] = [left[0] ?? (await accounts.add({ role: 'admin' })), await accounts.add({ role: 'admin' })];
    const statuses = await atOnce(stand, number, [
      () => deleteAccount(urlOf(number), one),
      () => deleteAccount(urlOf(number + 1), two),
    ]);
    const ids = (await db.query<{ id: string }>(`select id from users where role = 'admin'`)).map(({ id }) => id);
    left = [one, two].filter(({ id }) => ids.includes(id));
    return judged(statuses, ['204,409', '409,204'], ids.length, 1);
  };
}

/** Two users want one address, and the change of the first waits for its commit. */
async function changeDuringAnother(lab: Lab, { db, accounts, urlOf }: Stand, trials: number): Promise<Row> {
  const what = 'changes to one address answered wrongly while the first waits for its commit';
  const row: Row = { what, trials: 0, least: trials, violations: 0, examples: [] };
  lab.say(`${trials} changes while another to the same address waits for its commit`);
  for (const number of upTo(trials)) {
    const wants = `held${number}@example.com`;
    const [first, second] = [await accounts.add({ wants }), await accounts.add({ wants })];
    await using hold = await holdNew('audit_events', { database: db, rows: db.query });
    const changing = redeemEmail(urlOf(0), first);
    await hold.waiting(1);
    const waiting = redeemEmail(urlOf(1), second);
    await hold.waiting(2);
    await hold.release();
    const statuses = [(await changing).status, (await waiting).status];
    row.trials += 1;
    const wrong = judged(statuses, ['200,409'], (await accounts.stateOf(second))?.email, second.email);
    if (wrong === undefined) continue;
    row.violations += 1;
    row.examples?.push(wrong);
  }
  return row;
}
