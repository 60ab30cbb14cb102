/** Every list in every order, forward, backward and to and fro while rows come and go. (Interface 24) */
import fc from 'fast-check';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newcomer } from '../support/gateway/graphql.js';

let gateway: TestGateway;
/** An administrator, whose token stays valid when the tests empty the tables */
let reader: As;
const USER = '00000000-0000-7000-8000-000000000001';
const SESSION = '00000000-0000-7000-8000-000000000002';
beforeAll(async () => {
  gateway = await startGateway();
  reader = (await newcomer(gateway, 'admin')).as;
});
afterAll(() => gateway.close());

/** What a row has to be ordered by. Times are some microseconds after `START`, so that no Date could tell them apart. */
interface Row {
  id: string;
  email: string;
  service: string;
  early: number;
  late: number | null;
}

const START = '2026-01-01T00:00:00.000';
const timeOf = (micros: number) => `${START}${String(100 + micros)}Z`;
const never = (micros: number | null) => (micros === null ? 'never' : timeOf(micros));

interface List {
  type: string;
  /** The query of the list */
  query(args: string, fields: string): string;
  table: string;
  /** Inserts rows, of the table `rows` (id, email, service, early, late) */
  insert: string;
  /** Deletes those with the ids $1 */
  remove: string;
  /** By field: the direction in which cursors are older, their key, and the name with which they end */
  orders: Record<string, ['asc' | 'desc', (row: Row) => string[], string?]>;
  /** Of the order without the argument */
  usual: string;
}

const root = (field: string) => (args: string, fields: string) => `{ data: ${field}${args} { ${fields} } }`;

const keyList = (field: string, table: string, columns: string, values: string): List => ({
  type: 'KeyOrdering',
  query: root(field),
  table,
  insert: `insert into ${table} (key_id, service_name, scopes, created_at, last_used_at, ${columns})
    select id, service, '{}', early, late, ${values} from rows`,
  remove: `delete from ${table} where key_id = any($1)`,
  orders: {
    created_at: ['asc', ({ early, id }) => [timeOf(early), id]],
    service_name: ['asc', ({ service, id }) => [service, id], 'service_name'],
    last_used_at: ['desc', ({ late, id }) => [never(late), id], 'last_used_at'],
  },
  usual: 'created_at',
});

const TOKEN = `insert into refresh_tokens (jti, user_id, family_id, user_agent, ip_address, created_at, session_started_at,
  expires_at, revoked, revoked_reason)`;

const LISTS: Record<string, List> = {
  users: {
    type: 'UserOrdering',
    query: root('users'),
    table: 'users',
    insert: `insert into users (id, email, role, created_at, last_login_at)
      select id::uuid, email, 'viewer', early, late from rows`,
    remove: 'delete from users where id = any($1::uuid[])',
    orders: {
      email: ['asc', ({ email }) => [email]],
      created_at: ['desc', ({ early, id }) => [timeOf(early), id], 'created_at'],
      last_login_at: ['desc', ({ late, id }) => [never(late), id], 'last_login_at'],
    },
    usual: 'email',
  },
  sessions: {
    type: 'SessionOrdering',
    query: root('sessions'),
    table: 'refresh_tokens',
    insert: `${TOKEN} select gen_random_uuid(), gen_random_uuid(), id::uuid, '', '', early, early, '2100-01-01', false, null from rows`,
    remove: 'delete from refresh_tokens where family_id = any($1::uuid[])',
    orders: { started_at: ['desc', ({ id }) => [id]] },
    usual: 'started_at',
  },
  'sessions of a user': {
    type: 'UserSessionOrdering',
    query: (args, fields) => `{ user(id: "${USER}") { data: sessions${args} { ${fields} } } }`,
    table: 'refresh_tokens',
    insert: `${TOKEN}
      select gen_random_uuid(), '${USER}'::uuid, id::uuid, '', '', early, early, '2100-01-01'::timestamptz, true, 'rotated' from rows
      union all
      select gen_random_uuid(), '${USER}', id::uuid, '', '', coalesce(late, early), early, '2100-01-01', false, null from rows`,
    remove: 'delete from refresh_tokens where family_id = any($1::uuid[])',
    orders: {
      last_used_at: ['desc', ({ early, late, id }) => [timeOf(late ?? early), id]],
      started_at: ['desc', ({ early, id }) => [timeOf(early), id], 'started_at'],
    },
    usual: 'last_used_at',
  },
  apiKeys: keyList('apiKeys', 'api_keys', 'rate_limit, sealed_secret', `1, 'x'`),
  cronKeys: keyList('cronKeys', 'cron_keys', 'secret_sha256', `'x'`),
  webhooks: {
    type: 'WebhookOrdering',
    query: root('webhooks'),
    table: 'webhooks',
    insert: `with stored as (
        insert into webhooks (id, url, include_emails, sealed_secret, created_at)
        select id::uuid, 'https://example.com/', false, 'x', early from rows returning id
      )
      insert into outbox_cursors (id, kind, front_at, front_id, settled_at, settled_id, paused_at, paused_by)
      select id, 'webhook', now(), id, now(), id, now(), 'operator' from stored`,
    remove: `with gone as (delete from outbox_cursors where id = any($1::uuid[]))
      delete from webhooks where id = any($1::uuid[])`,
    orders: { created_at: ['asc', ({ early, id }) => [timeOf(early), id]] },
    usual: 'created_at',
  },
  auditEvents: {
    type: 'AuditEventOrdering',
    query: root('auditEvents'),
    table: 'audit_events',
    insert: `insert into audit_events (id, event_type, ip_address, metadata, created_at)
      select id::uuid, case when late is null then 'logout' else 'login_failure' end, '', '{}', early from rows`,
    remove: 'delete from audit_events where id = any($1::uuid[])',
    orders: { created_at: ['desc', ({ early, id }) => [timeOf(early), id]] },
    usual: 'created_at',
  },
  'events of a session': {
    type: '',
    query: (args, fields) => `{ session(id: "${SESSION}") { data: events${args} { ${fields} } } }`,
    table: 'refresh_tokens',
    insert: `${TOKEN} select id::uuid, '${USER}', '${SESSION}', '', '', early, '${timeOf(0)}', '2100-01-01', late is not null,
      case when late is not null then 'rotated' end from rows`,
    remove: 'delete from refresh_tokens where jti = any($1::uuid[])',
    orders: { at: ['asc', ({ early, late, id }) => [timeOf(early), late === null ? '1' : '0', id]] },
    usual: 'at',
  },
};
const NAMES = Object.keys(LISTS);
const listOf = (name: string): List => LISTS[name] as List;

/** Each list with each field and direction. */
const ORDERS = Object.entries(LISTS).flatMap(([name, { type, orders }]) =>
  Object.entries(orders).flatMap(([field, [usual]]) =>
    (type === '' ? [usual] : (['asc', 'desc'] as const)).map((direction) => [name, field, direction] as const),
  ),
);

async function store(list: List, rows: Row[]): Promise<void> {
  const times = rows.map((row) => ({
    ...row,
    early: timeOf(row.early),
    late: row.late === null ? null : timeOf(row.late),
  }));
  await gateway.rows(
    `with rows as (select * from jsonb_to_recordset($1) as r (id text, email text, service text, early timestamptz, late timestamptz))
     ${list.insert.startsWith('with ') ? list.insert.replace('with ', ', ') : list.insert}`,
    [JSON.stringify(times)],
  );
}

async function empty(list: List): Promise<void> {
  if (list.table === 'webhooks') await gateway.rows(`delete from outbox_cursors where kind = 'webhook'`);
  await gateway.rows(`delete from ${list.table}`);
  if (list.type === 'UserSessionOrdering') {
    await gateway.rows(
      `insert into users (id, email, role) values ('${USER}', 'u@example.com', 'viewer') on conflict do nothing`,
    );
  }
}

interface Shown {
  edges: Array<{ cursor: string; node: { id: string } }>;
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

type Args = Record<string, string | number | null>;

const literal = (args: Args, order?: string) => {
  const given = Object.entries(args).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  if (order !== undefined) given.push(`order: ${order}`);
  return given.length > 0 ? `(${given.join(', ')})` : '';
};
const FIELDS = 'edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

async function read(list: List, args: Args, order?: string): Promise<Shown> {
  const data = await dataOf(gateway, reader, list.query(literal(args, order), FIELDS));
  return data.data ?? data.user?.data ?? data.session.data;
}

const orderText = (list: List, field: string, direction: string) =>
  list.type === '' ? undefined : `{field: ${field}, direction: ${direction}}`;

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The order by definition: by each part of the key, what has never been is last. */
function compare(list: List, field: string, direction: 'asc' | 'desc'): (a: Row, b: Row) => number {
  const keyOf = list.orders[field]?.[1] ?? (() => []);
  const sign = direction === 'asc' ? 1 : -1;
  return (a, b) => {
    const [these, those] = [keyOf(a), keyOf(b)];
    const last = Number(these[0] === 'never') - Number(those[0] === 'never');
    return last || sign * (these.map((part, i) => compareTexts(part, those[i] ?? '')).find((c) => c !== 0) ?? 0);
  };
}

/** The cursor of a row, as clients hold it. */
function cursorOf(list: List, field: string, direction: string, row: Row): string {
  const [usual, keyOf, named] = list.orders[field] ?? ['asc', () => []];
  const name = direction === usual ? named : `${field} ${direction}`;
  return Buffer.from(JSON.stringify([...keyOf(row), ...(name === undefined ? [] : [name])])).toString('base64url');
}

/** Distinct rows; some have equal times and names. */
const someRows = fc
  .array(fc.record({ service: fc.constantFrom('a', 'b', 'B'), early: fc.nat(3), late: fc.option(fc.nat(3)) }), {
    minLength: 12,
    maxLength: 12,
  })
  .map((rows) =>
    rows.map((row, n): Row => {
      const scattered = ((n * 7919) % 4096).toString(16).padStart(8, '0');
      return { ...row, id: `${scattered}-0000-4000-8000-000000000000`, email: `u${(n * 31) % 97}x@example.com` };
    }),
  );

const steps = fc.array(
  fc.record({ isBackward: fc.boolean(), size: fc.integer({ min: 1, max: 4 }), changed: fc.nat(11) }),
  { minLength: 7, maxLength: 7 },
);

/** An event that is no rotation is the newest record of its session; only one is. */
const fitting = (name: string, rows: Row[]): Row[] =>
  name === 'events of a session' ? rows.map((row, i) => ({ ...row, late: i === 0 ? null : 1 })) : rows;

const idIn = (name: string, { node }: Shown['edges'][number]) =>
  name === 'events of a session' ? node.id.slice(0, 36) : node.id;

test.each(ORDERS)(
  'Interface 24: %s by %s %s: pages of any size, forward and backward, have each row once',
  async (...order) => {
    const [name, field, direction] = order;
    const list = listOf(name);
    await fc.assert(
      fc.asyncProperty(someRows, fc.integer({ min: 1, max: 6 }), async (drawn, size) => {
        const rows = fitting(name, drawn);
        await empty(list);
        await store(list, rows);
        const expected = rows
          .toSorted(compare(list, field, direction))
          .map((row) => [row.id, cursorOf(list, field, direction, row)]);
        for (const isBackward of [false, true]) {
          const found: string[][] = [];
          let cursor: string | null = null;
          for (let hasMore = true; hasMore; ) {
            const args: Args = isBackward ? { last: size, before: cursor } : { first: size, after: cursor };
            const { edges, pageInfo } = await read(list, args, orderText(list, field, direction));
            const page = edges.map((edge) => [idIn(name, edge), edge.cursor]);
            found.splice(isBackward ? 0 : found.length, 0, ...page);
            hasMore = isBackward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage;
            cursor = isBackward ? pageInfo.startCursor : pageInfo.endCursor;
          }
          expect({ isBackward, found }).toEqual({ isBackward, found: expected });
        }
        if (field === list.usual && direction === list.orders[field]?.[0]) {
          const { edges } = await read(list, {});
          expect(edges.map((edge) => [idIn(name, edge), edge.cursor])).toEqual(expected);
        }
      }),
      { numRuns: 2 },
    );
  },
);

test.each(ORDERS)(
  'Interface 24: %s by %s %s: to and fro while rows come and go, each page is next to the last one',
  async (...order) => {
    const [name, field, direction] = order;
    const list = listOf(name);
    const sorted = compare(list, field, direction);
    await fc.assert(
      fc.asyncProperty(someRows, steps, async (drawn, taken) => {
        const rows = fitting(name, drawn);
        const present = new Set(rows.slice(0, 9)); // the others come later
        await empty(list);
        await store(list, [...present]);
        let ends: { start: Row; end: Row } | undefined;
        for (const { isBackward, size, changed } of taken) {
          const cursor = ends && (isBackward ? ends.start : ends.end);
          const all = [...present].toSorted(sorted);
          const beyond = all
            .filter((row) => cursor === undefined || sorted(row, cursor) < 0 === isBackward)
            .filter((row) => row !== cursor);
          const expected = isBackward ? beyond.slice(-size) : beyond.slice(0, size);
          const at = cursor === undefined ? null : cursorOf(list, field, direction, cursor);
          const args: Args = isBackward ? { last: size, before: at } : { first: size, after: at };
          const { edges, pageInfo } = await read(list, args, orderText(list, field, direction));
          expect(edges.map((edge) => idIn(name, edge))).toEqual(expected.map(({ id }) => id));
          const isMore = beyond.length > size;
          expect(pageInfo).toEqual({
            hasNextPage: isBackward ? cursor !== undefined : isMore,
            hasPreviousPage: isBackward ? isMore : cursor !== undefined,
            startCursor: edges[0]?.cursor ?? null,
            endCursor: edges.at(-1)?.cursor ?? null,
          });
          const [start, end] = [expected[0], expected.at(-1)];
          ends = start && end && { start, end };
          const row = rows[changed];
          if (row === undefined || (name === 'events of a session' && row.late === null)) continue;
          if (present.delete(row)) await gateway.rows(list.remove, [[row.id]]);
          else {
            present.add(row);
            await store(list, [row]);
          }
        }
      }),
      { numRuns: 2 },
    );
  },
);

/** The answer is an error of the list that names the argument. */
async function expectRefused(text: string, argument: string): Promise<void> {
  const { status, code, reason, errors } = await ask(gateway, reader, text);
  expect([text, status, code, reason, errors[0]?.extensions['argument']]).toEqual([
    text,
    200,
    'BAD_USER_INPUT',
    'invalid_page',
    argument,
  ]);
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test.each(ORDERS)(
  'Interface 24: %s by %s %s: a cursor that is not of this list in this order is refused',
  async (...order) => {
    const [name, field, direction] = order;
    const list = listOf(name);
    await empty(list);
    const row: Row = { id: SESSION, email: 'a@example.com', service: 'a', early: 0, late: 0 };
    await store(list, fitting(name, [row]));
    const own = cursorOf(list, field, direction, row);
    const key: string[] = JSON.parse(Buffer.from(own, 'base64url').toString());
    const isFree = (part: string) =>
      part === row.email || part === row.service || (/Keys/.test(name) && part === row.id);
    const hostile = [
      '',
      'x',
      own.slice(0, -4),
      encoded({}),
      encoded(null),
      encoded([]),
      encoded([...key, 'x']),
      encoded(key.slice(1)),
      encoded(key.map(() => 1)),
      ...key.map((_, i) => encoded(key.with(i, 'a\0b'))),
      ...key.flatMap((part, i) =>
        isFree(part)
          ? []
          : ['', 'x', 'never ', '0000-01-01T00:00:00.000000Z', '2026-02-30T00:00:00.000000Z', '99', '-infinity'].map(
              (bad) => encoded(key.with(i, bad)),
            ),
      ),
      ...(key[0] === timeOf(0) && !/last_(login|used)_at/.test(field) ? [encoded(key.with(0, 'never'))] : []),
      ...ORDERS.filter(([other, by, way]) => other === name && (by !== field || way !== direction)).map(([, by, way]) =>
        cursorOf(list, by, way, row),
      ),
    ];
    const text = orderText(list, field, direction);
    for (const [i, cursor] of hostile.entries()) {
      const argument = i % 2 === 0 ? 'after' : 'before';
      await expectRefused(list.query(literal({ [argument]: cursor }, text), FIELDS), argument);
    }
    // Older orders of other lists have keys of the same form, which stand for a place in this list.
    const others = ORDERS.filter(([other]) => other !== name).map(([other, by, way]) =>
      cursorOf(listOf(other), by, way, row),
    );
    for (const cursor of new Set(others)) {
      const { status, reason } = await ask(gateway, reader, list.query(literal({ after: cursor }, text), FIELDS));
      expect([status, reason === undefined || reason === 'invalid_page']).toEqual([200, true]);
    }
  },
);

test.each(NAMES)('Interface 24: %s: arguments that do not go together are refused, each by its name', async (name) => {
  const list = listOf(name);
  await empty(list);
  const row: Row = { id: SESSION, email: 'a@example.com', service: 'a', early: 0, late: null };
  await store(list, [row]);
  const cursor = cursorOf(list, list.usual, list.orders[list.usual]?.[0] ?? 'asc', row);
  const cases: Array<[Args, string]> = [
    [{ first: 1, last: 1 }, 'first'],
    [{ first: 1, before: cursor }, 'first'],
    [{ last: 1, after: cursor }, 'after'],
    [{ after: cursor, before: cursor }, 'after'],
    [{ first: 1, after: cursor, last: 1, before: cursor }, 'first'],
    [{ first: 0 }, 'first'],
    [{ first: -1 }, 'first'],
    [{ last: 0 }, 'last'],
    [{ last: -1, before: cursor }, 'last'],
  ];
  for (const [args, argument] of cases) await expectRefused(list.query(literal(args), FIELDS), argument);
  const fine: Args[] = [
    { first: null, after: null, last: null, before: null },
    { last: 1, first: null, after: null },
    { last: 1 },
  ];
  for (const args of fine) expect((await read(list, args)).edges).toHaveLength(1);
  for (const args of [{ before: cursor }, { after: cursor, last: null, before: null }]) {
    expect((await read(list, args)).edges).toEqual([]);
  }
});

test('Interface 24: a page has 50 rows forward and backward if no number is given', async () => {
  await gateway.rows('delete from users');
  await gateway.rows(`insert into users (email, role)
    select 'u' || lpad(i::text, 3, '0') || '@example.com', 'viewer' from generate_series(1, 120) as i`);
  const forward = await read(listOf('users'), {});
  const second = await read(listOf('users'), { after: forward.pageInfo.endCursor });
  const back = await read(listOf('users'), { before: second.pageInfo.startCursor });
  expect(back.edges).toEqual(forward.edges);
  expect([forward.edges.length, second.edges.length]).toEqual([50, 50]);
});

test('Interface 24: `order` with `orderBy` is refused, also if they agree; null is as if left out', async () => {
  for (const orderBy of ['email', 'created_at', 'last_login_at']) {
    const text = `{ data: users(order: {field: ${orderBy}, direction: asc}, orderBy: ${orderBy}) { ${FIELDS} } }`;
    await expectRefused(text, 'order');
  }
  for (const args of ['order: {field: email, direction: desc}, orderBy: null', 'order: null, orderBy: created_at']) {
    expect((await ask(gateway, reader, `{ users(${args}) { nodes { id } } }`)).errors).toEqual([]);
  }
});

test.each([
  '{field: email}',
  '{direction: asc}',
  '{field: password_hash, direction: asc}',
  '{field: email, direction: ASC}',
  '{field: email, direction: null}',
  '"email"',
  '[{field: email, direction: asc}, {field: role, direction: asc}]',
])('Interface 24: the order %s is refused', async (order) => {
  const { status, code, errors } = await ask(gateway, reader, `{ users(order: ${order}) { nodes { id } } }`);
  expect([status, code, errors.length > 0]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED', true]);
});

test('Interface 24: users are filtered by whether they have a password, also together with other filters', async () => {
  await gateway.rows('delete from users');
  await gateway.rows(`insert into users (email, password_hash, role) values ('a@example.com', 'x', 'viewer'),
    ('b@example.com', null, 'viewer'), ('c@example.com', null, 'admin'), ('d@example.com', 'x', 'admin')`);
  const emails = async (filter: string) => {
    const { users } = await dataOf(
      gateway,
      reader,
      `{ users(filter: ${filter}) { nodes { email } totalCount { count } } }`,
    );
    expect(users.totalCount.count).toBe(users.nodes.length);
    return users.nodes.map(({ email }: Row) => email[0]).join('');
  };
  expect(await emails('{hasPassword: true}')).toBe('ad');
  expect(await emails('{hasPassword: false}')).toBe('bc');
  expect(await emails('{hasPassword: null}')).toBe('abcd');
  expect(await emails('{hasPassword: false, role: admin}')).toBe('c');
  expect(await emails('{hasPassword: true, search: "a@"}')).toBe('a');
});

test.each(['asc', 'desc'])(
  'Interface 24: backward, a search examines 10,000 users a page, in the order %s',
  async (direction) => {
    await gateway.rows('delete from users');
    await gateway.rows(
      `insert into users (email, role)
     select 'u' || lpad(i::text, 6, '0') || case when i in (3, 10400, 20500) then '.rare' else '' end || '@example.com', 'viewer'
     from generate_series(1, 25000) as i`,
    );
    const found: string[][] = [];
    let before: string | null = null;
    for (let hasMore = true; hasMore; ) {
      const args = `last: 100, before: ${JSON.stringify(before)}, filter: {search: ".RARE@"}, order: {field: email, direction: ${direction}}`;
      const { users } = await dataOf(
        gateway,
        reader,
        `{ users(${args}) { nodes { email } pageInfo { hasPreviousPage startCursor } } }`,
      );
      found.push(users.nodes.map(({ email }: Row) => email.slice(1, 7)));
      ({ hasPreviousPage: hasMore, startCursor: before } = users.pageInfo);
    }
    expect(found).toEqual(
      direction === 'asc' ? [['020500'], ['010400'], ['000003']] : [['000003'], ['010400'], ['020500']],
    );
  },
);

test.each(['asc', 'desc'])(
  'Interface 24: backward, `live` examines 10,000 sessions a page, in the order %s',
  async (direction) => {
    await gateway.rows('delete from refresh_tokens');
    await gateway.rows(
      `${TOKEN}
     select gen_random_uuid(), gen_random_uuid(), ('019a0000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, '', '', now(), now(),
       '2100-01-01', i not in (3, 10400, 20500), case when i not in (3, 10400, 20500) then 'logout' end
     from generate_series(1, 25000) as i`,
    );
    const found: string[][] = [];
    let before: string | null = null;
    for (let hasMore = true; hasMore; ) {
      const args = `last: 100, before: ${JSON.stringify(before)}, filter: {live: true}, order: {field: started_at, direction: ${direction}}`;
      const { sessions } = await dataOf(
        gateway,
        reader,
        `{ sessions(${args}) { nodes { id } pageInfo { hasPreviousPage startCursor } } }`,
      );
      found.push(sessions.nodes.map(({ id }: Row) => id.slice(-6)));
      ({ hasPreviousPage: hasMore, startCursor: before } = sessions.pageInfo);
    }
    expect(found).toEqual(
      direction === 'asc' ? [['020500'], ['010400'], ['000003']] : [['000003'], ['010400'], ['020500']],
    );
  },
);

test('Interface 24: a span of the log and a cursor at its end, in both directions, leave the events between them', async () => {
  const list = listOf('auditEvents');
  await empty(list);
  const rows = Array.from(
    { length: 8 },
    (_, n): Row => ({
      id: `0000000${n}-0000-4000-8000-000000000000`,
      email: '',
      service: '',
      early: 0,
      late: n % 2 || null,
    }),
  );
  await store(list, rows);
  await gateway.rows(
    `update audit_events set created_at = '2026-01-01'::timestamptz + right(left(id::text, 8), 1)::integer * interval '1 ms'`,
  );
  const all = rows.map(({ id }) => id);
  const at = (n: number) => `"2026-01-01T00:00:00.00${n}Z"`;
  const types = 'eventTypes: [logout, login_failure]'; // each is a branch of its own
  for (const direction of ['asc', 'desc']) {
    const order = `order: {field: created_at, direction: ${direction}}`;
    const { auditEvents } = await dataOf(gateway, reader, `{ auditEvents(${order}) { edges { cursor node { id } } } }`);
    const cursors = new Map<string, string>(
      auditEvents.edges.map((edge: Shown['edges'][number]) => [edge.node.id, edge.cursor]),
    );
    for (let n = 0; n < rows.length; n += 1) {
      for (const [argument, isBackward] of [
        ['after', false],
        ['before', true],
      ] as const) {
        const isUp = (direction === 'asc') !== isBackward;
        const span = all.filter((_, i) => i >= 2 && i < 6 && (isUp ? i > n : i < n));
        const filter = `filter: {since: ${at(2)}, until: ${at(6)}, ${types}}`;
        const args = `${order}, ${filter}, ${argument}: "${cursors.get(all[n] ?? '')}"`;
        const data = await dataOf(gateway, reader, `{ auditEvents(${args}) { nodes { id } } }`);
        const ids = data.auditEvents.nodes.map(({ id }: Row) => id);
        expect([direction, argument, n, ids]).toEqual([
          direction,
          argument,
          n,
          direction === 'asc' ? span : span.toReversed(),
        ]);
      }
    }
  }
});

test('Interface 24: `last` costs as `first` does, and an order without an index as `orderBy` does', async () => {
  const costly = (args: string) =>
    `{ ${Array.from({ length: 9 }, (_, i) => `a${i}: users(${args}) { nodes { id } }`).join(' ')} }`;
  for (const args of ['first: 100', 'last: 100']) {
    const page = `users(${args}) { nodes { sessions(${args}) { nodes { id } } } }`;
    expect(await ask(gateway, reader, `{ ${page} }`)).toMatchObject({ status: 400, code: 'OPERATION_TOO_COSTLY' });
  }
  const sorted = 'order: {field: last_login_at, direction: asc}';
  expect((await ask(gateway, reader, costly(`last: 1, ${sorted}`))).errors).toEqual([]);
  expect(await ask(gateway, reader, costly(`last: 100, ${sorted}`))).toMatchObject({ code: 'OPERATION_TOO_COSTLY' });
  for (const argument of ['first', 'last']) {
    const text = `{ users(${argument}: 5000) { nodes { id email role } } }`;
    const { status, reason, errors } = await ask(gateway, reader, text);
    expect([status, reason, errors[0]?.extensions['argument']]).toEqual([400, 'invalid_page', argument]);
  }
});
