/** The audit log, newest first, with filters and pages. (Interface 11) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newApiKey } from '../support/gateway/graphql.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { countWork } from '../support/gateway/work.js';

let gateway: TestGateway;
let as: As;
beforeAll(async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
  ({ as } = await newApiKey(gateway, ['audit:read']));
});
afterAll(() => gateway.close());
beforeEach(() => gateway.rows('delete from audit_events'));

const LIST = `query ($first: Int, $after: String, $filter: AuditEventFilter) {
  auditEvents(first: $first, after: $after, filter: $filter) {
    edges { cursor node { id eventType userId metadata } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

interface Edge {
  cursor: string;
  node: { id: string; eventType: string; userId: string | null; metadata: Record<string, unknown> };
}

const cursor = (...key: unknown[]) => Buffer.from(JSON.stringify(key)).toString('base64url');

interface Row {
  type?: string;
  user?: string | null;
  ip?: string;
  metadata?: object;
  /** Text that PostgreSQL reads, to the microsecond */
  at?: string;
}

const [ANNA, BOB] = ['00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-00000000000b'];
const NOON = '2026-03-04T12:00:00Z';

async function insert(name: string, { type = 'logout', user = null, ip = '192.0.2.1', metadata = {}, at = NOON }: Row) {
  await gateway.rows(
    `insert into audit_events (event_type, user_id, ip_address, metadata, created_at) values ($1, $2, $3, $4, $5)`,
    [type, user, ip, { ...metadata, name }, at],
  );
}

/** Names of the events that match a filter, newest first. */
async function names(filter: object): Promise<string> {
  const { auditEvents } = await dataOf(gateway, as, LIST, { first: 100, filter });
  return auditEvents.edges.map(({ node }: Edge) => node.metadata['name']).join('');
}

test('Interface 11: returns every field of an event, newest first', async () => {
  const user = await gateway.user();
  gateway.clock.advance(0.001);
  await login(gateway, user.email, WRONG, { 'x-forwarded-for': '192.0.2.77', 'user-agent': 'Tablet/3' });
  const fields = 'id eventType entityType userId ipAddress userAgent metadata createdAt';
  const { auditEvents } = await dataOf(gateway, as, `{ auditEvents { edges { node { ${fields} } } } }`);
  const [failure, created] = auditEvents.edges.map(({ node }: Edge) => node);
  expect(failure).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    eventType: 'login_failure',
    entityType: 'user',
    userId: user.id,
    ipAddress: '192.0.2.77',
    userAgent: 'Tablet/3',
    metadata: { reason: 'invalid_credentials', email: user.email },
    createdAt: gateway.clock.now().toISOString(),
  });
  expect(created).toMatchObject({ eventType: 'user_created', metadata: { actor: { caller_type: 'cli' } } });
});

test('Interface 11: filters thefts apart from tokens whose session had been ended', async () => {
  await insert('a', { type: 'token_theft', user: ANNA });
  await insert('b', {
    type: 'token_theft',
    user: ANNA,
    metadata: { ended_by: 'session_revoked' },
    at: '2026-03-04T13:00:00Z',
  });
  await insert('c', { type: 'token_theft', user: BOB, at: '2026-03-04T14:00:00Z' });
  await insert('d', { type: 'logout', user: BOB, at: '2026-03-04T15:00:00Z' });
  for (const [filter, expected] of [
    [{ isTheft: true }, 'ca'],
    [{ isTheft: false }, 'b'],
    [{ isTheft: null }, 'dcba'],
    [{ isTheft: true, eventTypes: ['token_theft', 'logout'] }, 'ca'],
    [{ isTheft: false, eventTypes: ['logout'] }, ''],
    [{ isTheft: true, userId: ANNA }, 'a'],
  ] as const) {
    expect([filter, await names(filter)]).toEqual([filter, expected]);
    const { auditEvents, auditCounts } = await dataOf(
      gateway,
      as,
      `query ($filter: AuditEventFilter, $counted: AuditCountFilter!) {
        auditEvents(filter: $filter) { totalCount { count } }
        auditCounts(bucket: day, filter: $counted) { count }
      }`,
      { filter, counted: { ...filter, since: '2026-03-04T00:00:00Z', until: '2026-03-05T00:00:00Z' } },
    );
    const counted = auditCounts.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
    expect([auditEvents.totalCount.count, counted]).toEqual([expected.length, expected.length]);
  }
});

test('Interface 11: filters by types, user, address and time, each alone and together', async () => {
  await insert('a', { type: 'logout', user: ANNA, at: '2026-03-04T12:00:00Z' });
  await insert('b', { type: 'login_success', user: ANNA, at: '2026-03-04T12:00:01Z' });
  await insert('c', { type: 'login_failure', user: BOB, at: '2026-03-04T12:00:02Z' });
  await insert('d', { type: 'login_success', user: BOB, ip: '2001:db8::1', at: '2026-03-04T12:00:03Z' });
  await insert('e', { type: 'logout', ip: '2001:db8::1', at: '2026-03-04T12:00:04Z' });
  expect(await names({})).toBe('edcba');
  expect(await names({ eventTypes: ['logout'] })).toBe('ea');
  expect(await names({ eventTypes: ['login_success', 'logout'] })).toBe('edba');
  expect(await names({ eventTypes: ['token_theft'] })).toBe('');
  expect(await names({ eventTypes: [] })).toBe(''); // no types, no events
  expect(await names({ userId: ANNA })).toBe('ba');
  expect(await names({ userId: ANNA.toUpperCase() })).toBe('ba');
  expect(await names({ ipAddress: '2001:db8::1' })).toBe('ed');
  expect(await names({ userId: BOB, ipAddress: '2001:db8::1' })).toBe('d');
  expect(await names({ userId: ANNA, eventTypes: ['login_success', 'login_failure'] })).toBe('b');
  expect(await names({ since: '2026-03-04T12:00:01Z' })).toBe('edcb'); // inclusive
  expect(await names({ until: '2026-03-04T12:00:01Z' })).toBe('a'); // exclusive
  expect(await names({ since: '2026-03-04T12:00:01Z', until: '2026-03-04T12:00:03Z' })).toBe('cb');
  expect(await names({ since: '2026-03-04T13:00:01+01:00', until: NOON })).toBe('');
  const all = { eventTypes: ['login_success'], userId: BOB, ipAddress: '2001:db8::1', since: NOON };
  expect(await names({ ...all, until: '2026-03-04T12:00:04Z' })).toBe('d');
  expect(await names({ eventTypes: null, userId: null, ipAddress: null, email: null, since: null, until: null })).toBe(
    'edcba',
  );
});

test('Interface 11: a type that is requested twice is listed once', async () => {
  await insert('a', { type: 'logout' });
  expect(await names({ eventTypes: ['logout', 'logout'] })).toBe('a');
});

test('Interface 11: the e-mail finds the events of its user and failed logins with it, each once', async () => {
  const { id, email } = await gateway.user();
  const other = await gateway.user();
  await gateway.rows('delete from audit_events');
  await insert('a', { type: 'login_failure', user: id, metadata: { email }, at: '2026-03-04T12:00:01Z' }); // both
  await insert('b', { type: 'logout', user: id, at: '2026-03-04T12:00:02Z' });
  await insert('c', { type: 'login_failure', user: other.id, metadata: { email: other.email } });
  await insert('d', { type: 'login_failure', metadata: { email }, at: '2026-03-04T12:00:03Z' }); // while inactive
  await insert('e', { type: 'login_failure', metadata: { email: 'ghost@example.com' } });
  await insert('f', { type: 'user_created', user: id, metadata: { email: 'former@example.com' }, at: NOON });
  expect(await names({ email })).toBe('dbaf');
  expect(await names({ email: ` ${email.toUpperCase()} ` })).toBe('dbaf');
  expect(await names({ email: 'ghost@example.com' })).toBe('e');
  expect(await names({ email: 'nobody@example.com' })).toBe('');
  expect(await names({ email, eventTypes: ['login_failure'] })).toBe('da');
  expect(await names({ email, eventTypes: ['login_failure', 'logout'], since: '2026-03-04T12:00:02Z' })).toBe('db');
});

test.each(['no-uuid', '', "' or true --"])('Interface 11: the user %j has no events', async (userId) => {
  await insert('a', { user: ANNA });
  expect(await names({ userId })).toBe('');
});

test('Interface 11: pages contain every event exactly once, at equal times and to the microsecond', async () => {
  const at = (i: number) => `2026-03-04T12:00:00.0000${String(Math.floor(i / 4)).padStart(2, '0')}Z`; // four each
  for (let i = 0; i < 40; i += 1) await insert(`${i}`, { at: at(i), type: i % 2 ? 'logout' : 'login_success' });
  const stored = await gateway.rows<{ id: string }>('select id from audit_events order by created_at desc, id desc');
  for (const filter of [{}, { eventTypes: ['logout', 'login_success'] }, { ipAddress: '192.0.2.1' }]) {
    const seen: string[] = [];
    let after: string | null = null;
    for (let page = 0; ; page += 1) {
      const { auditEvents } = await dataOf(gateway, as, LIST, { first: 3, after, filter });
      const edges: Edge[] = auditEvents.edges;
      seen.push(...edges.map(({ node }) => node.id));
      const [startCursor, endCursor] = [edges[0]?.cursor, edges.at(-1)?.cursor];
      const hasNextPage = page < 13;
      expect(auditEvents.pageInfo).toEqual({ hasNextPage, hasPreviousPage: page > 0, startCursor, endCursor });
      if (!hasNextPage) break;
      if (page === 5) await insert('new', { at: '2026-03-05T00:00:00Z' }); // before every cursor
      after = auditEvents.pageInfo.endCursor;
    }
    expect(seen).toEqual(stored.map(({ id }) => id));
    await gateway.rows(`delete from audit_events where metadata ->> 'name' = 'new'`);
  }
});

test('Interface 11: `until` and `after` both apply, whichever is earlier, to the microsecond', async () => {
  const at = (micros: string) => `2026-03-04T12:00:00.${micros}Z`;
  const ids: string[] = [];
  for (const micros of ['000999', '001000', '001500', '002000', '002001']) {
    await insert(micros, { at: at(micros) });
    const [row] = await gateway.rows<{ id: string }>('select id from audit_events order by created_at desc limit 1');
    ids.push(row?.id ?? '');
  }
  const between = async (after: number, until: string) => {
    const [micros, id] = [['000999', '001000', '001500', '002000', '002001'][after] ?? '', ids[after]];
    const variables = { after: cursor(at(micros), id), filter: { until } };
    const { auditEvents } = await dataOf(gateway, as, LIST, variables);
    return auditEvents.edges.map(({ node }: Edge) => node.metadata['name']).join(' ');
  };
  expect(await between(4, at('002'))).toBe('001500 001000 000999');
  expect(await between(3, at('002'))).toBe('001500 001000 000999');
  expect(await between(2, at('002'))).toBe('001000 000999');
  expect(await between(2, at('001'))).toBe('000999');
  expect(await between(0, at('002'))).toBe('');
});

test('Interface 11: a full last page says that nothing follows', async () => {
  for (const name of ['a', 'b']) await insert(name, {});
  const { auditEvents } = await dataOf(gateway, as, LIST, { first: 2 });
  expect(auditEvents.pageInfo.hasNextPage).toBe(false);
});

const TOTAL = `query ($filter: AuditEventFilter) {
  auditEvents(first: 1, filter: $filter) { nodes { id } totalCount { count precision } }
}`;

async function total(filter: object): Promise<string> {
  const { auditEvents } = await dataOf(gateway, as, TOTAL, { filter });
  return `${auditEvents.totalCount.precision} ${auditEvents.totalCount.count}`;
}

test('Interface 11: totalCount counts the matching events of all pages, each once', async () => {
  const { id, email } = await gateway.user();
  await gateway.rows('delete from audit_events');
  expect(await total({})).toBe('exact 0');
  await insert('a', { type: 'login_failure', user: id, metadata: { email } }); // by its user and by its e-mail
  await insert('b', { type: 'logout', user: id });
  await insert('c', { type: 'login_failure', metadata: { email } });
  await insert('d', { type: 'login_failure', metadata: { email: 'ghost@example.com' }, at: '2026-03-05T00:00:00Z' });
  expect(await total({})).toBe('exact 4');
  expect(await total({ email })).toBe('exact 3');
  expect(await total({ email, eventTypes: ['login_failure', 'logout', 'logout'] })).toBe('exact 3');
  expect(await total({ email, eventTypes: ['login_failure'] })).toBe('exact 2');
  expect(await total({ eventTypes: [] })).toBe('exact 0');
  expect(await total({ since: '2026-03-05T00:00:00Z' })).toBe('exact 1');
  expect(await total({ until: '2026-03-05T00:00:00Z', userId: id })).toBe('exact 2');
});

test('Interface 11: totalCount is exact up to 10,000 and stops there, also over several types', async () => {
  const add = (count: number, type: string) =>
    gateway.rows(
      `insert into audit_events (event_type, ip_address, metadata, created_at)
       select $1, '', '{}', $2::timestamptz + i * interval '1 s' from generate_series(1, $3::int) as i`,
      [type, NOON, count],
    );
  await add(9_999, 'logout');
  await add(1, 'login_success');
  const both = { eventTypes: ['logout', 'login_success'] };
  expect([await total({}), await total(both)]).toEqual(['exact 10000', 'exact 10000']);
  await add(1, 'login_success');
  expect([await total({}), await total(both)]).toEqual(['at_least 10000', 'at_least 10000']);
  expect(await total({ eventTypes: ['logout'] })).toBe('exact 9999');
});

test('Interface 11: totalCount is only read if requested, and ten of them cost too much', async () => {
  const work = countWork();
  await work.watch(gateway.app.db);
  const page = (fields: string, times = 1) =>
    `{ ${Array.from({ length: times }, (_, i) => `a${i}: auditEvents(first: 1) { ${fields} }`).join(' ')} }`;
  const reads = async (text: string) => {
    const [, { statements }] = await work.during(() => dataOf(gateway, as, text));
    return statements.filter((sql) => sql.includes('from audit_events')).length;
  };
  expect(await reads(page('nodes { id }'))).toBe(1);
  expect(await reads(page('totalCount { count }'))).toBe(2);
  expect(await reads(page('totalCount { count }', 9))).toBe(18);
  const tooMany = await ask(gateway, as, page('totalCount { count }', 10));
  expect(tooMany).toMatchObject({ status: 400, code: 'OPERATION_TOO_COSTLY' });
});

test('Interface 11: the user of an event needs users:read; without it the rest of the page is still returned', async () => {
  const { id, email } = await gateway.user();
  await gateway.rows('delete from audit_events');
  await insert('a', { type: 'logout', user: id, at: '2026-03-04T12:00:02Z' });
  await insert('b', { type: 'logout', user: ANNA, at: '2026-03-04T12:00:01Z' }); // deleted
  await insert('c', { type: 'login_failure' });
  const text = '{ auditEvents(first: 3) { nodes { userId user { id email } } } }';
  const { as: reader } = await newApiKey(gateway, ['audit:read', 'users:read']);
  await gateway.rows(`delete from audit_events where event_type = 'api_key_created'`);
  expect((await dataOf(gateway, reader, text)).auditEvents.nodes).toEqual([
    { userId: id, user: { id, email } },
    { userId: ANNA, user: null },
    { userId: null, user: null },
  ]);
  const refused = await ask(gateway, as, text);
  expect(refused.data.auditEvents.nodes).toEqual([id, ANNA, null].map((userId) => ({ userId, user: null })));
  expect(refused.errors.map(({ path, extensions }) => [path?.join('.'), extensions['requiredScope']])).toEqual(
    [0, 1, 2].map((i) => [`auditEvents.nodes.${i}.user`, 'users:read']),
  );
});

test.each([0, -1, 101])('Interface 11: first %j is refused', async (first) => {
  expect(await ask(gateway, as, LIST, { first })).toMatchObject({ code: 'BAD_USER_INPUT', reason: 'invalid_page' });
});

const TIME = '2026-03-04T12:00:00.000000Z';
test.each([
  ['no cursor', 'nonsense'],
  ['one of the users', cursor('a@example.com')],
  ['one with numbers', cursor(1, 2)],
  ['one without a UUID', cursor(TIME, 'x')],
  ['one of more parts', cursor(TIME, ANNA, '')],
  ['one to the millisecond', cursor('2026-03-04T12:00:00.000Z', ANNA)],
  ['one with a 13th month', cursor('2026-13-04T12:00:00.000000Z', ANNA)],
  ['one with a 30th of February', cursor('2026-02-30T12:00:00.000000Z', ANNA)],
  ['one with a 25th hour', cursor('2026-03-04T25:00:00.000000Z', ANNA)],
  ['one of the year 0', cursor('0000-03-04T12:00:00.000000Z', ANNA)],
  ['one with a word as the time', cursor('infinity', ANNA)],
])('Interface 11: `after` is refused if it is %s', async (_what, after) => {
  expect(await ask(gateway, as, LIST, { after })).toMatchObject({ code: 'BAD_USER_INPUT', reason: 'invalid_page' });
});

test.each([{ ipAddress: '\0' }, { email: 'a\0b' }])(
  'Interface 7: the filter %j is the caller’s error',
  async (filter) => {
    expect(await ask(gateway, as, LIST, { filter })).toMatchObject({ status: 200, code: 'BAD_USER_INPUT' });
  },
);

test('Interface 11: the earliest and latest times are not an error', async () => {
  await insert('a', {});
  expect(await names({ since: '0000-01-01T00:00:00Z', until: '9999-12-31T23:59:59.999Z' })).toBe('a');
});
