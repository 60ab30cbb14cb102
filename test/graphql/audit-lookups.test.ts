/** Who made a change, the history of one user, key or webhook, and the events of one session. (Interface 11) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { eraseUser } from '../../src/admin/user-erasure.js';
import { sweep } from '../../src/db/sweeper.js';
import { expiringRows } from '../../src/start/compose.js';
import { claimsOf, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newApiKey, newCronKey, newcomer, type SignedIn } from '../support/gateway/graphql.js';
import { ANOTHER, changePassword } from '../support/gateway/passwords.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { countWork } from '../support/gateway/work.js';

const TTL_SECONDS = 3_600;

let gateway: TestGateway;
/** Has `audit:read` and `users:read` */
let reader: As;
/** Has `audit:read` alone */
let auditor: As;
beforeAll(async () => {
  gateway = await startGateway({
    env: { WEBHOOK_HOSTS: 'hooks.example.com', REFRESH_TOKEN_TTL_SECONDS: String(TTL_SECONDS) },
  });
  reader = (await newApiKey(gateway, ['audit:read', 'users:read'])).as;
  auditor = (await newApiKey(gateway, ['audit:read'])).as;
});
afterAll(() => gateway.close());
beforeEach(async () => {
  await gateway.rows('delete from audit_events');
  gateway.clock.advance(1);
});

interface Node {
  id: string;
  eventType: string;
  entityType: string;
  entityId: string | null;
  sessionId: string | null;
  actor: { callerType: string; id: string | null; user: { id: string; email: string } | null } | null;
}

const LIST = `query ($first: Int, $after: String, $filter: AuditEventFilter) {
  auditEvents(first: $first, after: $after, filter: $filter) {
    nodes { id eventType entityType entityId sessionId actor { callerType id user { id email } } }
    pageInfo { hasNextPage endCursor }
    totalCount { count precision }
  }
}`;

/** The events that match, newest first; their number is also the `totalCount`. */
async function events(filter: object = {}): Promise<Node[]> {
  const { auditEvents } = await dataOf(gateway, reader, LIST, { first: 50, filter });
  expect(auditEvents.totalCount).toEqual({ count: auditEvents.nodes.length, precision: 'exact' });
  return auditEvents.nodes;
}

/** Types of the events that match, in alphabetical order: those of one moment have none. */
async function types(filter: object): Promise<string> {
  return (await events(filter))
    .map(({ eventType }) => eventType)
    .toSorted()
    .join(' ');
}

async function eventOf(eventType: string): Promise<Node> {
  const [event, ...others] = await events({ eventTypes: [eventType] });
  if (event === undefined || others.length > 0) throw new Error(`${others.length + 1} or no events ${eventType}`);
  return event;
}

/** Every scope, which changes of roles need */
const SCOPES = [
  ...['users:read', 'users:write', 'sessions:write', 'audit:read', 'keys:read', 'keys:write'],
  ...['webhooks:read', 'webhooks:write', 'gateway:read', 'tokens:introspect'],
];

const familyOf = ({ accessToken }: SignedIn) => String(claimsOf(accessToken)['sid']);
const mutation = (
  as: As,
  name: string,
  input: object,
  fields: string,
  type = `${name[0]?.toUpperCase()}${name.slice(1)}`,
) => dataOf(gateway, as, `mutation ($input: ${type}Input!) { ${name}(input: $input) { ${fields} } }`, { input });
const setRole = (as: As, id: string, role: string) => mutation(as, 'setUserRole', { id, role }, 'user { id }');

test('Interface 11: each kind of actor is named, and found by its id', async () => {
  const admin = await newcomer(gateway, 'admin');
  const user = await gateway.user({ role: 'viewer' });
  let role = 'viewer';
  const [key, cron] = [await newApiKey(gateway, SCOPES), await newCronKey(gateway, SCOPES)];
  for (const [actor, as] of [
    [{ callerType: 'user', id: admin.user.id, user: { id: admin.user.id, email: admin.user.email } }, admin.as],
    [{ callerType: 'api_key', id: key.keyId, user: null }, key.as],
    [{ callerType: 'cron', id: cron.keyId, user: null }, cron.as],
  ] as const) {
    role = role === 'viewer' ? 'analyst' : 'viewer';
    await setRole(as, user.id, role);
    const found = await events({ actorId: actor.id });
    expect(found).toMatchObject([{ eventType: 'user_role_changed', entityId: user.id, actor, sessionId: null }]);
    expect(await events({ actorId: user.id })).toEqual([]); // to whom it was done
  }
  await gateway.rows('delete from audit_events');
  await newApiKey(gateway);
  expect((await eventOf('api_key_created')).actor).toEqual({ callerType: 'cli', id: null, user: null });
  await login(gateway, user.email, WRONG);
  expect((await eventOf('login_failure')).actor).toBeNull();
});

test('Interface 11: the changes of one administrator, of one type, about one user, each filter together with the others', async () => {
  const [anna, bert] = [await newcomer(gateway, 'admin'), await newcomer(gateway, 'admin')];
  const [one, two] = [await gateway.user(), await gateway.user()];
  await gateway.rows('delete from audit_events');
  await setRole(anna.as, one.id, 'analyst');
  await setRole(bert.as, two.id, 'analyst');
  gateway.clock.advance(1);
  const later = gateway.clock.now().toISOString();
  await setRole(anna.as, two.id, 'viewer');
  await mutation(anna.as, 'setUserActive', { id: two.id, isActive: false }, 'user { id }');
  const byAnna = { actorId: anna.user.id };
  const changed = 'user_role_changed';
  expect(await types(byAnna)).toBe(`user_deactivated ${changed} ${changed}`);
  expect(await types({ actorId: anna.user.id.toUpperCase() })).toBe(await types(byAnna));
  expect(await types({ ...byAnna, eventTypes: [changed] })).toBe(`${changed} ${changed}`);
  expect(await types({ ...byAnna, eventTypes: [changed, 'user_deactivated'], since: later })).toBe(
    `user_deactivated ${changed}`,
  );
  expect(await types({ ...byAnna, until: later })).toBe(changed);
  expect(await types({ ...byAnna, entityId: two.id })).toBe(`user_deactivated ${changed}`);
  expect(await types({ ...byAnna, userId: one.id })).toBe(changed);
  expect(await types({ ...byAnna, email: two.email, entityId: two.id })).toBe(`user_deactivated ${changed}`);
  expect(await types({ ...byAnna, email: two.email, entityId: one.id })).toBe('');
  expect(await types({ ...byAnna, ipAddress: '192.0.2.1' })).toBe('');
  expect(await types({ entityId: two.id })).toBe(`user_deactivated ${changed} ${changed}`);
  expect(await types({ ...byAnna, sessionId: familyOf(anna) })).toBe('');
  expect(await types({ actorId: null, entityId: null, sessionId: null })).toBe(
    `user_deactivated ${`${changed} `.repeat(3).trim()}`,
  );
});

test('Interface 11: the history of an API key, a cron key, a webhook and a user, and nothing of others', async () => {
  const admin = await newcomer(gateway, 'admin');
  const other = await newApiKey(gateway);
  await gateway.rows('delete from audit_events');
  const input = { serviceName: 's', scopes: [], rateLimit: 5 };
  const { createApiKey } = await mutation(admin.as, 'createApiKey', input, 'apiKey { id }');
  const key: string = createApiKey.apiKey.id;
  await mutation(admin.as, 'rotateApiKey', { id: key }, 'apiKey { id }');
  await mutation(admin.as, 'rotateApiKey', { id: other.keyId }, 'apiKey { id }');
  const { createCronKey } = await mutation(
    admin.as,
    'createCronKey',
    { serviceName: 's', scopes: [] },
    'cronKey { id }',
  );
  const cron: string = createCronKey.cronKey.id;
  const url = 'https://hooks.example.com/x';
  const { createWebhook } = await mutation(admin.as, 'createWebhook', { url }, 'webhook { id }');
  const webhook: string = createWebhook.webhook.id;
  await mutation(admin.as, 'pauseWebhook', { id: webhook }, 'webhook { id }', 'PauseWebhook');

  const history = async (entityId: string) =>
    (await events({ entityId }))
      .map((event) => `${event.eventType} ${event.entityType} ${event.entityId === entityId}`)
      .toSorted();
  expect(await history(key)).toEqual(['api_key_created api_key true', 'api_key_rotated api_key true']);
  expect(await history(cron)).toEqual(['cron_key_created cron_key true']);
  expect(await history(webhook)).toEqual(['webhook_created webhook true', 'webhook_paused webhook true']);
  expect(await types({ entityId: webhook.toUpperCase() })).toBe('webhook_created webhook_paused');
  expect(await types({ entityId: key, actorId: admin.user.id })).toBe('api_key_created api_key_rotated');
  expect(await types({ entityId: key, actorId: other.keyId })).toBe('');
  expect(await types({ entityId: other.keyId })).toBe('api_key_rotated');
  expect(await types({ entityId: admin.user.id })).toBe(''); // who made the changes
  expect(await types({ entityId: admin.user.id.toUpperCase() })).toBe('');
  await login(gateway, admin.user.email, WRONG);
  expect(await types({ entityId: admin.user.id })).toBe('login_failure');
  expect(await types({ entityId: admin.user.id.toUpperCase() })).toBe('login_failure');
});

test('Interface 11: the keyring and an unknown user have no id', async () => {
  const metadata = { actor: { caller_type: 'cli' }, added: [], dropped: [] };
  await gateway.rows(
    `insert into audit_events (event_type, entity_type, ip_address, metadata) values ('keyring_rotated', 'keyring', 'cli', $1)`,
    [metadata],
  );
  await login(gateway, 'nobody@example.com', WRONG);
  expect(await eventOf('keyring_rotated')).toMatchObject({ entityType: 'keyring', entityId: null, sessionId: null });
  expect(await eventOf('login_failure')).toMatchObject({ entityType: 'user', entityId: null, sessionId: null });
});

test('Interface 11: an event about a webhook that also has a user is found by the webhook alone, once', async () => {
  const { id } = await gateway.user();
  const [webhook] = await gateway.rows<{ id: string }>('select gen_random_uuid() as id');
  for (const webhookId of [webhook?.id, id]) {
    await gateway.rows(
      `insert into audit_events (event_type, entity_type, user_id, ip_address, metadata) values ('webhook_paused', 'webhook', $1, '', $2)`,
      [id, { webhook_id: webhookId }],
    );
  }
  expect(await types({ entityId: webhook?.id })).toBe('webhook_paused');
  expect(await types({ entityId: id })).toBe('user_created webhook_paused');
});

test.each(['no-uuid', '', "' or true --", 'ak_', '00000000-0000-7000-8000-00000000000g'])(
  'Interface 11: the id %j finds no events',
  async (id) => {
    const { as, user } = await newcomer(gateway, 'admin');
    await setRole(as, (await gateway.user()).id, 'analyst');
    expect((await events({ entityId: user.id })).length).toBeGreaterThan(0);
    for (const filter of ['actorId', 'entityId', 'sessionId']) expect(await events({ [filter]: id })).toEqual([]);
  },
);

/** What a filter by the session finds is what the field says of all events, also for sessions of the same user. */
async function expectSameByField(sessionId: string): Promise<void> {
  const ids = (nodes: Node[]) => nodes.map(({ id }) => id);
  const all = await events();
  expect(ids(await events({ sessionId }))).toEqual(ids(all.filter((event) => event.sessionId === sessionId)));
}

/** Two sessions of one user, a second apart. */
async function twoSessions(): Promise<[SignedIn, SignedIn]> {
  const first = await newcomer(gateway);
  gateway.clock.advance(1);
  const answer = await login(gateway, first.user.email);
  gateway.clock.advance(1);
  const { access_token: accessToken } = answer.json;
  return [first, { ...first, accessToken, refreshToken: refreshTokenOf(answer) ?? '' }];
}

test('Interface 11: a session: its login and its logouts, also after a rotation, and of a token that was used before', async () => {
  const [caller, other] = await twoSessions();
  const rotated = refreshTokenOf(await refresh(gateway, caller.refreshToken)) ?? '';
  gateway.clock.advance(1);
  await logout(gateway, caller.refreshToken); // used, so it ends nothing
  gateway.clock.advance(1);
  await logout(gateway, rotated);
  gateway.clock.advance(1);
  await logout(gateway, rotated); // again
  await logout(gateway, other.refreshToken);
  const sessionId = familyOf(caller);
  const found = await events({ sessionId });
  expect(found.map((event) => [event.eventType, event.sessionId])).toEqual([
    ['logout', sessionId],
    ['logout', sessionId],
    ['logout', sessionId],
    ['login_success', sessionId],
  ]);
  expect(await types({ sessionId: familyOf(other) })).toBe('login_success logout');
  expect(await types({ sessionId: sessionId.toUpperCase() })).toBe(await types({ sessionId }));
  expect(await types({ sessionId, eventTypes: ['login_success', 'token_theft'] })).toBe('login_success');
  expect(await types({ sessionId, userId: other.user.id, email: other.user.email })).toBe(await types({ sessionId }));
  for (const each of [caller, other]) await expectSameByField(familyOf(each));
});

test('Interface 11: a session: a theft, a revocation, and what was done with its access token', async () => {
  const [caller, other] = await twoSessions();
  const admin = await newcomer(gateway, 'admin');
  await refresh(gateway, caller.refreshToken);
  await refresh(gateway, caller.refreshToken);
  await changePassword(gateway, other.accessToken, ANOTHER, WRONG);
  const revoked = `mutation { revokeSession(input: { id: "${familyOf(other)}" }) { session { id } } }`;
  await dataOf(gateway, admin.as, revoked);
  expect(await types({ sessionId: familyOf(caller) })).toBe('login_success token_theft');
  expect(await types({ sessionId: familyOf(other) })).toBe('login_success password_change_failed session_revoked');
  expect(await types({ sessionId: familyOf(other), actorId: admin.user.id })).toBe('session_revoked');
  for (const each of [caller, other, admin]) await expectSameByField(familyOf(each));
});

test('Interface 11: what ends every session of a user is of no one session', async () => {
  const { user, ...caller } = await newcomer(gateway);
  const admin = await newcomer(gateway, 'admin');
  await mutation(admin.as, 'setUserActive', { id: user.id, isActive: false }, 'user { id }');
  expect((await eventOf('user_deactivated')).sessionId).toBeNull();
  expect(await types({ sessionId: familyOf({ user, ...caller }) })).toBe('login_success');
});

test('Interface 11: two logins of a user in one millisecond are of neither session', async () => {
  const first = await newcomer(gateway);
  const second = { ...first, accessToken: (await login(gateway, first.user.email)).json.access_token };
  await logout(gateway, first.refreshToken);
  const logins = await events({ eventTypes: ['login_success'], userId: first.user.id });
  expect(logins.map(({ sessionId }) => sessionId)).toEqual([null, null]);
  expect(await types({ sessionId: familyOf(first) })).toBe('logout');
  for (const each of [first, second]) await expectSameByField(familyOf(each));
});

test('Interface 11: of a swept session only the events remain that have it in their metadata', async () => {
  const passed = TTL_SECONDS + 86_400 + 3_600;
  gateway.clock.advance(-passed); // sweeping also asks the clock of the database
  const [caller, other] = await twoSessions();
  await refresh(gateway, caller.refreshToken);
  await refresh(gateway, caller.refreshToken);
  await logout(gateway, other.refreshToken);
  gateway.clock.advance(passed);
  await sweep(gateway.app.db, expiringRows({ auditRetentionDays: 365 }), gateway.clock.now());
  expect(await gateway.rows('select from sessions where user_id = $1', [caller.user.id])).toEqual([]);
  expect(await types({ sessionId: familyOf(caller) })).toBe('token_theft');
  expect(await types({ sessionId: familyOf(other) })).toBe('');
  const found = await events({ userId: caller.user.id });
  expect(found.map(({ eventType, sessionId }) => `${eventType} ${sessionId}`).toSorted()).toEqual([
    'login_success null',
    'login_success null',
    'logout null',
    `token_theft ${familyOf(caller)}`,
    'user_created null',
  ]);
});

test('Interface 11: a logout whose token is no UUID has no session', async () => {
  const { user } = await newcomer(gateway);
  await gateway.rows(
    `insert into audit_events (event_type, user_id, ip_address, metadata) values ('logout', $1, '', '{"jti": "x"}')`,
    [user.id],
  );
  expect((await eventOf('logout')).sessionId).toBeNull();
});

test('Interface 11: pages of each filter contain every event exactly once', async () => {
  const admin = await newcomer(gateway, 'admin');
  const { keyId } = await newApiKey(gateway);
  const [caller] = await twoSessions();
  await gateway.rows(`delete from audit_events where event_type <> 'login_success' or user_id <> $1`, [caller.user.id]);
  for (let i = 0; i < 4; i += 1) {
    await mutation(admin.as, 'rotateApiKey', { id: keyId, force: true }, 'apiKey { id }');
    await logout(gateway, caller.refreshToken);
    await changePassword(gateway, caller.accessToken, ANOTHER, WRONG);
    if (i % 2 === 1) gateway.clock.advance(1);
  }
  for (const [filter, expected] of [
    [{ actorId: admin.user.id }, 4],
    [{ entityId: keyId }, 4],
    [{ entityId: caller.user.id }, 10],
    [{ sessionId: familyOf(caller) }, 9],
  ] as const) {
    const all = (await events(filter)).map(({ id }) => id);
    expect(all).toHaveLength(expected);
    const seen: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { auditEvents } = await dataOf(gateway, reader, LIST, { first: 3, after, filter });
      seen.push(...auditEvents.nodes.map(({ id }: Node) => id));
      expect(auditEvents.totalCount.count).toBe(expected);
      ({ hasNextPage: more, endCursor: after } = auditEvents.pageInfo);
    }
    expect(seen).toEqual(all);
  }
});

test('Interface 11: counts take the same filters', async () => {
  const admin = await newcomer(gateway, 'admin');
  const { keyId } = await newApiKey(gateway);
  await mutation(admin.as, 'rotateApiKey', { id: keyId }, 'apiKey { id }');
  const span = {
    since: gateway.clock.now().toISOString(),
    until: new Date(gateway.clock.now().getTime() + 1).toISOString(),
  };
  const text = 'query ($filter: AuditCountFilter!) { auditCounts(bucket: day, filter: $filter) { eventType count } }';
  for (const [filter, eventTypes] of [
    [{ actorId: admin.user.id }, ['api_key_rotated']],
    [{ entityId: keyId }, ['api_key_created', 'api_key_rotated']],
    [{ sessionId: familyOf(admin) }, ['login_success']],
  ] as const) {
    const { auditCounts } = await dataOf(gateway, reader, text, { filter: { ...span, ...filter } });
    expect(auditCounts).toEqual(eventTypes.map((eventType) => ({ eventType, count: 1 })));
  }
});

test('Interface 11: the new fields and filters need audit:read, and the user of an actor users:read', async () => {
  const admin = await newcomer(gateway, 'admin');
  await setRole(admin.as, (await gateway.user()).id, 'analyst');
  const filters = [{ actorId: admin.user.id }, { entityId: admin.user.id }, { sessionId: familyOf(admin) }];
  const { as: outsider } = await newApiKey(gateway, ['users:read']);
  for (const filter of filters) {
    const refused = await ask(gateway, outsider, LIST, { filter });
    expect([refused.data, refused.code]).toEqual([{ auditEvents: null }, 'FORBIDDEN']);
    expect(refused.errors[0]?.extensions).toMatchObject({ reason: 'scope_missing', requiredScope: 'audit:read' });
  }
  const partly = await ask(gateway, auditor, LIST, { filter: filters[0] });
  expect(partly.data.auditEvents.nodes).toMatchObject([
    { actor: { callerType: 'user', id: admin.user.id, user: null } },
  ]);
  expect(partly.errors.map(({ path, extensions }) => [path?.join('.'), extensions['requiredScope']])).toEqual([
    ['auditEvents.nodes.0.actor.user', 'users:read'],
  ]);
});

test('Interface 11: no N+1: users, actors and sessions of a page take one statement each', async () => {
  const admin = await newcomer(gateway, 'admin');
  for (let i = 0; i < 3; i += 1) {
    const { user, refreshToken } = await newcomer(gateway);
    await setRole(admin.as, user.id, 'analyst');
    await logout(gateway, refreshToken);
  }
  const work = countWork();
  await work.watch(gateway.app.db);
  const text =
    '{ auditEvents { nodes { sessionId user { id } actor { user { id } } } edges { node { sessionId user { email } } } } }';
  const [{ auditEvents }, { statements }] = await work.during(() => dataOf(gateway, reader, text));
  expect(auditEvents.nodes.filter(({ sessionId }: Node) => sessionId !== null)).toHaveLength(1 + 3 * 2);
  expect(auditEvents.nodes.filter(({ actor }: Node) => actor?.user?.id === admin.user.id)).toHaveLength(3);
  const reads = (table: string) => statements.filter((sql) => sql.includes(table)).length;
  expect([reads('from users'), reads('from refresh_tokens')]).toEqual([1, 1]);
  const [, { statements: without }] = await work.during(() =>
    dataOf(gateway, reader, '{ auditEvents { nodes { id actor { id } } } }'),
  );
  expect(without.filter((sql) => /from (users|refresh_tokens|sessions)/.test(sql))).toEqual([]);
});

test('Interface 11: the events of a session cost 3,000 more, so at most three in an operation', async () => {
  const page = (i: number) => `a${i}: auditEvents(first: 1, filter: { sessionId: "x" }) { nodes { id } }`;
  const many = (times: number) => `{ ${Array.from({ length: times }, (_, i) => page(i)).join(' ')} }`;
  expect((await ask(gateway, reader, many(3))).errors).toEqual([]);
  expect(await ask(gateway, reader, many(4))).toMatchObject({ status: 400, code: 'OPERATION_TOO_COSTLY' });
  const cheap = many(4).replaceAll('sessionId: "x"', 'sessionId: null');
  expect((await ask(gateway, reader, cheap)).errors).toEqual([]);
});

test('Interface 11: a request that named no active user leads to who has the e-mail now, or had it last', async () => {
  const admin = await newcomer(gateway, 'admin');
  const named = async (email: string): Promise<string | null> => {
    const asked = `query ($filter: AuditEventFilter) { auditEvents(filter: $filter) { nodes { userId userOfEmail { email } } } }`;
    const filter = { email, eventTypes: ['login_failure'] };
    const { auditEvents } = await dataOf(gateway, reader, asked, { filter });
    const [{ userId, userOfEmail }] = auditEvents.nodes;
    expect(userId).toBeNull();
    return userOfEmail?.email ?? null;
  };
  const setActive = (id: string, isActive: boolean) =>
    mutation(admin.as, 'setUserActive', { id, isActive }, 'user { id }');
  const setEmail = (id: string, email: string) => mutation(admin.as, 'setUserEmail', { id, email }, 'user { id }');
  const ada = await gateway.user();
  await setActive(ada.id, false);
  await login(gateway, ada.email);
  await login(gateway, 'nobody@example.com');
  expect(await named('nobody@example.com')).toBeNull();
  expect(await named(ada.email)).toBe(ada.email);
  await setActive(ada.id, true);
  expect(await named(ada.email)).toBe(ada.email);
  await setEmail(ada.id, 'countess@example.com');
  expect(await named(ada.email)).toBe('countess@example.com');
  gateway.clock.advance(1);
  await setEmail(ada.id, 'lovelace@example.com');
  expect(await named(ada.email)).toBe('lovelace@example.com');
  const bert = await gateway.user({ email: 'nobody@example.com' });
  expect(await named('nobody@example.com')).toBe(bert.email);
  gateway.clock.advance(1);
  await setEmail(bert.id, ada.email); // who has it now goes before who had it
  expect(await named(ada.email)).toBe(ada.email);
  await setEmail(bert.id, 'bert@example.com'); // both had it: the last one
  expect(await named(ada.email)).toBe('bert@example.com');
  const { auditEvents } = await dataOf(gateway, reader, '{ auditEvents { nodes { userId userOfEmail { id } } } }');
  for (const { userId, userOfEmail } of auditEvents.nodes) if (userId !== null) expect(userOfEmail).toBeNull();
});

test('Interface 15: an erased administrator is an id, and neither a user nor an e-mail', async () => {
  const admin = await newcomer(gateway, 'admin');
  await newcomer(gateway, 'admin');
  await setRole(admin.as, (await gateway.user()).id, 'analyst');
  await eraseUser(gateway.app, COMMAND_LINE, admin.user.id);
  const [change] = await events({ actorId: admin.user.id });
  expect(change).toMatchObject({ eventType: 'user_role_changed', actor: { id: admin.user.id, user: null } });
  const about = await events({ entityId: admin.user.id });
  expect(about.map(({ eventType }) => eventType)).toEqual(
    expect.arrayContaining(['user_erased', 'user_deleted', 'login_success']),
  );
  expect(await types({ sessionId: familyOf(admin) })).toBe('login_success');
  expect(JSON.stringify([change, about])).not.toContain(admin.user.email);
});

test('Interface 11: a login, a failed one and a logout are in none of the indexes of the lookups', async () => {
  const { user, refreshToken } = await newcomer(gateway);
  await logout(gateway, refreshToken);
  await login(gateway, user.email, WRONG);
  const indexes = await gateway.rows<{ name: string; predicate: string | null }>(
    `select indexrelid::regclass::text as name, pg_get_expr(indpred, indrelid) as predicate from pg_index
     where indrelid = 'audit_events'::regclass order by 1`,
  );
  const held: Record<string, string[]> = { login_success: [], login_failure: [], logout: [] };
  for (const { name, predicate } of indexes) {
    const rows = await gateway.rows<{ type: string }>(
      `select distinct event_type as type from audit_events where ${predicate ?? 'true'}`,
    );
    for (const { type } of rows) held[type]?.push(name.replace('audit_events_', ''));
  }
  const always = ['event_type', 'ip_address', 'newest', 'pkey', 'user_id', 'written'];
  expect(held).toEqual({ login_success: always, login_failure: ['email', ...always], logout: always });
  expect(indexes.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['audit_events_actor', 'audit_events_entity', 'audit_events_session']),
  );
});
