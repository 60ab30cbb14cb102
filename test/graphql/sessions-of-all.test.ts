/** The query `sessions`: those of all users. (Interface 11) */
import fc from 'fast-check';
import { claimsOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newApiKey, newcomer, type SignedIn, signIn } from '../support/gateway/graphql.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { countWork } from '../support/gateway/work.js';

let gateway: TestGateway;
let as: As;
beforeAll(async () => {
  gateway = await startGateway({ env: { REFRESH_TOKEN_TTL_SECONDS: '3600' } });
  ({ as } = await newApiKey(gateway, ['sessions:write', 'users:read']));
});
afterAll(() => gateway.close());
beforeEach(async () => {
  await gateway.rows('delete from refresh_tokens'); // a trigger deletes the sessions
});

const LIST = `query ($first: Int, $after: String, $filter: SessionFilter) {
  sessions(first: $first, after: $after, filter: $filter) {
    nodes { id isLive }
    totalCount { count precision }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

interface Listed {
  id: string;
  isLive: boolean;
}

interface PageOf {
  nodes: Listed[];
  totalCount: { count: number; precision: string };
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

const familyOf = ({ accessToken }: SignedIn) => String(claimsOf(accessToken)['sid']);

async function read(variables: object = {}): Promise<PageOf> {
  return (await dataOf(gateway, as, LIST, variables)).sessions;
}

async function pages(variables: object, between = async () => undefined as unknown): Promise<PageOf[]> {
  const all: PageOf[] = [];
  let after: string | null = null;
  for (;;) {
    const page = await read({ ...variables, after });
    all.push(page);
    if (!page.pageInfo.hasNextPage) return all;
    after = page.pageInfo.endCursor;
    await between();
  }
}

const idsOf = (all: PageOf[]) => all.flatMap(({ nodes }) => nodes.map(({ id }) => id));

/** Sessions of nobody, by `live` of each; ids in ascending order, and the last use in descending order. */
async function store(live: boolean[]): Promise<string[]> {
  const rows = await gateway.rows<{ family_id: string }>(
    `insert into refresh_tokens (jti, user_id, family_id, user_agent, ip_address, revoked, revoked_reason, revoked_at,
       created_at, session_started_at, expires_at)
     select gen_random_uuid(), gen_random_uuid(), ('019a0000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, '', '',
       not live, case when not live then 'logout' end, case when not live then $2::timestamptz end,
       $2 - i * interval '1 ms', $2 - i * interval '1 ms', $2::timestamptz + interval '1 hour'
     from unnest($1::bool[]) with ordinality as s (live, i)
     returning family_id`,
    [live, gateway.clock.now()],
  );
  return rows.map(({ family_id }) => family_id).sort();
}

test('Interface 11: lists the sessions of all users, newest login first, whatever is refreshed later', async () => {
  const first = await newcomer(gateway);
  gateway.clock.advance(0.001);
  const second = await newcomer(gateway, 'admin');
  gateway.clock.advance(9.999); // to whole seconds
  const third = await signIn(gateway, first.user);
  gateway.clock.advance(20);
  await refresh(gateway, first.refreshToken);
  const { sessions } = await dataOf(
    gateway,
    second.as,
    '{ sessions { nodes { id userId startedAt lastUsedAt isLive isCurrent user { email } } totalCount { count } } }',
  );
  expect(sessions.nodes.map(({ id }: Listed) => id)).toEqual([third, second, first].map(familyOf));
  expect(sessions.totalCount).toEqual({ count: 3 });
  for (const live of [true, null]) {
    expect(idsOf(await pages({ first: 1, filter: { live } }))).toEqual([third, second, first].map(familyOf));
  }
  const [, current, oldest] = sessions.nodes;
  expect(oldest).toMatchObject({
    userId: first.user.id,
    lastUsedAt: gateway.clock.now().toISOString(),
    isLive: true,
    isCurrent: false,
    user: { email: first.user.email },
  });
  expect(oldest.startedAt < current.startedAt).toBe(true);
  expect(current).toMatchObject({ isCurrent: true, user: { email: second.user.email } });
});

test('Interface 11: sessions filtered by `live`: those that have neither ended nor expired, or the others', async () => {
  const live = await newcomer(gateway);
  const out = await signIn(gateway, live.user);
  const expiring = await signIn(gateway, live.user);
  await logout(gateway, out.refreshToken);
  const listed = async (value: boolean | null) => {
    const { nodes, totalCount } = await read({ filter: { live: value } });
    expect(totalCount).toEqual({ count: nodes.length, precision: 'exact' });
    return new Set(nodes.map(({ id }) => id));
  };
  expect(await listed(true)).toEqual(new Set([live, expiring].map(familyOf)));
  expect(await listed(false)).toEqual(new Set([familyOf(out)]));
  expect((await listed(null)).size).toBe(3);
  gateway.clock.advance(1800);
  await refresh(gateway, live.refreshToken);
  gateway.clock.advance(1800);
  expect((await listed(true)).size).toBe(2); // Spec 4.2 step 8: only a past expiry is refused
  gateway.clock.advance(0.001);
  expect(await listed(true)).toEqual(new Set([familyOf(live)]));
  expect(await listed(false)).toEqual(new Set([out, expiring].map(familyOf)));
  gateway.clock.advance(0.999); // back to whole seconds for the next tests
});

test('Interface 11: pages have each session once, with any filter', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 15 }), fc.integer({ min: 1, max: 5 }), async (live, first) => {
      await gateway.rows('delete from refresh_tokens');
      const ids = await store(live);
      for (const wanted of [true, false, null]) {
        const expected = ids.filter((_, i) => wanted === null || live[i] === wanted).reverse();
        const all = await pages({ first, filter: { live: wanted } });
        expect(idsOf(all)).toEqual(expected);
        expect(all.map(({ nodes }) => nodes.length > 0 || all.length === 1)).not.toContain(false);
        expect(all[0]?.totalCount).toEqual({ count: expected.length, precision: 'exact' });
      }
    }),
    { numRuns: 40 },
  );
});

test('Interface 11: while the pages are read, a new session is not seen, and a deleted one leaves no gap', async () => {
  const ids = await store(Array.from({ length: 9 }, () => true));
  let isFirst = true;
  const all = await pages({ first: 3 }, async () => {
    if (!isFirst) return;
    isFirst = false;
    await newcomer(gateway);
    await gateway.rows('delete from refresh_tokens where family_id = any($1)', [[ids[6], ids[3]]]); // read, and next but two
  });
  expect(idsOf(all)).toEqual([8, 7, 6, 5, 4, 2, 1, 0].map((i) => ids[i]));
});

test('Interface 11: with `live` a page examines 10,000 sessions, says that there are more, and continues from there', async () => {
  const live = Array.from({ length: 20_500 }, (_, i) => [0, 400, 10_499, 10_600].includes(i)); // a page ends at 10,500
  const ids = await store(live);
  const all = await pages({ first: 100, filter: { live: true } });
  expect(all.map(({ nodes }) => nodes.map(({ id }) => ids.indexOf(id)))).toEqual([[10_600], [10_499], [400, 0]]);
  expect(all.map(({ pageInfo }) => pageInfo.hasNextPage)).toEqual([true, true, false]);
  expect(all[0]?.totalCount).toEqual({ count: 1, precision: 'at_least' });
  const ended = await read({ first: 1, filter: { live: false } });
  expect(ended.totalCount).toEqual({ count: 9_999, precision: 'at_least' });
  expect((await read({ first: 1 })).totalCount).toEqual({ count: 10_000, precision: 'at_least' });
});

test('Interface 11: totalCount of sessions is exact up to 10,000', async () => {
  await store(Array.from({ length: 10_000 }, (_, i) => i % 2 === 0));
  expect((await read({ first: 1 })).totalCount).toEqual({ count: 10_000, precision: 'exact' });
  expect((await read({ first: 1, filter: { live: true } })).totalCount).toEqual({ count: 5_000, precision: 'exact' });
});

test('Interface 11: an empty page of sessions has no cursors', async () => {
  for (const filter of [{}, { live: true }]) {
    expect(await read({ filter })).toEqual({
      nodes: [],
      totalCount: { count: 0, precision: 'exact' },
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  }
});

test.each([
  [['x']],
  [['2026-01-01T00:00:00.000000Z', '00000000-0000-4000-8000-000000000000']],
  [['00000000-0000-4000-8000-000000000000', 'x']],
])('Interface 11: `after` that holds %j is no cursor of sessions', async (key) => {
  const after = Buffer.from(JSON.stringify(key)).toString('base64url');
  for (const filter of [{}, { live: false }]) {
    const { errors } = await ask(gateway, as, LIST, { after, filter });
    expect(errors).toMatchObject([{ path: ['sessions'], extensions: { reason: 'invalid_page', argument: 'after' } }]);
  }
});

test('Interface 11: a page of sessions takes one statement, its users one more, and its count one more', async () => {
  for (let i = 0; i < 10; i += 1) await newcomer(gateway);
  const work = countWork();
  await work.watch(gateway.app.db);
  const reads = async (fields: string) => {
    const [{ sessions }, { statements }] = await work.during(() =>
      dataOf(gateway, as, `{ sessions(first: 10, filter: { live: true }) { ${fields} } }`),
    );
    const listed = statements.filter((text) => /from "?(sessions|users)\b/.test(text));
    return [sessions, listed.length];
  };
  const [{ nodes }, statements] = await reads('nodes { userId user { id } }');
  expect(nodes).toHaveLength(10);
  for (const { userId, user } of nodes) expect(user).toEqual({ id: userId });
  expect(statements).toBe(2);
  expect((await reads('totalCount { count }'))[1]).toBe(2);
});

test('Interface 11: `user` of a listed session needs users:read', async () => {
  const { as: revoker } = await newApiKey(gateway, ['sessions:write']);
  await newcomer(gateway);
  const { data, errors } = await ask(gateway, revoker, '{ sessions { nodes { userId user { id } } } }');
  expect(data.sessions.nodes).toEqual([{ userId: expect.any(String), user: null }]);
  const extensions = { code: 'FORBIDDEN', reason: 'scope_missing', requiredScope: 'users:read' };
  expect(errors).toMatchObject([{ path: ['sessions', 'nodes', 0, 'user'], extensions }]);
});
