/** The mutation `deleteUser` ends every session and deletes the row; records and audit log stay. (Interface 11) */
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import {
  type As,
  ask,
  dataOf,
  newApiKey,
  newCronKey,
  newcomer,
  type SignedIn,
  signIn,
} from '../support/gateway/graphql.js';
import { login, logout, refresh } from '../support/gateway/routes.js';
import { auditDuring, recordsOf, wholeState } from '../support/gateway/rows.js';

let gateway: TestGateway;
let admin: SignedIn;
beforeAll(async () => {
  gateway = await startGateway({ instances: 2 });
  admin = await newcomer(gateway, 'admin');
});
afterAll(() => gateway.close());

const DELETE = 'mutation ($input: DeleteUserInput!) { deleteUser(input: $input) { deletedId } }';

/** The answer and the new events. */
async function deletion(id: string, as: As = admin.as) {
  const [answer, events] = await auditDuring(gateway, () => ask(gateway, as, DELETE, { input: { id } }));
  return { ...answer, events };
}

const rowsOf = (id: string) => gateway.rows('select id from users where id = $1', [id]);

test('Interface 11: deletes a user, ends every session and records who was deleted', async () => {
  const { user } = await newcomer(gateway, 'analyst');
  const second = await signIn(gateway, user);
  await refresh(gateway, second.refreshToken);
  await logout(gateway, (await signIn(gateway, user)).refreshToken);
  const other = await newcomer(gateway);
  const before = await gateway.rows('select * from audit_events order by id');

  const { data, events } = await deletion(user.id);
  expect(data).toEqual({ deleteUser: { deletedId: user.id } });
  expect(await rowsOf(user.id)).toEqual([]);
  const actor = { caller_type: 'user', sub: admin.user.id };
  const metadata = { actor, email: user.email, role: 'analyst', sessions_ended: 2 };
  expect(events).toMatchObject([{ event_type: 'user_deleted', entity_type: 'user', user_id: user.id, metadata }]);
  expect(events[0]?.metadata).toEqual(metadata);

  const records = await recordsOf(gateway, user.id);
  expect(records.map(({ revoked, revoked_reason }) => [revoked, revoked_reason]).sort()).toEqual([
    [true, 'logout'],
    [true, 'rotated'],
    [true, 'user_deleted'],
    [true, 'user_deleted'],
  ]);
  expect(await gateway.rows('select * from audit_events order by id')).toEqual(expect.arrayContaining(before));
  expect((await refresh(gateway, other.refreshToken)).status).toBe(200);
});

test('Interface 11: a deleted user cannot log in, and its refresh token counts as stolen', async () => {
  const { user, refreshToken } = await newcomer(gateway);
  await deletion(user.id);
  const [refused, events] = await auditDuring(gateway, () => refresh(gateway, refreshToken));
  expect([refused.status, refused.json]).toEqual([
    401,
    { detail: 'Session invalidated — please log in again', reason: 'record_revoked' },
  ]);
  expect(refused.cookies).toEqual([expect.stringMatching(/^refresh_token=;/)]);
  expect(events).toMatchObject([{ event_type: 'token_theft', user_id: user.id }]);
  const [failed, failure] = await auditDuring(gateway, () => login(gateway, user.email));
  expect([failed.status, failed.json]).toEqual([401, { detail: 'Invalid credentials', reason: 'invalid_credentials' }]);
  expect(failure).toMatchObject([{ event_type: 'login_failure', user_id: null }]);
});

test('Interface 11: an access token of a deleted user reads nothing about the user and changes nothing', async () => {
  const { user, as } = await newcomer(gateway, 'admin');
  await deletion(user.id);
  expect(await ask(gateway, as, '{ me { id } }')).toMatchObject({ reason: 'user_unknown', data: { me: null } });
  expect(await ask(gateway, as, DELETE, { input: { id: admin.user.id } })).toMatchObject({ reason: 'caller_inactive' });
  const { user: found } = await dataOf(gateway, admin.as, `{ user(id: "${user.id}") { id } }`);
  expect(found).toBeNull();
});

test('Interface 11: the e-mail can be used again; the new user has none of the old sessions', async () => {
  const old = await newcomer(gateway);
  await deletion(old.user.id);
  const user = await gateway.user({ email: old.user.email });
  expect(user.id).not.toBe(old.user.id);
  const { as } = await signIn(gateway, user);
  const { me } = await dataOf(gateway, as, '{ me { id sessions { nodes { userId } } } }');
  expect(me).toEqual({ id: user.id, sessions: { nodes: [{ userId: user.id }] } });
  expect((await refresh(gateway, old.refreshToken)).status).toBe(401);
  expect((await login(gateway, user.email, PASSWORD)).status).toBe(200);
});

test('Interface 11: administrators can delete themselves if another one stays', async () => {
  const { user, as } = await newcomer(gateway, 'admin');
  const { data, events } = await deletion(user.id, as);
  expect(data).toEqual({ deleteUser: { deletedId: user.id } });
  expect(events[0]?.metadata).toMatchObject({ actor: { caller_type: 'user', sub: user.id }, role: 'admin' });
  expect(await deletion(user.id, as)).toMatchObject({ code: 'FORBIDDEN', reason: 'caller_inactive', events: [] });
});

test.each([
  ['an API key', newApiKey, 'api_key'],
  ['a cron key', newCronKey, 'cron'],
] as const)('Interface 11: %s deletes a user, and is named in the event', async (_who, newKey, caller_type) => {
  const { as, keyId } = await newKey(gateway, ['users:write']);
  const { id } = await gateway.user();
  expect((await deletion(id, as)).events).toMatchObject([{ metadata: { actor: { caller_type, key_id: keyId } } }]);
  expect(await rowsOf(id)).toEqual([]);
});

test.each(['8506bcaa-3e30-49cb-b986-045d22003048', 'no-uuid', ''])(
  'Interface 11: there is no user %j to delete',
  async (id) => {
    const before = await wholeState(gateway);
    expect(await deletion(id)).toMatchObject({ status: 200, code: 'NOT_FOUND', reason: 'user_unknown' });
    expect(await wholeState(gateway)).toEqual(before);
  },
);

test('Interface 11: of two simultaneous deletions on two instances, one finds the user and writes the event', async () => {
  const { id } = await gateway.user();
  const [answers, events] = await auditDuring(gateway, () =>
    Promise.all(gateway.two().map((instance) => ask(instance, admin.as, DELETE, { input: { id } }))),
  );
  expect(answers.map(({ reason }) => reason).sort()).toEqual(['user_unknown', undefined]);
  expect(events).toHaveLength(1);
});

test('Interface 11: eraseUser deletes a user and puts a pseudonym in the place of their e-mail in the log', async () => {
  const { user } = await newcomer(gateway);
  await login(gateway, user.email, 'wrong');
  const mutation =
    'mutation ($input: EraseUserInput!) { eraseUser(input: $input) { erasedId pseudonym changedEventCount } }';
  const { eraseUser: erased } = await dataOf(gateway, admin.as, mutation, { input: { id: user.id } });
  expect(erased).toEqual({
    erasedId: user.id,
    pseudonym: expect.stringMatching(/^erased-/),
    changedEventCount: expect.any(Number),
  });
  expect(await rowsOf(user.id)).toEqual([]);
  const events = await gateway.rows<{ event: string }>(
    'select audit_events::text as event from audit_events where user_id = $1',
    [user.id],
  );
  const text = events.map(({ event }) => event).join();
  expect(text).toContain(erased.pseudonym);
  expect(text).not.toContain(user.email);

  const again = await dataOf(gateway, admin.as, mutation, { input: { id: user.id } }); // of a deleted user
  expect(again.eraseUser).toMatchObject({ erasedId: user.id, pseudonym: erased.pseudonym });

  const unknown = await ask(gateway, admin.as, mutation, { input: { id: 'no UUID' } });
  expect(unknown.reason).toBe('user_unknown');
});
