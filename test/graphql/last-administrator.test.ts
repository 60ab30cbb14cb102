/** Who can change administrators; the last one who can log in stays, also in concurrent requests. (Interface 11) */
import fc from 'fast-check';
import type { ListedUser } from '../../src/admin/users.js';
import { runHere } from '../support/gateway/cli.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newApiKey, newCronKey, newcomer, type SignedIn, signIn } from '../support/gateway/graphql.js';
import { issueLink, redeem } from '../support/gateway/passwords.js';
import { auditDuring, userRow, wholeState } from '../support/gateway/rows.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ instances: 2 });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.rows('delete from users'));

const DEMOTE = 'mutation ($id: ID!) { done: setUserRole(input: { id: $id, role: analyst }) { user { id } } }';
const DEACTIVATE = 'mutation ($id: ID!) { done: setUserActive(input: { id: $id, isActive: false }) { user { id } } }';
const ACTIVATE = 'mutation ($id: ID!) { done: setUserActive(input: { id: $id, isActive: true }) { user { id } } }';
const DELETE = 'mutation ($id: ID!) { done: deleteUser(input: { id: $id }) { deletedId } }';
const ERASE = 'mutation ($id: ID!) { done: eraseUser(input: { id: $id }) { pseudonym } }';
const PROMOTE = 'mutation ($id: ID!) { done: setUserRole(input: { id: $id, role: admin }) { user { id } } }';
const CREATE = `mutation {
  done: createUser(input: { email: "a@example.com", password: "fifteen letters", role: admin }) { user { id } }
}`;
const UNLOCK = 'mutation ($id: ID!) { done: unlockUser(input: { id: $id }) { user { id } } }';
const SET_PASSWORD = `mutation ($id: ID!) {
  done: setUserPassword(input: { id: $id, password: "fifteen letters" }) { user { id } }
}`;

async function lastAdmin(): Promise<SignedIn> {
  const admin = await newcomer(gateway, 'admin');
  await administrator('deactivated');
  await administrator('invited');
  await gateway.user({ role: 'analyst' });
  return admin;
}

test.each([
  ['demote', DEMOTE],
  ['deactivate', DEACTIVATE],
  ['delete', DELETE],
  ['erase', ERASE],
])('Interface 11: refuses to %s the last administrator who can log in', async (_what, text) => {
  const { as, user } = await lastAdmin();
  const before = await wholeState(gateway);
  const answer = await ask(gateway, as, text, { id: user.id });
  expect(answer).toMatchObject({ status: 200, code: 'CONFLICT', reason: 'last_administrator' });
  expect(await wholeState(gateway)).toEqual(before);
});

const STATES = ['with password', 'invited', 'deactivated'] as const;
type State = (typeof STATES)[number];

/** The deactivated one has a password. */
async function administrator(state: State): Promise<string> {
  const { id } = await gateway.user({ role: 'admin', ...(state === 'invited' ? { password: null } : {}) });
  await gateway.rows('update users set is_active = $2 where id = $1', [id, state !== 'deactivated']);
  return id;
}

/** Every state of one administrator with every state of up to two others. */
const FEW: State[][] = [[], ...STATES.map((one) => [one]), ...STATES.flatMap((one) => STATES.map((two) => [one, two]))];
/** Each refuses some of them to the last one who can log in. */
const COMMANDS = [['set-role', '--role', 'viewer'], ['deactivate'], ['delete', '--yes'], ['erase', '--yes']];
const SUCCESSORS: Record<State, State[]> = {
  'with password': ['with password'],
  invited: ['with password', 'invited'],
  deactivated: [],
};

test.each(STATES)(
  'Interface 11: an administrator %s is removed on the command line if the others can log in as well',
  async (leaving) => {
    const config = { ...gateway.config, databaseUrl: gateway.database.url };
    for (const [i, others] of FEW.entries()) {
      await gateway.rows('delete from users');
      const id = await administrator(leaving);
      for (const state of others) await administrator(state);
      const [verb = '', ...options] = COMMANDS[i % COMMANDS.length] ?? [];
      const { code } = await runHere(['user', verb, id, ...options], () => config);
      const isAllowed = leaving === 'deactivated' || others.some((state) => SUCCESSORS[leaving].includes(state));
      expect([verb, others, code]).toEqual([verb, others, isAllowed ? 0 : 1]);
    }
  },
);

const abilities = async (): Promise<string[]> => {
  const able = `select id from users where role = 'admin' and is_active and password_hash is not null`;
  return (await gateway.rows<{ id: string }>(able)).map(({ id }) => id);
};

/** Each by an administrator who is able, which may be the user. */
const ACTS: Record<string, (by: SignedIn, id: string) => Promise<unknown>> = {
  invite: () => administrator('invited'),
  redeem: async (_by, id) => redeem(gateway, await issueLink(gateway, id).catch(() => ''), PASSWORD),
  ...Object.fromEntries(
    [DEMOTE, PROMOTE, DEACTIVATE, ACTIVATE, DELETE, ERASE].map((text) => [
      text,
      (by, id) => ask(gateway, by.as, text, { id }),
    ]),
  ),
};

test('Interface 11: no order of changes ends the last way in', async () => {
  const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(ACTS)), fc.nat(), fc.nat()), { maxLength: 12 });
  const property = fc.asyncProperty(steps, async (changes) => {
    await gateway.rows('delete from users');
    for (const state of ['with password', 'invited', 'with password'] as const) await administrator(state);
    for (const [act, by, whom] of changes) {
      const able = await abilities();
      const all = await gateway.rows<ListedUser>('select id, email from users order by id');
      const user = all.find(({ id }) => id === able[by % able.length]);
      const target = all[whom % all.length];
      if (user === undefined || target === undefined) throw new Error('nobody can log in');
      await ACTS[act]?.(await signIn(gateway, user), target.id);
      expect(await abilities()).not.toEqual([]);
    }
  });
  await fc.assert(property, { numRuns: 15 });
});

test('Interface 11: of several administrators all but one can be removed, and inactive ones too', async () => {
  const { as, user } = await lastAdmin();
  const [second, gone] = [await gateway.user({ role: 'admin' }), await gateway.user({ role: 'admin' })];
  for (const [text, { id }] of [
    [DEACTIVATE, gone],
    [DEMOTE, second],
    [DEMOTE, gone],
    [PROMOTE, gone],
    [DELETE, gone],
    [PROMOTE, user],
  ] as const) {
    expect((await ask(gateway, as, text, { id })).errors).toEqual([]);
  }
});

async function activeAdmins(): Promise<number> {
  return (await gateway.rows(`select id from users where role = 'admin' and is_active`)).length;
}

/** Two administrators, who send requests to different instances at the same time. */
async function atOnce(requests: (one: SignedIn, two: SignedIn) => Array<[SignedIn, string, SignedIn]>) {
  const [one, two] = [await newcomer(gateway, 'admin'), await newcomer(gateway, 'admin')];
  const [first, second] = gateway.two();
  const [answers, events] = await auditDuring(gateway, () =>
    Promise.all(
      requests(one, two).map(([by, text, whom], i) => ask(i === 0 ? first : second, by.as, text, { id: whom.user.id })),
    ),
  );
  return { one, two, answers, events };
}

test.each([
  ['demoted and deactivated', DEMOTE, DEACTIVATE],
  ['demoted and deleted', DEMOTE, DELETE],
  ['both deleted', DELETE, DELETE],
])(
  'Interface 11: of two administrators who are %s at once on two instances, one stays',
  async (_how, first, second) => {
    for (let round = 0; round < 5; round += 1) {
      await gateway.rows('delete from users');
      const { answers, events } = await atOnce((one, two) => [
        [one, first, one],
        [two, second, two],
      ]);
      expect(answers.map(({ reason }) => reason).filter(Boolean)).toEqual(['last_administrator']);
      expect(events).toHaveLength(1);
      expect(await activeAdmins()).toBe(1);
    }
  },
);

test('Interface 11: two administrators demote each other at once: the second is no longer allowed to', async () => {
  const { one, two, answers } = await atOnce((first, second) => [
    [first, DEMOTE, second],
    [second, DEMOTE, first],
  ]);
  expect(answers.map(({ code }) => code).filter(Boolean)).toEqual(['FORBIDDEN']);
  expect(await activeAdmins()).toBe(1);
  const roles = [(await userRow(gateway, one.user.id)).role, (await userRow(gateway, two.user.id)).role];
  expect(roles.sort()).toEqual(['admin', 'analyst']);
});

const ALL_OWN = [
  'users:read',
  'users:write',
  'sessions:read',
  'sessions:write',
  'audit:read',
  'keys:read',
  'keys:write',
  'webhooks:read',
  'webhooks:write',
  'gateway:read',
  'tokens:introspect',
];
test.each([
  ['an API key', newApiKey],
  ['a cron key', newCronKey],
])('Interface 11: %s with every scope there is neither makes nor changes an administrator', async (_kind, newKey) => {
  const { as } = await newKey(gateway, ALL_OWN);
  const [admin, viewer] = [await gateway.user({ role: 'admin' }), await gateway.user()];
  await gateway.user({ role: 'admin' }); // so that no other is the last
  const before = await wholeState(gateway);
  for (const [text, id] of [
    [PROMOTE, viewer.id],
    [DEMOTE, admin.id],
    [DEACTIVATE, admin.id],
    [DELETE, admin.id],
    [UNLOCK, admin.id],
    [SET_PASSWORD, admin.id],
    [CREATE, undefined],
  ] as const) {
    const refusal = { code: 'FORBIDDEN', reason: 'every_scope_needed', data: { done: null } };
    expect(await ask(gateway, as, text, { id })).toMatchObject({ status: 200, ...refusal });
  }
  expect(await wholeState(gateway)).toEqual(before);
});
