/** One's own sessions, and those of others with sessions:write. (Interface 11) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { deleteUser } from '../../src/admin/user-changes.js';
import { claimsOf, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, dataOf, newApiKey, newcomer, nodesOf, type SignedIn, signIn } from '../support/gateway/graphql.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { auditDuring, wholeState } from '../support/gateway/rows.js';
import { countWork } from '../support/gateway/work.js';
import { refusesRows, withFault } from '../support/postgres/faults.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1', REFRESH_TOKEN_TTL_SECONDS: '3600' } });
});
afterAll(() => gateway.close());

const LIST = `{ me { sessions(live: true) { edges { node {
  id userId startedAt lastUsedAt expiresAt endedAt endReason userAgent ipAddress isLive isCurrent
} } } } }`;
const READ = 'query ($id: ID!) { session(id: $id) { id userId lastUsedAt isLive } }';
const REVOKE = `mutation ($id: ID!) {
  revokeSession(input: { id: $id }) { session { id isLive endedAt endReason } }
}`;
const REVOKE_OTHERS = 'mutation { revokeOtherSessions { revokedCount } }';

const familyOf = ({ accessToken }: SignedIn) => String(claimsOf(accessToken)['sid']);

interface Listed {
  id: string;
  isLive: boolean;
  isCurrent: boolean;
}

async function listed(caller: SignedIn): Promise<Listed[]> {
  return nodesOf((await dataOf(gateway, caller.as, LIST)).me.sessions);
}

const ids = (sessions: Listed[]) => sessions.map(({ id }) => id);

test('Interface 11: lists the live sessions of the caller, newest first, and says which is the current one', async () => {
  const first = await newcomer(gateway);
  await newcomer(gateway); // another user
  gateway.clock.advance(10);
  const second = await signIn(gateway, first.user);
  const startedAt = gateway.clock.now();
  gateway.clock.advance(20);
  const from = { 'x-forwarded-for': '192.0.2.5', 'user-agent': 'Phone/2' };
  await refresh(gateway, second.refreshToken, from);
  const sessions = await listed(first);
  expect(ids(sessions)).toEqual([familyOf(second), familyOf(first)]);
  expect(sessions[0]).toEqual({
    id: familyOf(second),
    userId: first.user.id,
    startedAt: startedAt.toISOString(),
    lastUsedAt: gateway.clock.now().toISOString(),
    expiresAt: new Date(gateway.clock.now().getTime() + 3_600_000).toISOString(),
    userAgent: 'Phone/2',
    ipAddress: '192.0.2.5',
    endedAt: null,
    endReason: null,
    isLive: true,
    isCurrent: false,
  });
  expect(sessions[1]).toMatchObject({ isCurrent: true });
  expect((await listed(second)).map(({ isCurrent }) => isCurrent)).toEqual([true, false]);
});

test('Interface 11: ended sessions are not in the list of one’s own live sessions, but in that of the user', async () => {
  const current = await newcomer(gateway);
  const out = await signIn(gateway, current.user);
  await logout(gateway, out.refreshToken);
  const stolen = await signIn(gateway, current.user);
  await refresh(gateway, stolen.refreshToken);
  await refresh(gateway, stolen.refreshToken);
  expect(ids(await listed(current))).toEqual([familyOf(current)]);
  const { me } = await dataOf(gateway, current.as, '{ me { sessions { edges { node { id isLive isCurrent } } } } }');
  const states = new Map(nodesOf<Listed>(me.sessions).map(({ id, isLive }) => [id, isLive]));
  expect(states).toEqual(
    new Map([
      [familyOf(current), true],
      [familyOf(out), false],
      [familyOf(stolen), false],
    ]),
  );
});

test('Interface 11: an expired session is not live, to the second', async () => {
  const { as, user } = await newcomer(gateway);
  const { as: reader } = await newApiKey(gateway, ['users:read']);
  gateway.clock.advance(1800);
  await signIn(gateway, user);
  const text = `{ user(id: "${user.id}") { sessions { edges { node { isLive } } } } }`;
  const lives = async () =>
    nodesOf<Listed>((await dataOf(gateway, reader, text)).user.sessions).map(({ isLive }) => isLive);
  gateway.clock.advance(1800);
  expect(await lives()).toEqual([true, true]); // Spec 4.2 step 8: only a past expiry is refused
  gateway.clock.advance(0.001);
  expect(await lives()).toEqual([true, false]);
  gateway.clock.advance(0.999); // back to whole seconds for the next tests
  expect((await ask(gateway, as, LIST)).status).toBe(401); // the access token has expired long ago
  const again = await signIn(gateway, user);
  expect(await listed(again)).toHaveLength(2);
});

test('Interface 11: ends one of the caller’s sessions: its refresh token is refused, the others stay live, the event names the actor', async () => {
  const current = await newcomer(gateway);
  const ended = await signIn(gateway, current.user);
  const id = familyOf(ended);
  const [{ data }, events] = await auditDuring(gateway, () => ask(gateway, current.as, REVOKE, { id }));
  const endedAt = gateway.clock.now().toISOString();
  expect(data.revokeSession.session).toEqual({ id, isLive: false, endedAt, endReason: 'revoked' });
  expect(events).toMatchObject([
    {
      event_type: 'session_revoked',
      user_id: current.user.id,
      metadata: { actor: { caller_type: 'user', sub: current.user.id }, family_id: id },
    },
  ]);
  expect((await refresh(gateway, ended.refreshToken)).status).toBe(401);
  expect((await refresh(gateway, current.refreshToken)).status).toBe(200);
});

test('Interface 11: ending an ended session changes nothing and writes no event', async () => {
  const caller = await newcomer(gateway);
  const out = await signIn(gateway, caller.user);
  await logout(gateway, out.refreshToken);
  const endedAt = gateway.clock.now().toISOString();
  gateway.clock.advance(60);
  const before = await wholeState(gateway);
  const { data } = await ask(gateway, caller.as, REVOKE, { id: familyOf(out) });
  const session = { id: familyOf(out), isLive: false, endedAt, endReason: 'logout' };
  expect(data.revokeSession.session).toEqual(session);
  expect(await wholeState(gateway)).toEqual(before);
});

test('Interface 11: ending sessions of others needs sessions:write; without it the error does not reveal which exist', async () => {
  const victim = await newcomer(gateway);
  const stranger = await newcomer(gateway);
  const id = familyOf(victim);
  const others = await ask(gateway, stranger.as, REVOKE, { id });
  const unknown = await ask(gateway, stranger.as, REVOKE, { id: '00000000-0000-7000-8000-000000000000' });
  expect(others).toMatchObject({ status: 200, code: 'FORBIDDEN', data: { revokeSession: null } });
  expect(unknown.text).toBe(others.text);
  const { as, keyId } = await newApiKey(gateway, ['sessions:write']);
  const [, events] = await auditDuring(gateway, () => dataOf(gateway, as, REVOKE, { id }));
  expect(events).toMatchObject([
    { user_id: victim.user.id, metadata: { actor: { caller_type: 'api_key', key_id: keyId }, family_id: id } },
  ]);
  expect((await refresh(gateway, victim.refreshToken)).status).toBe(401);
  expect(await ask(gateway, as, REVOKE, { id: 'no-uuid' })).toMatchObject({ code: 'NOT_FOUND' });
});

test('Interface 11: ends all other sessions of the caller, with an event each, and none of other users', async () => {
  const current = await newcomer(gateway);
  const [second, third] = [await signIn(gateway, current.user), await signIn(gateway, current.user)];
  const out = await signIn(gateway, current.user);
  await logout(gateway, out.refreshToken);
  const other = await newcomer(gateway);
  const [data, events] = await auditDuring(gateway, () => dataOf(gateway, current.as, REVOKE_OTHERS));
  expect(data).toEqual({ revokeOtherSessions: { revokedCount: 2 } });
  expect(events.map(({ event_type }) => event_type)).toEqual(['session_revoked', 'session_revoked']);
  const families = events.map(({ metadata }) => metadata['family_id']);
  expect(new Set(families)).toEqual(new Set([familyOf(second), familyOf(third)]));
  expect(ids(await listed(current))).toEqual([familyOf(current)]);
  for (const { refreshToken } of [second, third]) expect((await refresh(gateway, refreshToken)).status).toBe(401);
  for (const { refreshToken } of [current, other]) expect((await refresh(gateway, refreshToken)).status).toBe(200);
  expect(await dataOf(gateway, current.as, REVOKE_OTHERS)).toEqual({ revokeOtherSessions: { revokedCount: 0 } });
});

const change = async (text: string) => dataOf(gateway, (await newcomer(gateway, 'admin')).as, `mutation { ${text} }`);

test.each<[reason: string, end: (caller: SignedIn) => Promise<unknown>]>([
  ['logout', ({ refreshToken }) => logout(gateway, refreshToken)],
  [
    'token_theft',
    async ({ refreshToken }) => {
      await refresh(gateway, refreshToken);
      await refresh(gateway, refreshToken);
    },
  ],
  ['revoked', (caller) => dataOf(gateway, caller.as, REVOKE, { id: familyOf(caller) })],
  [
    'user_deactivated',
    ({ user }) => change(`setUserActive(input: { id: "${user.id}", isActive: false }) { user { id } }`),
  ],
  [
    'user_password_set',
    ({ user }) =>
      change(`setUserPassword(input: { id: "${user.id}", password: "a new good password" }) { user { id } }`),
  ],
  ['user_deleted', ({ user }) => deleteUser(gateway.app, COMMAND_LINE, user.id)],
])('Interface 11: a session says that it ended by %s, and when, as its last event does', async (endReason, end) => {
  const caller = await newcomer(gateway);
  const { as } = await newApiKey(gateway, ['audit:read']);
  const text = `query ($id: ID!) {
    session(id: $id) { isLive endedAt endReason events { nodes { kind createdAt } } }
  }`;
  const read = async () => (await dataOf(gateway, as, text, { id: familyOf(caller) })).session;
  gateway.clock.advance(60);
  expect(await read()).toMatchObject({ isLive: true, endedAt: null, endReason: null });
  await end(caller);
  const endedAt = gateway.clock.now().toISOString();
  gateway.clock.advance(3_600); // an ended session does not expire
  const session = await read();
  expect(session).toMatchObject({ isLive: false, endedAt, endReason });
  expect(session.events.nodes.at(-1)).toEqual({ kind: endReason, createdAt: endedAt });
});

test('Interface 11: an expired session ended when it expired, whatever happens to it later', async () => {
  const caller = await newcomer(gateway);
  const admin = await newcomer(gateway, 'admin');
  const { as } = await newApiKey(gateway, ['audit:read']);
  const text = `{ session(id: "${familyOf(caller)}") { expiresAt endedAt endReason events { nodes { kind createdAt } } } }`;
  gateway.clock.advance(7_200);
  const { session } = await dataOf(gateway, as, text);
  expect(session).toMatchObject({ endedAt: session.expiresAt, endReason: 'expired' });
  expect(session.events.nodes.at(-1)).toEqual({ kind: 'expired', createdAt: session.expiresAt });
  const again = await signIn(gateway, admin.user);
  await dataOf(
    gateway,
    again.as,
    `mutation { setUserActive(input: { id: "${caller.user.id}", isActive: false }) { user { id } } }`,
  );
  expect((await dataOf(gateway, as, text)).session).toEqual(session);
});

test('Interface 11: a session id is accepted in either case; the event has the stored form', async () => {
  const caller = await newcomer(gateway);
  const id = familyOf(caller).toUpperCase();
  const [data, events] = await auditDuring(gateway, () => dataOf(gateway, caller.as, REVOKE, { id }));
  expect(data.revokeSession.session.id).toBe(familyOf(caller));
  expect(events[0]?.metadata['family_id']).toBe(familyOf(caller));
});

test('Interface 11: a session is found by the jti of any of its refresh tokens, also of a used one, and still by its id', async () => {
  const caller = await newcomer(gateway);
  await newcomer(gateway); // another session
  const second = refreshTokenOf(await refresh(gateway, caller.refreshToken)) ?? '';
  gateway.clock.advance(60);
  const third = refreshTokenOf(await refresh(gateway, second)) ?? '';
  const jtis = [caller.refreshToken, second, third].map((token) => String(claimsOf(token)['jti']));
  const { as: auditor } = await newApiKey(gateway, ['audit:read']);
  const work = countWork();
  await work.watch(gateway.app.db);
  for (const id of [...jtis, ...jtis.map((jti) => jti.toUpperCase()), familyOf(caller)]) {
    for (const as of [caller.as, auditor]) {
      const [{ session }, { statements }] = await work.during(() => dataOf(gateway, as, READ, { id }));
      expect(session).toMatchObject({ id: familyOf(caller), userId: caller.user.id, isLive: true });
      expect(session.lastUsedAt).toBe(gateway.clock.now().toISOString());
      expect(statements.filter((text) => text.includes('refresh_tokens'))).toHaveLength(1);
    }
  }
  await logout(gateway, third);
  const { session } = await dataOf(gateway, auditor, READ, { id: jtis[0] });
  expect(session).toMatchObject({ id: familyOf(caller), isLive: false });
});

test('Interface 11: the jti of another’s token is refused as an unknown id is; with audit:read an unknown one is unknown', async () => {
  const victim = await newcomer(gateway);
  const stranger = await newcomer(gateway);
  const unknown = '00000000-0000-7000-8000-000000000000';
  const jti = claimsOf(victim.refreshToken)['jti'];
  const refused = await ask(gateway, stranger.as, READ, { id: jti });
  expect(refused).toMatchObject({ status: 200, code: 'FORBIDDEN', reason: 'scope_missing', data: { session: null } });
  for (const id of [unknown, familyOf(victim), 'no-uuid']) {
    expect((await ask(gateway, stranger.as, READ, { id })).text).toBe(refused.text);
  }
  const { as: auditor } = await newApiKey(gateway, ['audit:read']);
  for (const id of [unknown, victim.user.id, 'no-uuid']) {
    const answer = await ask(gateway, auditor, READ, { id });
    expect(answer).toMatchObject({ code: 'NOT_FOUND', reason: 'session_unknown', data: { session: null } });
  }
});

test('Interface 11: a session is ended by its id alone, not by the jti of a token', async () => {
  const caller = await newcomer(gateway);
  const { as } = await newApiKey(gateway, ['sessions:write']);
  const id = claimsOf(caller.refreshToken)['jti'];
  expect(await ask(gateway, as, REVOKE, { id })).toMatchObject({ code: 'NOT_FOUND', reason: 'session_unknown' });
  expect(await ask(gateway, caller.as, REVOKE, { id })).toMatchObject({ code: 'FORBIDDEN' });
  expect((await refresh(gateway, caller.refreshToken)).status).toBe(200);
});

test('Interface 11: the user of another’s session needs users:read, and is null after deletion', async () => {
  const caller = await newcomer(gateway);
  const text = `{ session(id: "${familyOf(caller)}") { userId user { id email } } }`;
  const { id, email } = caller.user;
  const { as: auditor } = await newApiKey(gateway, ['audit:read']);
  const { as: reader } = await newApiKey(gateway, ['audit:read', 'users:read']);
  expect((await dataOf(gateway, caller.as, text)).session).toEqual({ userId: id, user: { id, email } });
  expect((await dataOf(gateway, reader, text)).session).toEqual({ userId: id, user: { id, email } });
  const refused = await ask(gateway, auditor, text);
  expect(refused.data.session).toEqual({ userId: id, user: null });
  expect(refused.errors).toMatchObject([
    { path: ['session', 'user'], extensions: { code: 'FORBIDDEN', requiredScope: 'users:read' } },
  ]);
  await deleteUser(gateway.app, COMMAND_LINE, caller.user.id);
  expect((await dataOf(gateway, reader, text)).session).toEqual({ userId: id, user: null });
});

test('Interface 11: events of other users’ sessions need audit:read, on any path', async () => {
  const victim = await newcomer(gateway);
  const listing = `{ user(id: "${victim.user.id}") { sessions(first: 1) { nodes { id events(first: 1) { nodes { kind } } } } } }`;
  const revoking = `mutation { revokeSession(input: { id: "${familyOf(victim)}" }) { session { id events { nodes { kind } } } } }`;
  for (const [text, scope] of [
    [listing, 'users:read'],
    [revoking, 'sessions:write'],
  ] as const) {
    const { as } = await newApiKey(gateway, [scope]);
    const refused = await ask(gateway, as, text);
    expect(refused).toMatchObject({ code: 'FORBIDDEN', errors: [{ extensions: { requiredScope: 'audit:read' } }] });
    const { as: auditor } = await newApiKey(gateway, [scope, 'audit:read']);
    expect((await ask(gateway, auditor, text)).errors).toEqual([]);
  }
  const own = await newcomer(gateway);
  expect(
    (await ask(gateway, own.as, '{ me { sessions(first: 1) { nodes { events { nodes { kind } } } } } }')).errors,
  ).toEqual([]);
});

test('Interface 11: if the event cannot be written, no session ends', async () => {
  const current = await newcomer(gateway);
  const other = await signIn(gateway, current.user);
  await withFault(gateway, refusesRows('audit_events'), async () => {
    for (const [text, variables] of [
      [REVOKE, { id: familyOf(other) }],
      [REVOKE_OTHERS, {}],
    ] as const) {
      expect((await ask(gateway, current.as, text, variables)).code).toBe('INTERNAL_SERVER_ERROR');
    }
  });
  expect((await refresh(gateway, other.refreshToken)).status).toBe(200);
});

test('Interface 11: pages through the sessions of a user, last used first, each once', async () => {
  const caller = await newcomer(gateway);
  await gateway.rows(
    `insert into refresh_tokens
       (jti, user_id, family_id, user_agent, ip_address, created_at, session_started_at, expires_at)
     select gen_random_uuid(), $1, gen_random_uuid(), 'old ' || i, '127.0.0.1', used_at, used_at,
       $3::timestamptz - i % 3 * interval '1 hour'
     from generate_series(1, 110) as i, lateral (select $2::timestamptz - i / 2 * interval '1 s' as used_at) as used`,
    [caller.user.id, gateway.clock.now(), new Date(gateway.clock.now().getTime() + 60_000)],
  );
  const text = `query ($after: String, $live: Boolean) {
    me { sessions(first: 20, after: $after, live: $live) {
      edges { node { id isLive lastUsedAt } } pageInfo { hasNextPage endCursor }
    } }
  }`;
  for (const [live, count] of [
    [undefined, 111],
    [true, 37], // two in three have expired
    [false, 74],
  ] as const) {
    const seen: Array<{ id: string; isLive: boolean; lastUsedAt: string }> = [];
    let page = { hasNextPage: true, endCursor: undefined };
    while (page.hasNextPage) {
      const { me } = await dataOf(gateway, caller.as, text, { after: page.endCursor, live });
      seen.push(...nodesOf(me.sessions));
      page = me.sessions.pageInfo;
    }
    expect([new Set(seen.map(({ id }) => id)).size, seen.length]).toEqual([count, count]);
    if (live !== undefined) expect(new Set(seen.map((session) => session.isLive))).toEqual(new Set([live]));
    const times = seen.map(({ lastUsedAt }) => lastUsedAt);
    expect(times).toEqual(times.toSorted().reverse());
  }
});

test.each(['first: 0', 'first: 101', 'after: "x"', 'after: "WyJhIiwiYiJd"'])(
  'Interface 11: refuses a page of sessions with %s',
  async (page) => {
    const { as } = await newcomer(gateway);
    const answer = await ask(gateway, as, `{ me { sessions(${page}) { edges { cursor } } } }`);
    expect(answer).toMatchObject({ code: 'BAD_USER_INPUT', reason: 'invalid_page' });
  },
);

test('Interface 11: no N+1: listing sessions takes one statement in addition to that of the user', async () => {
  const caller = await newcomer(gateway);
  for (let i = 0; i < 5; i += 1) await signIn(gateway, caller.user);
  const work = countWork();
  await work.watch(gateway.app.db);
  const [sessions, { statements }] = await work.during(() => listed(caller));
  expect(sessions).toHaveLength(6);
  expect(statements).toHaveLength(2);
});

test('Interface 11: no N+1: the users of a page of sessions take one statement', async () => {
  const { as, user } = await newcomer(gateway, 'admin');
  for (let i = 0; i < 5; i += 1) await signIn(gateway, user);
  const work = countWork();
  await work.watch(gateway.app.db);
  const text = '{ me { sessions(first: 6) { nodes { user { id } } edges { node { user { email } } } } } }';
  const [{ me }, { statements }] = await work.during(() => dataOf(gateway, as, text));
  expect(me.sessions.nodes).toEqual(Array(6).fill({ user: { id: user.id } }));
  expect(statements).toHaveLength(3);
});

test('Interface 7: an operation may request three stories at most, on any path', async () => {
  const { as, user } = await newcomer(gateway);
  for (let i = 0; i < 3; i += 1) await signIn(gateway, user);
  const stories = (first: number) =>
    `{ me { sessions(first: ${first}) { nodes { events(first: 1) { nodes { id } } } } } }`;
  expect((await dataOf(gateway, as, stories(3))).me.sessions.nodes).toHaveLength(3);
  for (const first of [4, 50]) {
    expect(await ask(gateway, as, stories(first))).toMatchObject({ status: 400, code: 'OPERATION_TOO_COSTLY' });
  }
  const skipped = stories(4).replace('nodes { id }', 'nodes @skip(if: true) { id } __typename');
  expect(await ask(gateway, as, skipped)).toMatchObject({ status: 400, code: 'OPERATION_TOO_COSTLY' });
});

test('Interface 11: several changes in one document each return the sessions as they are then', async () => {
  const admin = await newcomer(gateway, 'admin');
  const { user } = await newcomer(gateway);
  const sessions = 'sessions(first: 3) { edges { node { isLive } } }';
  const data = await dataOf(
    gateway,
    admin.as,
    `mutation { a: unlockUser(input: { id: "${user.id}" }) { user { ${sessions} } }
      b: setUserActive(input: { id: "${user.id}", isActive: false }) { user { ${sessions} } } }`,
  );
  expect([nodesOf(data.a.user.sessions), nodesOf(data.b.user.sessions)]).toEqual([
    [{ isLive: true }],
    [{ isLive: false }],
  ]);
});

test('Interface 11: sessions of other users need users:read, on any path', async () => {
  const { user } = await newcomer(gateway);
  const { as } = await newApiKey(gateway, ['users:write']);
  const text = `mutation { unlockUser(input: { id: "${user.id}" }) { user { id sessions { edges { cursor } } } } }`;
  expect(await ask(gateway, as, text)).toMatchObject({ code: 'FORBIDDEN' });
  const { as: reader } = await newApiKey(gateway, ['users:write', 'users:read']);
  expect((await ask(gateway, reader, text)).errors).toEqual([]);
});

test('Interface 11: ends thousands of one’s own sessions, with an event each', async () => {
  const caller = await newcomer(gateway);
  await gateway.rows(
    `insert into refresh_tokens
       (jti, user_id, family_id, user_agent, ip_address, created_at, session_started_at, expires_at)
     select gen_random_uuid(), $1, gen_random_uuid(), '', '127.0.0.1', $2, $2, $3 from generate_series(1, 2500)`,
    [caller.user.id, gateway.clock.now(), new Date(gateway.clock.now().getTime() + 60_000)],
  );
  const [data, events] = await auditDuring(gateway, () => dataOf(gateway, caller.as, REVOKE_OTHERS));
  expect(data).toEqual({ revokeOtherSessions: { revokedCount: 2_500 } });
  expect(new Set(events.map(({ metadata }) => metadata['family_id'])).size).toBe(2_500);
  expect(events[0]).toMatchObject({
    event_type: 'session_revoked',
    entity_type: 'user',
    user_id: caller.user.id,
    metadata: { actor: { caller_type: 'user', sub: caller.user.id } },
    created_at: gateway.clock.now(),
  });
});
