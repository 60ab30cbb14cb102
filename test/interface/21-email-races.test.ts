/** Changes of e-mails, ways back and deletions that meet at two instances: one after the other, in either order. (Interface 21) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createUser } from '../../src/admin/user-changes.js';
import {
  beginChange,
  type Changed,
  deleteAccount,
  newAddress,
  redeemEmail,
  startUnmailed,
  undoEmail,
  withChangedEmail,
} from '../support/gateway/account.js';
import { type Answer, type Instance, logIn, PASSWORD, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer, signIn } from '../support/gateway/graphql.js';
import { ANOTHER, issueLink, redeem } from '../support/gateway/passwords.js';
import { login } from '../support/gateway/routes.js';
import { userRow } from '../support/gateway/rows.js';
import { holdNew } from '../support/postgres/hold.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
let one: Instance;
let two: Instance;
beforeAll(async () => {
  gateway = await startUnmailed({ instances: 2 });
  [one, two] = gateway.two();
});
afterAll(() => gateway.close());

const ROUNDS = 8;

/** Both at once, again and again; each is the first to be sent in half of the rounds. */
async function inRounds(round: (first: Instance, second: Instance) => Promise<void>): Promise<void> {
  for (let i = 0; i < ROUNDS; i += 1) await (i % 2 === 0 ? round(one, two) : round(two, one));
}

const WAITING_FOR_TURN = `select from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;

const came = ({ status, json }: Answer): string => (status < 300 ? String(status) : `${status} ${json.reason}`);
const ofUser = (table: string, id: string) => gateway.rows(`select from ${table} where user_id = $1`, [id]);

async function expectUndone({ user, former }: Changed): Promise<void> {
  expect(await userRow(gateway, user.id)).toMatchObject({ email: former, password_hash: null });
  for (const table of ['email_changes', 'email_undos'])
    expect([table, await ofUser(table, user.id)]).toEqual([table, []]);
  const live = await gateway.rows('select from refresh_tokens where user_id = $1 and not revoked', [user.id]);
  expect(live).toEqual([]);
}

test('Interface 21: of two uses of one link at once, one changes the e-mail', () =>
  inRounds(async (first, second) => {
    const person = await newcomer(gateway);
    const link = await beginChange(gateway, person);
    const answers = await Promise.all([first, second].map((on) => redeemEmail(on, person.accessToken, link)));
    expect(answers.map(came).sort()).toEqual(['200', '401 link_invalid']);
    expect(await ofUser('email_undos', person.user.id)).toHaveLength(1);
  }));

test('Interface 21: of two uses of one way back at once, one takes the change back', () =>
  inRounds(async (first, second) => {
    const person = await withChangedEmail(gateway);
    const answers = await Promise.all([first, second].map((on) => undoEmail(on, person.wayBack)));
    expect(answers.map(came).sort()).toEqual(['204', '401 link_invalid']);
    await expectUndone(person);
    const events = `select from audit_events where user_id = $1 and event_type = 'email_change_undone'`;
    expect(await gateway.rows(events, [person.user.id])).toHaveLength(1);
  }));

test('Interface 21: of two users who want one address at once, one gets it, and the link of the other stays', () =>
  inRounds(async (first, second) => {
    const [ada, bob] = [await newcomer(gateway), await newcomer(gateway)];
    const email = newAddress();
    const [ofAda, ofBob] = [await beginChange(gateway, ada, email), await beginChange(gateway, bob, email)];
    const answers = await Promise.all([
      redeemEmail(first, ada.accessToken, ofAda),
      redeemEmail(second, bob.accessToken, ofBob),
    ]);
    expect(answers.map(came).sort()).toEqual(['200', '409 email_taken']);
    expect(await gateway.rows('select from users where email = $1', [email])).toHaveLength(1);
    const loser = answers[0]?.status === 409 ? ada : bob;
    expect(await ofUser('email_changes', loser.user.id)).toHaveLength(1);
  }));

test('Interface 21: of a change and the creation of a user at once, one gets the address', () =>
  inRounds(async (first, second) => {
    const person = await newcomer(gateway);
    const email = newAddress();
    const link = await beginChange(gateway, person, email);
    const created = createUser(second.app, COMMAND_LINE, { email, password: PASSWORD, role: 'viewer' }).then(
      () => '200',
      (error: { reason?: string }) => `409 ${error.reason}`,
    );
    const answer = await redeemEmail(first, person.accessToken, link);
    expect([came(answer), await created].sort()).toEqual(['200', '409 email_taken']);
  }));

test('Interface 21: whichever is first, the next change or the way back, the former address has the account in the end', () =>
  inRounds(async (first, second) => {
    const person = await withChangedEmail(gateway);
    const next = await beginChange(gateway, person);
    const [undone, redeemed] =
      first === one
        ? await Promise.all([undoEmail(first, person.wayBack), redeemEmail(second, person.accessToken, next)])
        : (
            await Promise.all([redeemEmail(first, person.accessToken, next), undoEmail(second, person.wayBack)])
          ).reverse();
    expect(undone?.status).toBe(204);
    expect(['200', '401 invalid_token']).toContain(redeemed && came(redeemed));
    await expectUndone(person);
  }));

test('Interface 21: a change and a way back that wait for their turn hold no connection of logins', async () => {
  const [person, changed] = [await newcomer(gateway), await withChangedEmail(gateway)];
  const link = await beginChange(gateway, person);
  const { pool } = one.app.db;
  let waiting: Array<Promise<Answer>> = [];
  await one.app.db.change(async () => {
    waiting = [redeemEmail(one, person.accessToken, link), undoEmail(one, changed.wayBack)];
    await until('both wait', async () => (await gateway.rows(WAITING_FOR_TURN)).length === 2);
    await until('the connections of logins are free', () => pool.idleCount === pool.totalCount);
    expect((await login(one, person.user.email)).status).toBe(200);
  });
  expect((await Promise.all(waiting)).map(came)).toEqual(['200', '204']);
});

test('Interface 21: a way back that waits for a change in the middle takes that back too', async () => {
  const person = await withChangedEmail(gateway);
  const next = await beginChange(gateway, person);
  await using hold = await holdNew('email_undos', gateway);
  const redeemed = redeemEmail(one, person.accessToken, next);
  await hold.waiting(1);
  const undone = undoEmail(two, person.wayBack);
  await hold.waiting(2);
  await hold.release();
  expect([came(await redeemed), came(await undone)]).toEqual(['200', '204']);
  await expectUndone(person);
});

test('Interface 21: a login that meets the way back has no session in the end', () =>
  inRounds(async (first, second) => {
    const person = await withChangedEmail(gateway);
    const [undone, loggedIn] = await Promise.all([undoEmail(first, person.wayBack), login(second, person.email)]);
    expect([came(undone), [200, 401].includes(loggedIn.status)]).toEqual(['204', true]);
    await expectUndone(person);
  }));

test('Interface 21: a change and a new password at once: the link is used before, or is dead', () =>
  inRounds(async (first, second) => {
    const person = await newcomer(gateway);
    const link = await beginChange(gateway, person);
    const passwordLink = await issueLink(gateway, person.user.id);
    const [changed, chosen] = await Promise.all([
      redeemEmail(first, person.accessToken, link),
      redeem(second, passwordLink, ANOTHER),
    ]);
    const outcomes = [came(changed), came(chosen)];
    expect([
      ['200', '401 link_invalid'], // which went to the old address
      ['200', '204'],
      ['401 invalid_token', '204'],
      ['401 link_invalid', '204'],
    ]).toContainEqual(outcomes);
    const { email } = await userRow(gateway, person.user.id);
    expect(email === person.user.email).toBe(changed.status !== 200);
    await logIn(gateway, email, chosen.status === 204 ? ANOTHER : PASSWORD);
  }));

test('Interface 21: of two administrators who delete themselves at once, one stays', () =>
  inRounds(async (first, second) => {
    await gateway.rows(`update users set role = 'viewer'`);
    const [ada, bob] = [await newcomer(gateway, 'admin'), await newcomer(gateway, 'admin')];
    const answers = await Promise.all([deleteAccount(first, ada.accessToken), deleteAccount(second, bob.accessToken)]);
    expect(answers.map(came).sort()).toEqual(['204', '409 last_administrator']);
    expect(await gateway.rows(`select from users where role = 'admin'`)).toHaveLength(1);
  }));

test('Interface 21: a deletion that meets a login, a change or a way back leaves nothing behind', () =>
  inRounds(async (first, second) => {
    const person = await withChangedEmail(gateway);
    const session = await signIn(gateway, { ...person.user, email: person.email });
    const next = await beginChange(gateway, person);
    const [deleted] = await Promise.all([
      deleteAccount(first, session.accessToken),
      login(second, person.email),
      redeemEmail(second, person.accessToken, next),
      undoEmail(second, person.wayBack),
    ]);
    if (deleted.status !== 204) return expect(came(deleted)).toBe('401 invalid_token'); // the way back was first
    for (const table of ['email_changes', 'email_undos'])
      expect([table, await ofUser(table, person.user.id)]).toEqual([table, []]);
    expect(
      await gateway.rows('select from refresh_tokens where user_id = $1 and not revoked', [person.user.id]),
    ).toEqual([]);
  }));
