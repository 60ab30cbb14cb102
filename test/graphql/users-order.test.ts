/** The query `users` in each order, and by ids. (Interface 11) */
import fc from 'fast-check';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newApiKey, newcomer, signIn } from '../support/gateway/graphql.js';
import { refresh } from '../support/gateway/routes.js';

let gateway: TestGateway;
let as: As;
beforeAll(async () => {
  gateway = await startGateway();
  ({ as } = await newApiKey(gateway, ['users:read']));
});
afterAll(() => gateway.close());
beforeEach(() => gateway.rows('delete from users'));

const ORDERS = ['email', 'created_at', 'last_login_at'] as const;
type Order = (typeof ORDERS)[number];

const LIST = `query ($first: Int, $after: String, $filter: UserFilter, $orderBy: UserOrder) {
  users(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
    nodes { id email }
    totalCount { count precision }
    pageInfo { hasNextPage endCursor }
  }
}`;

interface Row {
  id: string;
  email: string;
  created_at: string;
  last_login_at: string | null;
}

/** Users whose times differ by microseconds, so that no Date could tell them apart. */
function rowOf(n: number, created: number, loggedIn: number | null): Row {
  const time = (micros: number) => `2026-01-01T00:00:00.00000${micros}Z`;
  return {
    id: `${((n * 7919) % 65_536).toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
    email: `u${String((n * 31) % 1000).padStart(3, '0')}@example.com`,
    created_at: time(created),
    last_login_at: loggedIn === null ? null : time(loggedIn),
  };
}

async function store(rows: Row[]): Promise<void> {
  await gateway.rows(
    `insert into users (id, email, password_hash, role, created_at, last_login_at)
     select id, email, 'none', 'viewer', created_at, last_login_at
     from jsonb_to_recordset($1) as r (id uuid, email text, created_at timestamptz, last_login_at timestamptz)`,
    [JSON.stringify(rows)],
  );
}

const text = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
/** The order by definition. */
const COMPARE: Record<Order, (a: Row, b: Row) => number> = {
  email: (a, b) => text(a.email, b.email),
  created_at: (a, b) => text(b.created_at, a.created_at) || text(b.id, a.id),
  last_login_at: (a, b) => text(b.last_login_at ?? '', a.last_login_at ?? '') || text(b.id, a.id),
};

/** The ids on each page. */
async function pages(variables: object): Promise<string[][]> {
  const all: string[][] = [];
  let after: string | null = null;
  for (;;) {
    const { users } = await dataOf(gateway, as, LIST, { ...variables, after });
    all.push(users.nodes.map(({ id }: Row) => id));
    if (!users.pageInfo.hasNextPage) return all;
    after = users.pageInfo.endCursor;
  }
}

test('Interface 11: in every order, pages have each user once, also with equal times and without logins', async () => {
  const someone = fc.record({ created: fc.nat(3), loggedIn: fc.option(fc.nat(3)) });
  await fc.assert(
    fc.asyncProperty(fc.array(someone, { maxLength: 14 }), fc.integer({ min: 1, max: 5 }), async (people, first) => {
      await gateway.rows('delete from users');
      const rows = people.map(({ created, loggedIn }, n) => rowOf(n, created, loggedIn));
      await store(rows);
      for (const orderBy of ORDERS) {
        const expected = rows.toSorted(COMPARE[orderBy]).map(({ id }) => id);
        for (const filter of [{}, { search: 'EXAMPLE' }, { ids: expected, role: 'viewer' }]) {
          expect((await pages({ first, orderBy, filter })).flat()).toEqual(expected);
        }
      }
    }),
    { numRuns: 15 },
  );
});

test('Interface 11: users are ordered by email unless another order is asked for', async () => {
  const rows = Array.from({ length: 5 }, (_, n) => rowOf(n, n, n));
  await store(rows);
  const byEmail = rows.toSorted(COMPARE.email).map(({ id }) => id);
  for (const variables of [{}, { orderBy: null }, { orderBy: 'email' }]) {
    expect((await pages(variables)).flat()).toEqual(byEmail);
  }
});

test('Interface 11: a login puts its user first in the order of logins, a refresh does not', async () => {
  const first = await newcomer(gateway);
  gateway.clock.advance(10);
  const second = await newcomer(gateway);
  const never = await gateway.user();
  const people = [never, first.user, second.user].map(({ id }) => id);
  const order = async () => (await pages({ orderBy: 'last_login_at', filter: { ids: people } })).flat();
  expect(await order()).toEqual([second.user.id, first.user.id, never.id]);
  gateway.clock.advance(10);
  await refresh(gateway, first.refreshToken);
  expect(await order()).toEqual([second.user.id, first.user.id, never.id]);
  await signIn(gateway, first.user);
  expect(await order()).toEqual([first.user.id, second.user.id, never.id]);
});

test.each(ORDERS)('Interface 11: a cursor of the order %s is refused by each other listing', async (orderBy) => {
  await store([rowOf(1, 1, 1), rowOf(2, 2, null), rowOf(3, 3, null)]);
  const cursors = [];
  for (const first of [1, 2]) {
    cursors.push((await dataOf(gateway, as, LIST, { first, orderBy })).users.pageInfo.endCursor);
  }
  for (const after of cursors) {
    expect((await ask(gateway, as, LIST, { orderBy, after })).errors).toEqual([]);
    for (const other of ORDERS.filter((name) => name !== orderBy)) {
      const { errors } = await ask(gateway, as, LIST, { orderBy: other, after });
      const extensions = { code: 'BAD_USER_INPUT', reason: 'invalid_page', argument: 'after' };
      expect(errors).toMatchObject([{ path: ['users'], extensions }]);
    }
  }
});

const ID = '00000000-0000-4000-8000-000000000000';
const AT = '2026-01-01T00:00:00.000000Z';
test.each([
  ['created_at', [AT, ID]],
  ['created_at', [AT, 'x', 'created_at']],
  ['created_at', ['never', ID, 'created_at']],
  ['last_login_at', ['never', 'x', 'last_login_at']],
  ['last_login_at', ['never', ID, 'created_at']],
  ['last_login_at', ['2026-02-30T00:00:00.000000Z', ID, 'last_login_at']],
  ['last_login_at', ['', ID, 'last_login_at']],
])('Interface 11: in the order %s, `after` is refused if it holds %j', async (orderBy, key) => {
  const after = Buffer.from(JSON.stringify(key)).toString('base64url');
  expect(await ask(gateway, as, LIST, { orderBy, after })).toMatchObject({ status: 200, reason: 'invalid_page' });
});

test('Interface 11: in every order, a search examines 10,000 users a page and continues from there', async () => {
  await gateway.rows(
    `insert into users (email, password_hash, role, created_at, last_login_at)
     select 'u' || lpad(i::text, 6, '0') || case when i in (3, 10001, 20500) then '.rare' else '' end || '@example.com',
       'none', 'viewer', timestamptz '2026-01-01' - i * interval '1 s',
       case when i <= 10100 then timestamptz '2026-01-01' - i * interval '1 s' end
     from generate_series(1, 21000) as i`,
  );
  for (const orderBy of ['email', 'created_at']) {
    const found = await pages({ first: 100, orderBy, filter: { search: '.RARE@' } });
    expect([orderBy, found.map(({ length }) => length)]).toEqual([orderBy, [1, 1, 1]]);
  }
  // Those who have never logged in are in the order of their random ids.
  const found = await pages({ first: 100, orderBy: 'last_login_at', filter: { search: '.rare@' } });
  expect([found.length, found[0]?.length, found.flat().length]).toEqual([3, 1, 3]);
});

test('Interface 11: users by ids: unknown ones match nothing, nor does an empty list; other filters also apply', async () => {
  const rows = [1, 2, 3].map((n) => rowOf(n, n, n));
  await store(rows);
  const [one, two] = rows.toSorted(COMPARE.email).map(({ id }) => id);
  const found = async (filter: object) => {
    const { users } = await dataOf(gateway, as, LIST, { filter });
    expect(users.totalCount).toEqual({ count: users.nodes.length, precision: 'exact' });
    return users.nodes.map(({ id }: Row) => id);
  };
  expect(await found({ ids: [two, one, two, one?.toUpperCase()] })).toEqual([one, two]);
  expect(await found({ ids: [one, '00000000-0000-7000-8000-000000000000', 'no-uuid', '', "'"] })).toEqual([one]);
  expect(await found({ ids: ['no-uuid'] })).toEqual([]);
  expect(await found({ ids: [] })).toEqual([]);
  expect(await found({ ids: [], search: 'example' })).toEqual([]);
  expect(await found({ ids: [one, two], role: 'admin' })).toEqual([]);
  expect(await found({ ids: [one], search: 'nobody' })).toEqual([]);
  expect(await found({ ids: [one, two], isActive: true, isLocked: false, search: 'u' })).toEqual([one, two]);
  expect(await found({ ids: null })).toHaveLength(3);
});

test('Interface 11: at most 100 ids, whether they are of users or not; more are refused, also by totalCount', async () => {
  const ids = Array.from({ length: 101 }, () => 'x');
  expect((await ask(gateway, as, LIST, { filter: { ids: ids.slice(1) } })).errors).toEqual([]);
  const { status, errors } = await ask(gateway, as, LIST, { filter: { ids } });
  expect(status).toBe(200);
  const extensions = { code: 'BAD_USER_INPUT', reason: 'invalid_ids', argument: 'ids' };
  expect(errors).toMatchObject([{ message: 'ids has at most 100 ids', path: ['users'], extensions }]);
});

test('Interface 11: an order that reads all users costs 1,000 more', async () => {
  const times = (n: number, orderBy: Order) =>
    ask(
      gateway,
      as,
      `{ ${Array.from({ length: n }, (_, i) => `a${i}: users(first: 1, orderBy: ${orderBy}) { nodes { id } }`).join(' ')} }`,
    );
  expect((await times(9, 'last_login_at')).errors).toEqual([]);
  expect(await times(10, 'last_login_at')).toMatchObject({ status: 400, code: 'OPERATION_TOO_COSTLY' });
  expect((await times(15, 'created_at')).errors).toEqual([]);
});
