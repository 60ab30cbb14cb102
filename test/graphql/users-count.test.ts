/** The field `totalCount` of `users`. (Interface 11) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newApiKey } from '../support/gateway/graphql.js';
import { countWork } from '../support/gateway/work.js';

let gateway: TestGateway;
let as: As;
beforeAll(async () => {
  gateway = await startGateway();
  ({ as } = await newApiKey(gateway, ['users:read']));
});
afterAll(() => gateway.close());
beforeEach(() => gateway.rows('delete from users'));

/** Users `u000001@example.com` and so on; every tenth an inactive analyst, every hundredth locked. */
async function insert(from: number, to: number): Promise<void> {
  const until = new Date(gateway.clock.now().getTime() + 60_000);
  await gateway.rows(
    `insert into users (email, password_hash, role, is_active, locked_until)
     select 'u' || lpad(i::text, 6, '0') || '@example.com', 'none', case when i % 10 = 0 then 'analyst' else 'viewer' end,
       i % 10 <> 0, case when i % 100 = 0 then $3::timestamptz end
     from generate_series($1::int, $2::int) as i`,
    [from, to, until],
  );
}

const COUNT = `query ($first: Int, $after: String, $filter: UserFilter) {
  users(first: $first, after: $after, filter: $filter) { totalCount { count precision } pageInfo { endCursor } }
}`;

async function total(filter: object, page: object = {}): Promise<string> {
  const { users } = await dataOf(gateway, as, COUNT, { ...page, filter });
  return `${users.totalCount.precision} ${users.totalCount.count}`;
}

test('Interface 11: totalCount counts all matching users, independent of the page', async () => {
  expect([await total({}), await total({ search: 'u' })]).toEqual(['exact 0', 'exact 0']);
  await insert(1, 300);
  const { users } = await dataOf(gateway, as, COUNT, { first: 100 });
  expect(await total({}, { first: 1, after: users.pageInfo.endCursor })).toBe('exact 300');
  expect(await total({ role: 'analyst' })).toBe('exact 30');
  expect(await total({ role: 'admin' })).toBe('exact 0');
  expect(await total({ isActive: true })).toBe('exact 270');
  expect(await total({ isActive: false })).toBe('exact 30');
  expect(await total({ isLocked: true })).toBe('exact 3');
  expect(await total({ isLocked: false })).toBe('exact 297');
  expect(await total({ search: ' U0000' })).toBe('exact 99');
  expect(await total({ search: '1@', role: 'viewer', isActive: true, isLocked: false })).toBe('exact 30');
  expect(await total({ search: null, role: null, isActive: null, isLocked: null })).toBe('exact 300');
  gateway.clock.advance(60);
  expect([await total({ isLocked: true }), await total({ isLocked: false })]).toEqual(['exact 0', 'exact 300']);
});

test('Interface 11: totalCount is exact up to 10,000 and stops there; a search counts among the first 10,000', async () => {
  await insert(1, 10_000);
  expect([await total({}), await total({ search: 'u' })]).toEqual(['exact 10000', 'exact 10000']);
  expect(await total({ search: '1@' })).toBe('exact 1000');
  await insert(10_001, 10_001);
  expect([await total({}), await total({ search: 'u' })]).toEqual(['at_least 10000', 'at_least 10000']);
  expect(await total({ search: '1@' })).toBe('at_least 1000');
  expect(await total({ search: 'nobody' })).toBe('at_least 0');
  expect([await total({ isActive: true }), await total({ isActive: true, search: '1@' })]).toEqual([
    'exact 9001',
    'exact 1001',
  ]);
});

test('Interface 11: totalCount is only read if requested, and ten of them cost too much', async () => {
  const work = countWork();
  await work.watch(gateway.app.db);
  const page = (fields: string, times = 1) =>
    `{ ${Array.from({ length: times }, (_, i) => `a${i}: users(first: 1) { ${fields} }`).join(' ')} }`;
  const reads = async (text: string) => {
    const [, { statements }] = await work.during(() => dataOf(gateway, as, text));
    return statements.filter((sql) => sql.includes('from users')).length;
  };
  expect(await reads(page('nodes { id }'))).toBe(1);
  expect(await reads(page('totalCount { count }'))).toBe(2);
  const tooMany = await ask(gateway, as, page('totalCount { count }', 10));
  expect(tooMany).toMatchObject({ status: 400, code: 'OPERATION_TOO_COSTLY' });
});
