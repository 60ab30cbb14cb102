/** Every list in every order, forward and backward. (Interface 24) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newcomer } from '../support/gateway/graphql.js';
import {
  type Args,
  cursorOf,
  empty,
  expectToAndFro,
  expectWholeWalks,
  FIELDS,
  fitting,
  listOf,
  literal,
  NAMES,
  type On,
  ORDERS,
  orderText,
  type Row,
  read,
  SESSION,
  type Shown,
  store,
  TOKEN,
  timeOf,
} from './every-list.js';

let gateway: TestGateway;
let reader: As;
let on: On;
beforeAll(async () => {
  gateway = await startGateway();
  reader = (await newcomer(gateway, 'admin')).as;
  on = { gateway, as: reader };
});
afterAll(() => gateway.close());

test.each(ORDERS)(
  'Interface 24: %s by %s %s: pages of any size, forward and backward, have each row once',
  (...order) => expectWholeWalks(on, order, 1),
);

test.each(ORDERS)(
  'Interface 24: %s by %s %s: to and fro while rows come and go, each page is next to the last one',
  (...order) => expectToAndFro(on, order, 1),
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
    await empty(on, list);
    const row: Row = { id: SESSION, email: 'a@example.com', service: 'a', early: 0, late: 0 };
    await store(on, list, fitting(name, [row]));
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
  await empty(on, list);
  const row: Row = { id: SESSION, email: 'a@example.com', service: 'a', early: 0, late: null };
  await store(on, list, [row]);
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
  for (const args of fine) expect((await read(on, list, args)).edges).toHaveLength(1);
  for (const args of [{ before: cursor }, { after: cursor, last: null, before: null }]) {
    expect((await read(on, list, args)).edges).toEqual([]);
  }
});

test('Interface 24: a page has 50 rows forward and backward if no number is given', async () => {
  await gateway.rows('delete from users');
  await gateway.rows(`insert into users (email, role)
    select 'u' || lpad(i::text, 3, '0') || '@example.com', 'viewer' from generate_series(1, 120) as i`);
  const forward = await read(on, listOf('users'), {});
  const second = await read(on, listOf('users'), { after: forward.pageInfo.endCursor });
  const back = await read(on, listOf('users'), { before: second.pageInfo.startCursor });
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

/** The last digits of the rows of each page, from the end of the list. */
async function backward(field: string, args: string, node: string, digits: RegExp): Promise<string[][]> {
  const found: string[][] = [];
  let before: string | null = null;
  for (let hasMore = true; hasMore; ) {
    const page = `${field}(last: 100, before: ${JSON.stringify(before)}, ${args})`;
    const data = await dataOf(
      gateway,
      reader,
      `{ ${page} { nodes { ${node} } pageInfo { hasPreviousPage startCursor } } }`,
    );
    const { nodes, pageInfo }: { nodes: Array<Record<string, string>>; pageInfo: Shown['pageInfo'] } = data[field];
    found.push(nodes.map((row) => digits.exec(row[node] ?? '')?.[1] ?? ''));
    [hasMore, before] = [pageInfo.hasPreviousPage, pageInfo.startCursor];
  }
  return found;
}

test('Interface 24: backward, a search examines 10,000 users a page, in both directions', async () => {
  await gateway.rows('truncate users cascade');
  await gateway.rows(
    `insert into users (email, role)
     select 'u' || lpad(i::text, 6, '0') || case when i in (3, 10400, 20500) then '.rare' else '' end || '@example.com', 'viewer'
     from generate_series(1, 25000) as i`,
  );
  const found = (direction: string) =>
    backward('users', `filter: {search: ".RARE@"}, order: {field: email, direction: ${direction}}`, 'email', /u(\d+)/);
  expect(await found('asc')).toEqual([['020500'], ['010400'], ['000003']]);
  expect(await found('desc')).toEqual([['000003'], ['010400'], ['020500']]);
  await gateway.rows('truncate users cascade');
});

test('Interface 24: backward, `live` examines 10,000 sessions a page, in both directions', async () => {
  await gateway.rows('truncate refresh_tokens, sessions');
  await gateway.rows(
    `${TOKEN}
     select gen_random_uuid(), gen_random_uuid(), ('019a0000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, '', '', now(), now(),
       '2100-01-01', i not in (3, 10400, 20500), case when i not in (3, 10400, 20500) then 'logout' end
     from generate_series(1, 25000) as i`,
  );
  const found = (direction: string) =>
    backward('sessions', `filter: {live: true}, order: {field: started_at, direction: ${direction}}`, 'id', /(\d{6})$/);
  expect(await found('asc')).toEqual([['020500'], ['010400'], ['000003']]);
  expect(await found('desc')).toEqual([['000003'], ['010400'], ['020500']]);
  await gateway.rows('truncate refresh_tokens, sessions'); // the trigger of a deletion is slow
});

test('Interface 24: a span of the log and a cursor at its end, in both directions, leave the events between them', async () => {
  const list = listOf('auditEvents');
  await empty(on, list);
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
  await store(on, list, rows);
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
