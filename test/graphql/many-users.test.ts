/** Changes of many users in one request; who is refused does not stop the others. (Interface 11) */
import fc from 'fast-check';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserActive, unlockUser } from '../../src/admin/user-changes.js';
import { startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newApiKey, newcomer, type SignedIn, signIn } from '../support/gateway/graphql.js';
import { CHOSEN, redeem } from '../support/gateway/passwords.js';
import { login, refresh } from '../support/gateway/routes.js';
import { auditDuring, liveRecords, recordsOf, wholeState } from '../support/gateway/rows.js';
import { FOREIGN_HASHES } from '../support/independent/foreign-hashes.js';
import { refusesRows, withFault } from '../support/postgres/faults.js';

let gateway: TestGateway;
let admin: SignedIn;
beforeAll(async () => {
  gateway = await startGateway({ env: { LOGIN_RATE_LIMIT: '100000' } });
  admin = await newcomer(gateway, 'admin');
});
afterAll(() => gateway.close());

const NOBODY = '00000000-0000-7000-8000-000000000000';
const REFUSED = 'refused { id reason message }';
const SET_ACTIVE = `mutation ($input: SetUsersActiveInput!) {
  setUsersActive(input: $input) { users { id isActive } ${REFUSED} revokedSessionCount }
}`;
const UNLOCK = `mutation ($input: UnlockUsersInput!) { unlockUsers(input: $input) { users { id isLocked } ${REFUSED} } }`;
const END =
  'mutation ($input: RevokeSessionsOfUsersInput!) { revokeSessionsOfUsers(input: $input) { revokedSessionCount } }';
const LINKS = `mutation ($input: IssuePasswordLinksInput!) {
  issuePasswordLinks(input: $input) { links { userId link expiresAt } ${REFUSED} }
}`;
const IMPORT = `mutation ($input: ImportUsersInput!) {
  importUsers(input: $input) { faults { line message } users { id email role hasPassword } userCount withPasswordCount }
}`;

const tokenOf = (link: string) => new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? '';
async function only(as: As, text: string, input: object) {
  const data = await dataOf(gateway, as, text, { input });
  return data[Object.keys(data)[0] ?? ''];
}

/** A user in this state, and what identifies it among its twins: nothing. */
interface State {
  isActive: boolean;
  isLocked: boolean;
  sessions: number;
}

async function userIn({ isActive, isLocked, sessions }: State): Promise<string> {
  const user = await gateway.user({ role: 'viewer' });
  for (let session = 0; session < sessions; session += 1) await signIn(gateway, user);
  if (!isActive) await setUserActive(gateway.app, COMMAND_LINE, user.id, false);
  const until = new Date(gateway.clock.now().getTime() + 60_000);
  if (isLocked)
    await gateway.rows('update users set failed_login_attempts = 3, locked_until = $2 where id = $1', [user.id, until]);
  return user.id;
}

/** The users and what is written of them, in this order, without what tells twins apart. */
async function told(ids: string[]): Promise<unknown[]> {
  const rows = await gateway.rows<{ id: string; user: unknown; live: unknown; events: unknown }>(
    `select id, row(is_active, failed_login_attempts, locked_until)::text as user,
       (select count(*) from refresh_tokens where user_id = users.id and not revoked) as live,
       array(select row(event_type, metadata - 'family_id' - 'jti' - 'actor' - 'email')::text from audit_events
             where user_id = users.id order by 1) as events
     from users where id = any($1)`,
    [ids],
  );
  return ids.map((id) => rows.filter((row) => row.id === id).map(({ id: _, ...rest }) => rest));
}

const state = fc.record({ isActive: fc.boolean(), isLocked: fc.boolean(), sessions: fc.nat(2) });
const step = fc.constantFrom('activate', 'deactivate', 'unlock');
const WORDS = {
  activate: [SET_ACTIVE, { isActive: true }],
  deactivate: [SET_ACTIVE, { isActive: false }],
  unlock: [UNLOCK, {}],
} as const;

test('Interface 11: a change of many users is that of each, in any states and any order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(state, { maxLength: 5 }),
      fc.array(step, { minLength: 1, maxLength: 4 }),
      async (states, steps) => {
        const many = await Promise.all(states.map(userIn));
        const twins = await Promise.all(states.map(userIn));
        for (const name of steps) {
          const [text, more] = WORDS[name];
          const { users, refused } = await only(admin.as, text, { ids: [...many, NOBODY, ...many], ...more });
          expect(users.map(({ id }: { id: string }) => id)).toEqual(many);
          expect(refused).toEqual([{ id: NOBODY, reason: 'user_unknown', message: 'There is no such user' }]);
          for (const id of twins) {
            if (name === 'unlock') await unlockUser(gateway.app, COMMAND_LINE, id);
            else await setUserActive(gateway.app, COMMAND_LINE, id, name === 'activate');
          }
        }
        expect(await told(many)).toEqual(await told(twins));
      },
    ),
    { numRuns: 15 },
  );
});

test('Interface 11: the last administrator is refused, and the others are changed', async () => {
  const alone = await startGateway();
  try {
    const { user, as } = await newcomer(alone, 'admin');
    const other = await newcomer(alone);
    const answer = await dataOf(alone, as, SET_ACTIVE, { input: { ids: [user.id, other.user.id], isActive: false } });
    expect(answer.setUsersActive).toEqual({
      users: [{ id: other.user.id, isActive: false }],
      refused: [{ id: user.id, reason: 'last_administrator', message: expect.any(String) }],
      revokedSessionCount: 1,
    });
    expect((await refresh(alone, other.refreshToken)).status).toBe(401);
  } finally {
    await alone.close();
  }
});

test('Interface 11: a key changes many users, but no administrator among them', async () => {
  const key = await newApiKey(gateway, ['users:write']);
  const [one, boss] = [await gateway.user(), await gateway.user({ role: 'admin' })];
  for (const [text, more] of [
    [SET_ACTIVE, { isActive: true }],
    [UNLOCK, {}],
    [LINKS, { purpose: 'reset' }],
  ] as const) {
    const answer = await only(key.as, text, { ids: [boss.id, one.id], ...more });
    expect(answer.refused).toMatchObject([{ id: boss.id, reason: 'every_scope_needed' }]);
    expect(answer.users ?? answer.links).toHaveLength(1);
  }
});

test('Interface 11: 101 users are refused, and nothing is changed', async () => {
  const ids = Array.from({ length: 101 }, () => admin.user.id);
  const before = await wholeState(gateway);
  for (const [text, more] of [
    [SET_ACTIVE, { isActive: false }],
    [UNLOCK, {}],
    [END, {}],
    [LINKS, { purpose: 'reset' }],
  ] as const)
    expect((await ask(gateway, admin.as, text, { input: { ids, ...more } })).reason).toBe('invalid_ids');
  expect(await wholeState(gateway)).toEqual(before);
});

test('Interface 11: a fault after some users changes none of them', async () => {
  const [first, last] = [await userIn({ isActive: true, isLocked: true, sessions: 1 }), await gateway.user()];
  const before = await wholeState(gateway);
  await withFault(gateway, refusesRows('audit_events', `user_id <> '${last.id}'`), async () => {
    const input = { ids: [first, last.id], isActive: false };
    expect((await ask(gateway, admin.as, SET_ACTIVE, { input })).code).toBe('INTERNAL_SERVER_ERROR');
  });
  expect(await wholeState(gateway)).toEqual(before);
});

test('Interface 11: two instances that change the same users in opposite orders write one event for each', async () => {
  const other = await startInstance(gateway.database, { clock: gateway.clock });
  try {
    const ids = await Promise.all(
      Array.from({ length: 8 }, () => userIn({ isActive: true, isLocked: true, sessions: 1 })),
    );
    const [answers, events] = await auditDuring(gateway, () =>
      Promise.all(
        [gateway, other].map((on, turn) => {
          const input = { ids: turn === 0 ? ids : ids.toReversed(), isActive: false };
          return dataOf(on, admin.as, SET_ACTIVE, { input });
        }),
      ),
    );
    expect(answers.map(({ setUsersActive }) => setUsersActive.revokedSessionCount).toSorted()).toEqual([0, 8]);
    expect(events.map(({ user_id }) => user_id).toSorted()).toEqual(ids.toSorted());
  } finally {
    await other.close();
  }
});

test('Interface 11: the sessions of many users end, but not the one that asks; each has its event', async () => {
  const users = [await newcomer(gateway), await newcomer(gateway)];
  const again = await signIn(gateway, users[0]?.user ?? admin.user);
  const own = await signIn(gateway, admin.user);
  const ids = [...users, admin].map(({ user }) => user.id);
  const [answer, events] = await auditDuring(gateway, () => only(own.as, END, { ids: [...ids, NOBODY, 'no id'] }));
  expect(answer.revokedSessionCount).toBe(4);
  for (const { refreshToken } of [...users, again, admin])
    expect((await refresh(gateway, refreshToken)).status).toBe(401);
  const records = (await Promise.all(ids.map((id) => recordsOf(gateway, id)))).flat();
  const ended = records.filter(({ revoked_reason }) => revoked_reason === 'session_revoked');
  const expected = ended.map(({ user_id, family_id }) => `${user_id} ${family_id}`);
  const written = events.map(({ user_id, metadata }) => `${user_id} ${metadata['family_id']}`);
  expect(written.toSorted()).toEqual(expected.toSorted());
  expect((await refresh(gateway, own.refreshToken)).status).toBe(200);
  admin = await signIn(gateway, admin.user);
});

test('Interface 11: no session survives its end by refreshing at that moment', async () => {
  const users = await Promise.all(Array.from({ length: 6 }, () => newcomer(gateway)));
  const ids = users.map(({ user }) => user.id);
  await Promise.all([
    ...users.map(({ refreshToken }) => refresh(gateway, refreshToken)),
    only(admin.as, END, { ids }),
    ...users.map(({ refreshToken }) => refresh(gateway, refreshToken)),
  ]);
  expect((await liveRecords(gateway)).filter(({ user_id }) => ids.includes(user_id))).toEqual([]);
});

test('Interface 15: many users get a link each, which works once; who is deactivated gets none', async () => {
  const [one, two, gone] = [await gateway.user(), await gateway.user(), await gateway.user()];
  await setUserActive(gateway.app, COMMAND_LINE, gone.id, false);
  const input = { ids: [one.id, gone.id, two.id], purpose: 'invitation' };
  const [{ links, refused }, events] = await auditDuring(gateway, () => only(admin.as, LINKS, input));
  expect(links.map(({ userId }: { userId: string }) => userId)).toEqual([one.id, two.id]);
  expect(refused).toMatchObject([{ id: gone.id, reason: 'user_inactive' }]);
  expect(events.map(({ user_id, event_type }) => `${event_type} ${user_id}`).toSorted()).toEqual(
    [one, two].map(({ id }) => `password_link_issued ${id}`).toSorted(),
  );
  const [first, second]: string[] = links.map(({ link }: { link: string }) => tokenOf(link));
  expect((await redeem(gateway, first)).status).toBe(204);
  expect((await redeem(gateway, first)).status).not.toBe(204);
  expect((await login(gateway, one.email, CHOSEN)).status).toBe(200);
  expect((await redeem(gateway, second)).status).toBe(204);
});

test('Interface 17: links of many users are mailed where mail is on, and refused where it is off', async () => {
  const { id } = await gateway.user();
  const input = { ids: [id], purpose: 'reset', deliver: true };
  expect((await ask(gateway, admin.as, LINKS, { input })).reason).toBe('mail_off');
  const mailing = await startInstance(gateway.database, { clock: gateway.clock, env: { MAIL: 'log' } });
  try {
    const [answer, events] = await auditDuring(gateway, () => dataOf(mailing, admin.as, LINKS, { input }));
    expect(answer.issuePasswordLinks).toMatchObject({ links: [{ userId: id, link: null }], refused: [] });
    expect(events[0]?.metadata).toMatchObject({ mailed: true });
  } finally {
    await mailing.close();
  }
});

const SCRYPT = '$scrypt$ln=14,r=8,p=1$';
const lineOf = (user: object) => JSON.stringify(user);

test('Interface 9: lines are imported all or none, and each fault is named without a hash', async () => {
  const taken = await gateway.user();
  const lines = [
    lineOf({ email: 'Line.One@example.com' }),
    '',
    lineOf({ email: 'line.two@example.com', password_hash: `${SCRYPT}secret-of-the-hash` }),
    lineOf({ email: taken.email, role: 'analyst' }),
    lineOf({ email: 'line.one@example.com' }),
    'not JSON',
  ];
  for (const dryRun of [true, false]) {
    const [answer, events] = await auditDuring(gateway, () =>
      ask(gateway, admin.as, IMPORT, { input: { lines, dryRun } }),
    );
    const { faults, users, userCount } = answer.data.importUsers;
    expect(faults.map(({ line }: { line: number }) => line)).toEqual([3, 4, 5, 6]);
    expect({ users, userCount, events }).toEqual({ users: [], userCount: 1, events: [] });
    expect(answer.text).not.toContain('secret-of-the-hash');
  }
});

test('Interface 9: imported users keep their password; a dry run imports nobody', async () => {
  const [{ hash, password } = { hash: '', password: '' }] = FOREIGN_HASHES;
  const lines = [
    lineOf({ email: 'with.hash@example.com', password_hash: hash, created_at: '2020-01-31T09:00:00Z' }),
    lineOf({ email: 'without.hash@example.com', role: 'analyst', is_active: false }),
  ];
  const dry = await only(admin.as, IMPORT, { lines, dryRun: true });
  expect(dry).toEqual({ faults: [], users: [], userCount: 2, withPasswordCount: 1 });
  const [done, events] = await auditDuring(gateway, () => only(admin.as, IMPORT, { lines }));
  const [id, email] = [expect.any(String), 'with.hash@example.com'];
  expect(done).toEqual({
    faults: [],
    users: [
      { id, email, role: 'viewer', hasPassword: true },
      { id, email: 'without.hash@example.com', role: 'analyst', hasPassword: false },
    ],
    userCount: 2,
    withPasswordCount: 1,
  });
  expect(events.map(({ event_type }) => event_type)).toEqual(['user_created', 'user_created']);
  const checking = await startInstance(gateway.database, { clock: gateway.clock, passwords: 'argon2' });
  try {
    expect((await login(checking, 'with.hash@example.com', password)).status).toBe(200);
  } finally {
    await checking.close();
  }
});

test('Interface 9: only who has every scope imports an administrator', async () => {
  const key = await newApiKey(gateway, ['users:write']);
  const lines = [lineOf({ email: 'new.boss@example.com', role: 'admin' })];
  expect((await ask(gateway, key.as, IMPORT, { input: { lines } })).reason).toBe('every_scope_needed');
});
