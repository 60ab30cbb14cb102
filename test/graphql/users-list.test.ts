/** The queries `users` and `user`. (Interface 11) */
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLObjectType, getNamedType, isLeafType } from 'graphql';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newApiKey, newcomer } from '../support/gateway/graphql.js';
import { countWork } from '../support/gateway/work.js';

let gateway: TestGateway;
let as: As;
beforeAll(async () => {
  gateway = await startGateway();
  ({ as } = await newApiKey(gateway, ['users:read']));
});
afterAll(() => gateway.close());
beforeEach(() => gateway.rows('delete from users'));

interface Row {
  role?: string;
  is_active?: boolean;
  locked_until?: Date | null;
}

async function insert(email: string, { role = 'viewer', is_active = true, locked_until = null }: Row = {}) {
  const [user] = await gateway.rows<{ id: string }>(
    `insert into users (email, password_hash, role, is_active, locked_until) values ($1, 'none', $2, $3, $4)
     returning id`,
    [email, role, is_active, locked_until],
  );
  return user?.id ?? '';
}

const LIST = `query ($first: Int, $after: String, $filter: UserFilter) {
  users(first: $first, after: $after, filter: $filter) {
    edges { cursor node { id email } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

interface Edge {
  cursor: string;
  node: { id: string; email: string };
}

async function emails(filter: object): Promise<string[]> {
  const { users } = await dataOf(gateway, as, LIST, { filter });
  return users.edges.map(({ node }: Edge) => node.email);
}

test('Interface 11: lists users by e-mail, with all fields', async () => {
  const locked_until = new Date('2030-01-02T03:04:05.678Z');
  const id = await insert('b@example.com', { role: 'analyst', is_active: false, locked_until });
  await insert('a@example.com');
  const type = buildSchema(readFileSync('schema.graphql', 'utf8')).getType('User') as GraphQLObjectType;
  const leaves = Object.values(type.getFields()).filter((field) => isLeafType(getNamedType(field.type)));
  const fields = [...leaves.map(({ name }) => name), 'sessions { nodes { id } }'].join(' ');
  const { users, user } = await dataOf(
    gateway,
    as,
    `{
    users { edges { node { email } } nodes { email } }
    user(id: "${id}") { ${fields} }
  }`,
  );
  expect(users.nodes).toEqual([{ email: 'a@example.com' }, { email: 'b@example.com' }]);
  expect(users.edges).toEqual(users.nodes.map((node: object) => ({ node })));
  expect(user).toEqual({
    id,
    email: 'b@example.com',
    role: 'analyst',
    isActive: false,
    hasPassword: true,
    failedLoginAttempts: 0,
    isLocked: true,
    lockedUntil: '2030-01-02T03:04:05.678Z',
    lastLoginAt: null,
    pendingEmail: null,
    recoveryCodesLeft: 0,
    secondFactorRequired: null,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    sessions: { nodes: [] },
  });
});

test.each(['00000000-0000-7000-8000-000000000000', 'no-uuid', '', "'"])(
  'Interface 11: user of the unknown id %j is null',
  async (id) => {
    expect(await dataOf(gateway, as, 'query ($id: ID!) { user(id: $id) { id } }', { id })).toEqual({ user: null });
  },
);

test('Interface 11: searches for a part of the e-mail, stripped and in any case', async () => {
  for (const email of ['anna@example.com', 'hannah@example.org', 'bob@example.com']) await insert(email);
  expect(await emails({ search: ' ANNA ' })).toEqual(['anna@example.com', 'hannah@example.org']);
  expect(await emails({ search: 'example.org' })).toEqual(['hannah@example.org']);
  expect(await emails({ search: 'nobody' })).toEqual([]);
  expect(await emails({ search: '' })).toHaveLength(3);
});

test('Interface 11: wildcards of LIKE are ordinary characters in a search', async () => {
  for (const email of ['a_b@example.com', 'axb@example.com', 'a%b@example.com']) await insert(email);
  expect(await emails({ search: 'a_b' })).toEqual(['a_b@example.com']);
  expect(await emails({ search: 'a%b' })).toEqual(['a%b@example.com']);
  expect(await emails({ search: '%' })).toEqual(['a%b@example.com']);
  expect(await emails({ search: '\\' })).toEqual([]);
  expect(await emails({ search: 'a\\_b' })).toEqual([]);
});

test('Interface 11: filters by role, activity and lock, each alone and together', async () => {
  const now = gateway.clock.now().getTime();
  const [past, future] = [new Date(now - 1000), new Date(now + 60_000)];
  await insert('a-admin@example.com', { role: 'admin' });
  await insert('b-analyst@example.com', { role: 'analyst', locked_until: future });
  await insert('c-gone@example.com', { role: 'analyst', is_active: false, locked_until: past });
  await insert('d-viewer@example.com', { locked_until: new Date(now) });
  const first = async (filter: object) => (await emails(filter)).map((email) => email[0]).join('');
  expect(await first({ role: 'analyst' })).toBe('bc');
  expect(await first({ isActive: true })).toBe('abd');
  expect(await first({ isActive: false })).toBe('c');
  expect(await first({ isLocked: true })).toBe('b'); // Spec 3.2: locked_until in the future
  expect(await first({ isLocked: false })).toBe('acd');
  const { users } = await dataOf(gateway, as, '{ users(filter: { isLocked: true }) { nodes { isLocked } } }');
  expect(users.nodes).toEqual([{ isLocked: true }]);
  expect(await first({ isLocked: true, role: 'analyst', isActive: true, search: 'b-' })).toBe('b');
  expect(await first({ isLocked: true, role: 'viewer' })).toBe('');
  expect(await first({ isLocked: null, role: null, isActive: null, search: null })).toBe('abcd');
  gateway.clock.advance(60);
  expect(await first({ isLocked: true })).toBe('');
});

test('Interface 11: pages contain each user exactly once while users are added and deleted', async () => {
  const name = (i: number) => `user${String(i).padStart(2, '0')}@example.com`;
  for (let i = 0; i < 24; i += 1) await insert(name(i));
  const seen: string[] = [];
  let after: string | null = null;
  for (let page = 0; ; page += 1) {
    const { users } = await dataOf(gateway, as, LIST, { first: 6, after });
    const { pageInfo } = users;
    const edges: Edge[] = users.edges;
    expect(pageInfo).toEqual({
      hasNextPage: page < 4,
      hasPreviousPage: page > 0,
      startCursor: edges[0]?.cursor,
      endCursor: edges.at(-1)?.cursor,
    });
    seen.push(...edges.map(({ node }) => node.email));
    if (!pageInfo.hasNextPage) break;
    if (page === 0) {
      await insert('aaa@example.com'); // before the cursor: not seen
      await insert(`${name(11)}.au`); // after it
      await gateway.rows('delete from users where email = $1', [edges.at(-1)?.node.email]); // the cursor's own row
    }
    after = pageInfo.endCursor;
  }
  const expected = Array.from({ length: 24 }, (_, i) => name(i));
  expected.splice(12, 0, `${name(11)}.au`);
  expect(seen).toEqual(expected);
});

test('Interface 11: an empty page has no cursors; a full last page says that nothing follows', async () => {
  const empty = await dataOf(gateway, as, LIST, {});
  expect(empty.users).toEqual({
    edges: [],
    pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
  });
  await insert('a@example.com');
  await insert('b@example.com');
  const exact = await dataOf(gateway, as, LIST, { first: 2 });
  expect(exact.users.pageInfo.hasNextPage).toBe(false);
});

/** The answer is an error that names the argument. */
async function refused(variables: { first?: number; after?: string }): Promise<void> {
  const { code, reason, errors } = await ask(gateway, as, LIST, variables);
  const [argument] = Object.keys(variables);
  expect([code, reason, errors[0]?.extensions['argument']]).toEqual(['BAD_USER_INPUT', 'invalid_page', argument]);
}

test.each([0, -1, 101])('Interface 11: first %j is refused', (first) => refused({ first }));

test('Interface 11: `first` is 50 if omitted or null, and at most 100', async () => {
  await gateway.rows(`insert into users (email, password_hash, role)
    select 'u' || i || '@example.com', 'none', 'viewer' from generate_series(1, 120) as i`);
  const length = async (first?: number | null) => (await dataOf(gateway, as, LIST, { first })).users.edges.length;
  expect(await length()).toBe(50);
  expect(await length(null)).toBe(50);
  expect(await length(100)).toBe(100);
});

const CURSORS = [
  '',
  'x',
  '!',
  'W10',
  Buffer.from('[1]').toString('base64url'),
  Buffer.from('{}').toString('base64url'),
];
test.each([...CURSORS, Buffer.from('["a","b"]').toString('base64url')])(
  'Interface 11: `after` %j is refused, since it is not a cursor of this listing',
  (after) => refused({ after }),
);

test("Interface 7: an argument with NUL, which PostgreSQL cannot store, is the caller's error", async () => {
  const after = Buffer.from('["\\u0000"]').toString('base64url');
  for (const [argument, variables] of [
    ['search', { filter: { search: 'a\0b' } }],
    ['after', { after }],
    ['after', { after: '\0' }],
  ] as const) {
    const answer = await ask(gateway, as, LIST, variables);
    expect([answer.status, answer.code]).toEqual([200, 'BAD_USER_INPUT']);
    expect(answer.errors[0]?.extensions['argument']).toBe(argument);
  }
  expect(await emails({ search: '\ud800' })).toEqual([]);
});

test('Interface 11: no N+1: sessions of 20 users take one statement, and no password hash is read', async () => {
  const work = countWork();
  for (let i = 0; i < 20; i += 1) await newcomer(gateway);
  await work.watch(gateway.app.db);
  const text = '{ users(first: 20) { edges { node { id sessions(first: 5) { nodes { userId } } } } } }';
  const [{ users }, { statements }] = await work.during(() => dataOf(gateway, as, text));
  expect(users.edges).toHaveLength(20);
  for (const { node } of users.edges) expect(node.sessions.nodes).toEqual([{ userId: node.id }]);
  expect(statements.filter((sql) => sql.includes('refresh_tokens'))).toHaveLength(1);
  expect(statements.filter((sql) => /from "?users/.test(sql))).toHaveLength(1);
  expect(statements.join().replaceAll('password_hash is not null', '')).not.toContain('password_hash');
});

test('Interface 11: a search examines 10,000 users a page, says that there are more, and continues from there', async () => {
  await gateway.rows(
    `insert into users (email, password_hash, role)
     select 'u' || lpad(i::text, 6, '0') || case when i in (3, 9000, 10001, 20500) then '.rare' else '' end
       || '@example.com', 'none', 'viewer' from generate_series(1, 25000) as i`,
  );
  const pages: Array<[string[], boolean]> = [];
  let after: string | null = null;
  for (let hasNextPage = true; hasNextPage; ) {
    const { users } = await dataOf(gateway, as, LIST, { first: 100, after, filter: { search: '.RARE@' } });
    pages.push([users.edges.map(({ node }: Edge) => node.email.slice(0, 7)), users.pageInfo.hasNextPage]);
    hasNextPage = users.pageInfo.hasNextPage;
    after = users.pageInfo.endCursor;
  }
  expect(pages).toEqual([
    [['u000003', 'u009000'], true],
    [['u010001'], true],
    [['u020500'], false],
  ]);
  const { users } = await dataOf(gateway, as, LIST, { first: 1, filter: { search: '.rare@' } });
  expect(users).toMatchObject({ edges: [{}], pageInfo: { hasNextPage: true, endCursor: users.edges[0].cursor } });
  const none = await dataOf(gateway, as, LIST, { filter: { search: 'nobody at all', isActive: false } });
  expect(none.users).toMatchObject({ edges: [], pageInfo: { hasNextPage: false, endCursor: null } });
});
