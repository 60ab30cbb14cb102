/** The queries `apiKeys` and `cronKeys`: their filters and counts. (Interface 11) */
import fc from 'fast-check';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createApiKey, revokeApiKey, rotateApiKey } from '../../src/admin/api-keys.js';
import { createCronKey, revokeCronKey } from '../../src/admin/cron-keys.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newcomer } from '../support/gateway/graphql.js';

let gateway: TestGateway;
let as: As;
beforeAll(async () => {
  gateway = await startGateway();
  ({ as } = await newcomer(gateway, 'admin'));
});
afterAll(() => gateway.close());
beforeEach(() => gateway.rows('delete from api_keys'));
beforeEach(() => gateway.rows('delete from cron_keys'));

interface Kind {
  field: 'apiKeys' | 'cronKeys';
  table: string;
  create(serviceName: string): Promise<string>;
  revoke(keyId: string): Promise<unknown>;
}

const API: Kind = {
  field: 'apiKeys',
  table: 'api_keys',
  create: async (serviceName) =>
    (await createApiKey(gateway.app, COMMAND_LINE, { serviceName, scopes: [], rateLimit: 1 })).key.keyId,
  revoke: (keyId) => revokeApiKey(gateway.app, COMMAND_LINE, keyId),
};
const CRON: Kind = {
  field: 'cronKeys',
  table: 'cron_keys',
  create: async (serviceName) =>
    (await createCronKey(gateway.app, COMMAND_LINE, { serviceName, scopes: [] })).key.keyId,
  revoke: (keyId) => revokeCronKey(gateway.app, COMMAND_LINE, keyId),
};
const KINDS = [API, CRON].map((kind) => [kind.field, kind] as const);

const list = ({ field }: Kind) => {
  const type = field === 'apiKeys' ? 'ApiKeyFilter' : 'CronKeyFilter';
  return `query ($first: Int, $after: String, $filter: ${type}) {
    ${field}(first: $first, after: $after, filter: $filter) {
      nodes { id } totalCount { count precision } pageInfo { hasNextPage endCursor }
    }
  }`;
};

interface PageOf {
  nodes: Array<{ id: string }>;
  totalCount: { count: number; precision: string };
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** The ids of all pages; each page counts the same. */
async function listed(kind: Kind, filter: object | null, first = 100): Promise<string[]> {
  const ids: string[] = [];
  const counts = new Set<string>();
  let after: string | null = null;
  for (let hasNextPage = true; hasNextPage; ) {
    const data: Record<string, PageOf> = await dataOf(gateway, as, list(kind), { first, after, filter });
    const page = data[kind.field] as PageOf;
    ids.push(...page.nodes.map(({ id }) => id));
    counts.add(`${page.totalCount.precision} ${page.totalCount.count}`);
    ({ hasNextPage, endCursor: after } = page.pageInfo);
  }
  expect([...counts]).toEqual([`exact ${ids.length}`]);
  return ids;
}

test.each(KINDS)(
  'Interface 11: %s are filtered by whether they work, and by the exact service',
  async (_field, kind) => {
    const ids: string[] = [];
    for (const name of ['billing', 'billing', 'Billing', 'billing 2']) {
      ids.push(await kind.create(name));
      gateway.clock.advance(1);
    }
    const [one, two, three, four] = ids;
    await kind.revoke(one ?? '');
    expect(await listed(kind, null)).toEqual(ids);
    expect(await listed(kind, { live: null, serviceName: null })).toEqual(ids);
    expect(await listed(kind, { live: true })).toEqual([two, three, four]);
    expect(await listed(kind, { live: false })).toEqual([one]);
    expect(await listed(kind, { serviceName: 'billing' })).toEqual([one, two]);
    expect(await listed(kind, { serviceName: 'billing', live: true })).toEqual([two]);
    expect(await listed(kind, { serviceName: 'Billing', live: false })).toEqual([]);
    for (const serviceName of ['', 'bill', 'billin_', '%', "'"])
      expect(await listed(kind, { serviceName })).toEqual([]);
  },
);

test.each(KINDS)(
  'Interface 11: %s by ids: unknown ones match nothing, nor does an empty list; other filters also apply',
  async (_field, kind) => {
    const ids: string[] = [];
    for (const name of ['billing', 'billing', 'search']) {
      ids.push(await kind.create(name));
      gateway.clock.advance(1);
    }
    const [one = '', two = '', three = ''] = ids;
    const other = kind === API ? await CRON.create('billing') : await API.create('billing');
    await kind.revoke(two);
    expect(await listed(kind, { ids: [three, one, three] })).toEqual([one, three]);
    expect(await listed(kind, { ids: [three, one] }, 1)).toEqual([one, three]);
    expect(await listed(kind, { ids: [one, other, one.toUpperCase(), 'unknown', '', "'", '{', '%'] })).toEqual([one]);
    expect(await listed(kind, { ids: ['unknown'] })).toEqual([]);
    expect(await listed(kind, { ids: [] })).toEqual([]);
    expect(await listed(kind, { ids, live: false })).toEqual([two]);
    expect(await listed(kind, { ids, serviceName: 'billing', live: true })).toEqual([one]);
    expect(await listed(kind, { ids: [three], serviceName: 'billing' })).toEqual([]);
    expect(await listed(kind, { ids: null })).toEqual(ids);
  },
);

test.each(KINDS)('Interface 11: at most 100 ids of %s; more are refused', async (field, kind) => {
  const ids = Array.from({ length: 101 }, () => 'x');
  expect(await listed(kind, { ids: ids.slice(1) })).toEqual([]);
  const { status, errors } = await ask(gateway, as, list(kind), { filter: { ids } });
  expect(status).toBe(200);
  const extensions = { code: 'BAD_USER_INPUT', reason: 'invalid_ids', argument: 'ids' };
  expect(errors).toMatchObject([{ message: 'ids has at most 100 ids', path: [field], extensions }]);
});

test('Interface 11: an API key with two secrets works and is counted once', async () => {
  const id = await API.create('billing');
  await rotateApiKey(gateway.app, COMMAND_LINE, id, { overlapSeconds: 60 });
  expect(await listed(API, { live: true })).toEqual([id]);
  expect(await listed(API, { live: false })).toEqual([]);
});

test.each(KINDS)(
  'Interface 11: pages of %s have each key once, with any filter, also of one instant',
  async (_f, kind) => {
    const key = fc.record({ at: fc.nat(2), live: fc.boolean(), service: fc.constantFrom('a', 'b') });
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 10 }), fc.integer({ min: 1, max: 4 }), async (keys, first) => {
        await gateway.rows(`delete from ${kind.table}`);
        const columns = kind === API ? 'rate_limit, sealed_secret' : 'secret_sha256';
        const rows = keys.map(({ at, live, service }, n) => ({
          id: `k${(n * 7) % 10}`,
          at: `2026-01-01T00:00:00.00000${at}Z`,
          live,
          service,
        }));
        await gateway.rows(
          `insert into ${kind.table} (key_id, service_name, scopes, created_at, revoked_at, ${columns})
         select id, service, '{}', at, case when not live then at end, ${kind === API ? `1, 'x'` : `'x'`}
         from jsonb_to_recordset($1) as r (id text, at timestamptz, live bool, service text)`,
          [JSON.stringify(rows)],
        );
        const inOrder = rows.toSorted((a, b) => (a.at + a.id < b.at + b.id ? -1 : 1));
        for (const live of [true, false, null]) {
          for (const serviceName of ['a', null]) {
            const expected = inOrder.filter(
              (row) => (live === null || row.live === live) && (serviceName === null || row.service === serviceName),
            );
            expect(await listed(kind, { live, serviceName }, first)).toEqual(expected.map(({ id }) => id));
          }
        }
      }),
      { numRuns: 20 },
    );
  },
);

test.each(KINDS)('Interface 11: the service and the ids of %s in a filter have no NUL', async (_field, kind) => {
  const { errors } = await ask(gateway, as, list(kind), { filter: { serviceName: 'a\0' } });
  expect(errors).toMatchObject([{ extensions: { reason: 'invalid_text', argument: 'serviceName' } }]);
  const { errors: ofIds } = await ask(gateway, as, list(kind), { filter: { ids: ['a', 'a\0'] } });
  expect(ofIds).toMatchObject([{ extensions: { reason: 'invalid_text', argument: 'ids' } }]);
});
