/** Each listing reads by an index and sorts no more than it shows, also with a long audit log. (Interface 11) */
import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { type AuditEventFilter, auditEventsQuery, auditWalk, countedEventsQuery } from '../../src/audit/log.js';
import { encodeCursor, type PageRequest } from '../../src/listing/keyset.js';
import { MAX_COUNTED } from '../../src/listing/page.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, dataOf, newApiKey, newcomer } from '../support/gateway/graphql.js';
import { type Statement, watchStatements } from '../support/gateway/work.js';

let gateway: TestGateway;
let planner: pg.Client;
let reader: As;
let auditor: As;

/** Enough that each filter matches several pages. */
const EVENTS = 25_000;
const APART_SECONDS = 40;
const BUSY = '00000000-0000-7000-8000-000000000001';
const ADMIN = '00000000-0000-7000-8000-000000000002';
const WEBHOOK = '00000000-0000-7000-8000-000000000003';
/** Has a session, and many events before and after it */
const FREQUENT = '00000000-0000-7000-8000-000000000004';
const CHANGES = 20_000;
/** Records of each session */
const RECORDS = 40;

beforeAll(async () => {
  gateway = await startGateway();
  // PostgreSQL would collect and sort all matches if the rows were few. It does not do that with millions.
  planner = new pg.Client({ connectionString: gateway.database.url, options: '-c enable_bitmapscan=off' });
  await planner.connect();
  reader = (await newApiKey(gateway, ['users:read'])).as;
  auditor = (await newApiKey(gateway, ['audit:read'])).as;
  watchStatements(gateway.app.db, (statement) => statements.push(statement));
  // One event in a hundred has the busy user and address; others are rare. One in ten is a failed login of one of 20 names.
  await gateway.rows(
    `insert into audit_events (id, event_type, user_id, ip_address, metadata, created_at)
     select gen_random_uuid(),
       case when i % 10 = 0 then 'login_failure' when i % 100 = 1 then 'token_theft' else 'login_success' end,
       case when i % 100 = 0 then $1::uuid else ('00000000-0000-7000-9000-' || lpad((i % 997)::text, 12, '0'))::uuid end,
       case when i % 100 = 0 then '192.0.2.1' else '10.0.0.' || i % 250 end,
       case when i % 10 = 0 then jsonb_build_object('email', 'person' || i % 200 || '@example.com') else '{}' end,
       timestamptz '2026-01-01' + i * interval '${APART_SECONDS} s'
     from generate_series(1, ${EVENTS}) as i`,
    [BUSY],
  );
  await gateway.rows(
    `insert into users (id, email, password_hash, role, is_active, locked_until)
     select case i when 10 then $1::uuid when 100 then $2::uuid else gen_random_uuid() end, 'person' || i || '@example.com', 'none',
       case when i % 100 = 0 then 'admin' when i % 10 = 0 then 'analyst' else 'viewer' end, i % 50 <> 0,
       case when i % 100 = 7 then timestamptz '2100-01-01' end
     from generate_series(1, 20000) as i`,
    [BUSY, FREQUENT],
  );
  await gateway.rows(
    `insert into refresh_tokens (jti, user_id, family_id, revoked, revoked_reason, user_agent, ip_address, created_at,
       session_started_at, expires_at)
     select gen_random_uuid(), id, family_id, n < ${RECORDS}, case when n < ${RECORDS} then 'rotated' end, '', '',
       timestamptz '2026-01-01' + n * interval '1 hour', timestamptz '2026-01-01 01:00', '2100-01-01'
     from (select id, gen_random_uuid() as family_id from users order by email limit 500) as some_users,
       generate_series(1, ${RECORDS}) as n`,
  );
  await gateway.rows(
    `insert into users (email, password_hash, role)
     select 'zoe' || i || '@example.com', 'none', 'viewer' from generate_series(1, 10000) as i`,
  );
  // Changes by operators: each has an actor; half are about users, with a session.
  await gateway.rows(
    `insert into audit_events (id, event_type, entity_type, user_id, ip_address, metadata, created_at)
     select gen_random_uuid(), type, entity, case when i % 100 = 4 then $1::uuid when entity = 'user' then gen_random_uuid() end, 'cli',
       jsonb_build_object('actor', case i % 20
           when 0 then jsonb_build_object('caller_type', 'user', 'sub', $1::uuid)
           when 1 then '{"caller_type": "api_key", "key_id": "ak_busy"}'
           when 2 then '{"caller_type": "cli"}'
           else jsonb_build_object('caller_type', 'user', 'sub', gen_random_uuid()) end)
         || case entity
           when 'api_key' then jsonb_build_object('key_id', case when i % 20 = 5 then 'ak_busy' else 'ak_' || i end)
           when 'webhook' then jsonb_build_object('webhook_id', case when i % 20 = 3 then $2::uuid else gen_random_uuid() end)
           else jsonb_build_object('family_id', case when i % 400 = 4 then $3::uuid else gen_random_uuid() end) end,
       timestamptz '2026-01-03 06:00' + i * interval '10 s'
     from generate_series(1, ${CHANGES}) as i, lateral (
       select case i % 4 when 1 then 'api_key_rotated' when 3 then 'webhook_paused' else 'session_revoked' end as type,
         case i % 4 when 1 then 'api_key' when 3 then 'webhook' else 'user' end as entity
     ) as what`,
    [ADMIN, WEBHOOK, await familyOf(FREQUENT)],
  );
  await gateway.rows(
    `insert into audit_events (event_type, user_id, ip_address, metadata, created_at)
     select 'logout', user_id, '', jsonb_build_object('jti', jti), created_at + interval '3 days' from refresh_tokens
     where family_id = $1
     union all
     select 'login_success', user_id, '', '{}', started_at from sessions where family_id = $1`,
    [await familyOf(FREQUENT)],
  );
  await gateway.rows(`update refresh_tokens set expires_at = '2026-01-10' where family_id = $1`, [
    await familyOf(FREQUENT),
  ]);
  await gateway.rows(
    `insert into audit_events (event_type, user_id, ip_address, metadata, created_at)
     select 'login_success', $1, '', '{}', start + i * interval '1 min'
     from generate_series(1, 500) as i, (values (timestamptz '2025-12-01'), ('2026-02-01')) as starts (start)`,
    [FREQUENT],
  );
  // Rows of an asynchronous commit are visible to all only after it is on disk.
  await gateway.rows('begin; set local synchronous_commit = on; insert into rate_limits (key) values ($$x$$); commit');
  for (const table of ['audit_events', 'users', 'refresh_tokens', 'sessions'])
    await gateway.rows(`vacuum analyze ${table}`);
});
afterAll(async () => {
  await planner.end();
  await gateway.close();
});

async function familyOf(userId: string): Promise<string | undefined> {
  const found = 'select family_id as id from sessions where user_id = $1';
  const [session] = await gateway.rows<{ id: string }>(found, [userId]);
  return session?.id;
}

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

async function explain(sql: string, parameters: readonly unknown[]): Promise<Plan[]> {
  const explained = `explain (analyze, buffers, timing off, format json) ${sql}`;
  const { rows } = await planner.query(explained, [...parameters]);
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan);
}

async function explainBuilt(query: RawBuilder<unknown>): Promise<Plan[]> {
  const dialect = new PostgresDialect({ pool: gateway.app.db.pool });
  const { sql, parameters } = query.compile(new Kysely({ dialect }));
  return explain(sql, parameters);
}

/** Reads by indexes alone; no node touches more rows than `most`, and few index entries are skipped. */
function expectIndexed(plan: Plan[], most: number, blocksPerRow = 3): void {
  const scans = plan.filter(({ 'Relation Name': relation }) => relation !== undefined);
  const summary = plan.map((node) => `${node['Node Type']} ${node['Relation Name'] ?? ''}`.trim());
  for (const scan of scans)
    expect([scan['Node Type'], summary]).toEqual([expect.stringMatching(/^(Index|Bitmap Heap)/), summary]);
  const [root] = plan;
  const blocks = (root?.['Shared Hit Blocks'] ?? 0) + (root?.['Shared Read Blocks'] ?? 0);
  expect([blocks <= 100 + blocksPerRow * most, blocks, summary]).toEqual([true, blocks, summary]);
  for (const node of plan) {
    const touched = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    expect([touched <= most, node['Node Type'], touched, summary]).toEqual([true, node['Node Type'], touched, summary]);
  }
}

const since = new Date('2026-01-03T00:00:00Z');
const until = new Date('2026-01-09T00:00:00Z');
/** Each filter, and how many events it may touch for one page of 50. */
const FILTERS: Array<[string, AuditEventFilter, number]> = [
  ['nothing', {}, 51],
  ['one type', { eventTypes: ['token_theft'] }, 51],
  ['a type without events', { eventTypes: ['cron_key_revoked'] }, 0],
  ['thefts', { isTheft: true }, 51],
  ['tokens of ended sessions', { isTheft: false }, EVENTS / 100], // all of their type
  ['three types', { eventTypes: ['token_theft', 'login_failure', 'logout'] }, 3 * 51],
  ['a user', { userId: BUSY }, 51],
  ['an address', { ipAddress: '192.0.2.1' }, 51],
  ['an e-mail', { email: 'person10@example.com' }, 2 * 51],
  ['an e-mail without a user', { email: 'person0@example.com' }, 51],
  ['an e-mail and a type', { email: 'person10@example.com', eventTypes: ['login_failure'] }, 2 * 51],
  ['since', { since }, 51],
  ['until', { until }, 51],
  ['a span of time', { since, until }, 51],
  ['a user and a span of time', { userId: BUSY, since, until }, 51],
  ['a user and an address', { userId: BUSY, ipAddress: '10.0.0.7' }, EVENTS / 100], // all of the user
];
/** From both ends and from far in, in both orders */
const FAR_IN = ['2026-01-04T12:00:00.000000Z', 'ffffffff-ffff-4fff-bfff-ffffffffffff'];
const WALKS = (['desc', 'asc'] as const).flatMap((direction) => {
  const cursor = encodeCursor(...FAR_IN, ...(direction === 'desc' ? [] : ['created_at asc']));
  const pages: PageRequest[] = [
    { first: 50 },
    { first: 50, after: cursor },
    { last: 50 },
    { last: 50, before: cursor },
  ];
  return pages.map((page) => auditWalk({ ...page, order: { field: 'created_at', direction } }));
});

test.each(FILTERS)(
  'Interface 11: the audit log filtered by %s reads one page by an index',
  async (_what, filter, most) => {
    for (const walk of WALKS)
      expectIndexed(await explainBuilt(await auditEventsQuery(gateway.app.db, filter, walk)), most);
  },
);

test.each(FILTERS)(
  'Interface 11: events filtered by %s are counted by an index, no further than 10,001',
  async (_what, filter) => {
    const query = await countedEventsQuery(gateway.app.db, filter);
    const plan = await explainBuilt(sql`select count(*) from (${query} limit ${MAX_COUNTED + 1}) as counted`);
    expectIndexed(plan, MAX_COUNTED + 1);
  },
);

/** Each lookup, the indexes that serve it, and how many rows one page of 50 may touch. */
const LOOKUPS: Array<[string, AuditEventFilter, string[], number]> = [
  ['a user who made changes', { actorId: ADMIN }, ['audit_events_actor'], 51],
  ['a key that made changes', { actorId: 'ak_busy' }, ['audit_events_actor'], 51],
  ['nobody', { actorId: 'nobody' }, ['audit_events_actor'], 0],
  ['a user as the entity', { entityId: ADMIN }, ['audit_events_user_id', 'audit_events_entity'], 51],
  ['a webhook', { entityId: WEBHOOK }, ['audit_events_user_id', 'audit_events_entity'], 51],
  ['a key', { entityId: 'ak_busy' }, ['audit_events_entity'], 51],
  ['an unknown session', { sessionId: WEBHOOK }, ['audit_events_session'], 0],
  ['an actor and a span of time', { actorId: ADMIN, since, until }, ['audit_events_actor'], 51],
];

test.each(LOOKUPS)(
  'Interface 11: the audit log by %s is read and counted by the index of the lookup',
  async (_what, filter, indexes, most) => {
    for (const walk of WALKS) {
      const query = await auditEventsQuery(gateway.app.db, filter, walk);
      const plan = await explainBuilt(query);
      expectIndexed(plan, most);
      expect(indexesOf(plan)).toEqual(indexes);
    }
    const counted = await countedEventsQuery(gateway.app.db, filter);
    const plan = await explainBuilt(sql`select count(*) from (${counted} limit ${MAX_COUNTED + 1}) as counted`);
    expectIndexed(plan, CHANGES / 2);
    expect(indexesOf(plan)).toEqual(indexes);
  },
);

/** Names of the indexes of the audit log that a plan reads. */
function indexesOf(plan: Plan[]): string[] {
  const names = plan.flatMap(({ 'Index Name': name }) => (name?.startsWith('audit_events_') ? [name] : []));
  return [...new Set(names)].toSorted((a, b) => b.localeCompare(a));
}

test('Interface 11: a session is looked up by its index and among the events of its user while it lasted', async () => {
  const filter = { sessionId: await familyOf(FREQUENT) };
  for (const walk of WALKS) {
    const plan = await explainBuilt(await auditEventsQuery(gateway.app.db, filter, walk));
    expectIndexed(plan, 2 * 51);
    expect(indexesOf(plan)).toEqual(['audit_events_user_id', 'audit_events_session']);
  }
});

test('Interface 11: counts by an actor, an entity or a session read their events alone, by an index', async () => {
  for (const [filter, index] of [
    [`actorId: "${ADMIN}"`, 'audit_events_actor'],
    [`entityId: "ak_busy"`, 'audit_events_entity'],
    [`sessionId: "${WEBHOOK}"`, 'audit_events_session'],
  ] as const) {
    const span = 'since: "2026-01-03T06:00:00Z", until: "2026-01-03T12:00:00Z"';
    const text = `{ auditCounts(bucket: hour, filter: { ${span}, ${filter} }) { count } }`;
    const { sql, parameters } = await statementOf(text, auditor, 'audit_events');
    const plan = await explain(sql, parameters);
    expect(indexesOf(plan)).toEqual([index]);
    expectIndexed(plan, (6 * 360) / 20 + 1);
  }
});

test('Interface 11: the sessions of a page of logins and logouts are read by keys and the index of sessions', async () => {
  const filter = `filter: { sessionId: "${await familyOf(FREQUENT)}", eventTypes: [login_success, logout] }`;
  const text = `{ auditEvents(first: 100, ${filter}) { nodes { sessionId } } }`;
  const { sql, parameters } = await statementOf(text, auditor, 'with asked');
  const plan = await explain(sql, parameters);
  expect(plan[0]?.['Actual Rows']).toBe(RECORDS + 1);
  expectIndexed(plan, 2 * RECORDS);
});

let statements: Statement[] = [];

/** The statements on a table that a GraphQL query runs. */
async function statementsOf(text: string, as: As, table: string): Promise<Statement[]> {
  statements = [];
  await dataOf(gateway, as, text);
  return statements.filter(({ sql }) => sql.includes(table));
}

/** The one statement on a table that a GraphQL query runs. */
async function statementOf(text: string, as: As, table: string): Promise<Statement> {
  const [statement, ...others] = await statementsOf(text, as, table);
  expect(others).toEqual([]);
  if (statement === undefined) throw new Error(`no statement read ${table}`);
  return statement;
}

const far = encodeCursor('person5000@example.com');
const USER_FILTERS: Array<[string, string, number]> = [
  ['nothing', '', 51],
  ['a role', 'filter: { role: admin }', 51],
  ['activity', 'filter: { isActive: true }', 100],
  ['inactivity', 'filter: { isActive: false }', 51],
  ['a lock', 'filter: { isLocked: true }', 200], // all locked users
  ['no lock', 'filter: { isLocked: false }', 100],
  ['a password', 'filter: { hasPassword: true }', 51],
  ['no password', 'filter: { hasPassword: false }', 0],
  ['a common part', 'filter: { search: "son1" }', 10_000],
  ['a part of no e-mail', 'filter: { search: "nobody at all" }', 10_000],
];
test.each(USER_FILTERS)(
  'Interface 11: the listing of users by %s reads one page by an index',
  async (_what, filter, most) => {
    for (const page of ['first: 50', `first: 50, after: "${far}"`, 'last: 50', `last: 50, before: "${far}"`]) {
      const args = [filter, page].filter(Boolean).join(', ');
      const { sql, parameters } = await statementOf(`{ users(${args}) { edges { node { id } } } }`, reader, 'users');
      expectIndexed(await explain(sql, parameters), most);
    }
  },
);

test.each([
  ['nothing', '', 51],
  ['activity', 'filter: { isActive: true }, ', 100],
  ['a rare role', 'filter: { role: admin }, ', 400], // all administrators
  ['a lock', 'filter: { isLocked: true }, ', 400], // all locked users
  ['a part of no e-mail', 'filter: { search: "nobody at all" }, ', 10_000],
])('Interface 11: users by %s, in the order of creation, are read by an index', async (_what, filter, most) => {
  const middle = encodeCursor('2026-01-01T02:00:00.000000Z', BUSY, 'created_at');
  for (const page of ['first: 50', `first: 50, after: "${middle}"`, 'last: 50', `last: 50, before: "${middle}"`]) {
    const text = `{ users(${filter}orderBy: created_at, ${page}) { nodes { id } } }`;
    const { sql, parameters } = await statementOf(text, reader, 'users');
    expectIndexed(await explain(sql, parameters), most);
  }
});

test('Interface 11: 100 users by their ids are read by the primary key, in every order', async () => {
  const rows = await gateway.rows<{ id: string }>('select id from users order by created_at limit 100');
  const ids = rows.map(({ id }) => `"${id}"`).join(' ');
  for (const order of ['email', 'created_at', 'last_login_at']) {
    const text = `{ users(filter: { ids: [${ids}] }, orderBy: ${order}) { nodes { id } } }`;
    const { sql, parameters } = await statementOf(text, reader, 'users');
    expectIndexed(await explain(sql, parameters), 100);
  }
});

test('Interface 11: the order of last logins reads the users once, and sorts no more than a page', async () => {
  const text = '{ users(orderBy: last_login_at, first: 50) { nodes { id } } }';
  const { sql, parameters } = await statementOf(text, reader, 'users');
  const plan = await explain(sql, parameters);
  expect(plan.filter((node) => node['Relation Name'] === 'users')).toHaveLength(1);
  expect(plan.find((node) => node['Node Type'] === 'Sort')?.['Actual Rows']).toBe(51);
});

test.each(USER_FILTERS)(
  'Interface 11: users by %s are counted by an index, no further than the limit of counts',
  async (_what, filter) => {
    const page = [filter, 'first: 1'].filter(Boolean).join(', ');
    const text = `{ users(${page}) { totalCount { count precision } } }`;
    const [, counted, ...others] = await statementsOf(text, reader, 'users');
    expect(others).toEqual([]);
    const plan = await explain(counted?.sql ?? '', counted?.parameters ?? []);
    expectIndexed(plan, MAX_COUNTED * 1.05); // one in fifty is inactive, one in a hundred locked
  },
);

test('Interface 11: sessions, both of a page of users and one’s own, are read by an index', async () => {
  const { as } = await newcomer(gateway);
  const ofPage = '{ users(first: 100) { edges { node { sessions(first: 5) { edges { cursor } } } } } }';
  for (const { sql, parameters } of [
    await statementOf(ofPage, reader, 'refresh_tokens'),
    await statementOf('{ me { sessions(live: true) { edges { cursor } } } }', as, 'refresh_tokens'),
  ]) {
    const scans = (await explain(sql, parameters)).filter(({ 'Relation Name': relation }) => relation !== undefined);
    const read = scans.map((scan) => [scan['Relation Name'], scan['Node Type'], scan['Rows Removed by Filter'] ?? 0]);
    expect(read).toEqual([
      ['sessions', expect.stringMatching(/^Index/), 0],
      ['refresh_tokens', expect.stringMatching(/^Index/), 0], // only the newest record of each
    ]);
  }
});

test('Interface 11: a session is found by its id, and by the jti of a used token, by indexes', async () => {
  const family = await familyOf(FREQUENT);
  const first = 'select jti as id from refresh_tokens where family_id = $1 order by created_at limit 1';
  const [used] = await gateway.rows<{ id: string }>(first, [family]);
  for (const id of [family, used?.id]) {
    const { sql, parameters } = await statementOf(`{ session(id: "${id}") { id } }`, auditor, 'refresh_tokens');
    const plan = await explain(sql, parameters);
    expect(plan[0]?.['Actual Rows']).toBe(1);
    expectIndexed(plan, 1);
  }
});

describe('Interface 11: the sessions of all users', () => {
  let as: As;
  beforeAll(async () => {
    ({ as } = await newApiKey(gateway, ['sessions:write']));
    await gateway.rows(
      `insert into refresh_tokens (jti, user_id, family_id, user_agent, ip_address, created_at, session_started_at, expires_at)
       select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '', '', '2026-01-01', '2026-01-01', '2100-01-01'
       from generate_series(1, 25000) as i`,
    );
    await gateway.rows(
      'begin; set local synchronous_commit = on; insert into rate_limits (key) values ($$y$$); commit',
    );
    for (const table of ['refresh_tokens', 'sessions']) await gateway.rows(`vacuum analyze ${table}`);
  });

  /** For each session its row, the way down the index of records, and the newest record. */
  const BLOCKS = 6;

  test.each([
    ['nothing', '', 51],
    ['life, which all have', 'filter: { live: true }, ', 10_000],
    ['an end, which none has', 'filter: { live: false }, ', 10_000],
  ])('by %s, are read and counted by an index, no further than a filter examines', async (_what, filter, most) => {
    const middle = encodeCursor('80000000-0000-4000-8000-000000000000');
    for (const args of ['first: 50', `first: 50, after: "${middle}"`, 'last: 50', `last: 50, before: "${middle}"`]) {
      const text = `{ sessions(${filter}${args}) { nodes { id } totalCount { count } } }`;
      const [page, count, ...others] = await statementsOf(text, as, 'from sessions');
      expect(others).toEqual([]);
      expectIndexed(await explain(page?.sql ?? '', page?.parameters ?? []), most, BLOCKS);
      expectIndexed(await explain(count?.sql ?? '', count?.parameters ?? []), MAX_COUNTED + 1, BLOCKS);
    }
  });

  test('that are live need only as many lookups as the page has rows', async () => {
    const text = '{ sessions(filter: { live: true }, first: 50) { nodes { id } } }';
    const { sql, parameters } = await statementOf(text, as, 'from sessions');
    const plan = await explain(sql, parameters);
    const [lookup] = plan.filter(({ 'Relation Name': relation }) => relation === 'refresh_tokens');
    expect(lookup?.['Actual Loops']).toBe(51);
  });
});

const IN_SPAN = (6 * 3600) / APART_SECONDS;
test.each([
  ['nothing', '', IN_SPAN, 'Index Only Scan'],
  ['a type', 'eventTypes: [login_failure]', IN_SPAN / 10, 'Index Only Scan'],
  ['two types', 'eventTypes: [login_failure, token_theft]', (IN_SPAN * 11) / 100 + 1, 'Index Only Scan'],
  ['thefts', 'isTheft: true', IN_SPAN / 100 + 1, 'Index Scan'],
  ['a user', `userId: "${BUSY}"`, IN_SPAN / 100 + 1, 'Index Scan'],
  ['an address', 'ipAddress: "192.0.2.1"', IN_SPAN / 100 + 1, 'Index Scan'],
  ['an e-mail', 'email: "person10@example.com"', (IN_SPAN * 2) / 100, 'Index Scan'],
])('Interface 11: counts by %s read the events of their span alone, by an index', async (_what, filter, most, scan) => {
  const span = 'since: "2026-01-03T00:00:00Z", until: "2026-01-03T06:00:00Z"';
  const text = `{ auditCounts(bucket: hour, filter: { ${span}, ${filter} }) { count } }`;
  const { sql, parameters } = await statementOf(text, auditor, 'audit_events');
  const plan = await explain(sql, parameters);
  const scans = plan.filter(({ 'Relation Name': relation }) => relation === 'audit_events');
  expect(new Set(scans.map((node) => node['Node Type']))).toEqual(new Set([scan]));
  const read = scans.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
  expect(read.reduce((sum, rows) => sum + rows)).toBeLessThanOrEqual(most);
});
