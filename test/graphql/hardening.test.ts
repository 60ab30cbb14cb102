/** Queries that the endpoint refuses before it reads anything. (Interface 7) */
import { GraphQLError } from 'graphql';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newCronKey } from '../support/gateway/graphql.js';
import { countWork } from '../support/gateway/work.js';

let gateway: TestGateway;
let as: As;
beforeAll(async () => {
  gateway = await startGateway();
  ({ as } = await newCronKey(gateway, ['users:read', 'audit:read']));
});
afterAll(() => gateway.close());

const QUERY = '{ caller { callerType } }';
const JSON_TYPE = { 'content-type': 'application/json' };

/** Sends any body as the caller. */
function post(body: string | Buffer, headers: Record<string, string> = JSON_TYPE) {
  return gateway.send('POST', '/graphql', { headers: { ...as(''), ...headers }, body });
}

test('Interface 7: a query in the URL is not accepted, also not by POST', async () => {
  const path = `/graphql?query=${encodeURIComponent(QUERY)}`;
  const answer = await gateway.send('POST', path, { headers: { ...as(''), ...JSON_TYPE }, body: '{}' });
  expect(answer.status).toBe(400);
});

test.each(['{', '', '{"query":', '\xff'])('Interface 7: a body %j, which is not JSON, is 400', async (body) => {
  const answer = await post(Buffer.from(body, 'latin1'));
  expect(answer.status).toBe(400);
  if (body !== '') expect(answer.json.errors[0].message).toBe('Request body is not valid JSON');
});

test('Interface 7: an unknown operation name is 400', async () => {
  for (const query of [QUERY, `query A ${QUERY} query B ${QUERY}`]) {
    expect((await post(JSON.stringify({ query, operationName: 'C' }))).status).toBe(400);
  }
});

/** As deep as fields go in this schema, and deeper with fragments, which also count. */
function nested(levels: number): string {
  const inner = Array.from({ length: levels }, (_, i) => `fragment f${i} on Query { ...f${i + 1} }`).join(' ');
  return `{ ...f0 } ${inner} fragment f${levels} on Query { caller { callerType } }`;
}

test('Interface 7: limits the depth, also through fragments', async () => {
  expect((await ask(gateway, as, nested(2))).errors).toEqual([]);
  const deep = await ask(gateway, as, nested(10));
  expect([deep.status, deep.errors[0]?.message]).toEqual([400, expect.stringContaining('depth')]);
  const inline = `{ ${'... on Query { '.repeat(12)} caller { callerType } ${'} '.repeat(12)} }`;
  expect((await ask(gateway, as, inline)).status).toBe(400);
});

const aliases = (count: number, field: string) => Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ');

test.each([
  ['of a field', (count: number) => `{ ${aliases(count, 'caller { callerType }')} }`],
  ['of __typename', (count: number) => `{ ${aliases(count, '__typename')} }`],
  ['in a fragment', (count: number) => `{ ...f } fragment f on Query { ${aliases(count, '__typename')} }`],
  [
    'in a fragment used twice',
    (count: number) =>
      `{ caller { ...f ...f } } fragment f on Caller { ${aliases(Math.ceil(count / 2), '__typename')} }`,
  ],
])('Interface 7: limits the aliases %s to 15', async (_what, text) => {
  expect((await ask(gateway, as, text(14))).errors).toEqual([]);
  const many = await ask(gateway, as, text(17));
  expect([many.status, many.errors[0]?.message]).toEqual([400, expect.stringContaining('liases')]);
});

test('Interface 7: limits the tokens of a document to 1,500', async () => {
  const text = (types: number) =>
    `{ auditEvents(filter: { eventTypes: [${'logout '.repeat(types)}] }) { edges { cursor } } }`; // and 19 more
  expect((await ask(gateway, as, text(1_481))).errors).toEqual([]);
  const long = await ask(gateway, as, text(1_482));
  expect([long.status, long.code]).toEqual([400, 'GRAPHQL_PARSE_FAILED']);
});

const PAGE = 'users(first: FIRST) { edges { node { sessions(first: 5) { edges { node { id userAgent } } } } } }';
const costly = (times: number, first: string) => `${aliases(times, PAGE.replace('FIRST', first))}`;

test('Interface 7: limits the cost, with `first` written out, in a variable or omitted, before anything is read', async () => {
  const work = countWork();
  await work.watch(gateway.app.db);
  for (const [text, variables] of [
    [`{ ${costly(2, '100')} }`, {}],
    [`query ($n: Int) { ${costly(2, '$n')} }`, { n: 100 }],
    [`query ($n: Int = 100) { ${costly(2, '$n')} }`, {}],
    [`{ ...f } fragment f on Query { ${costly(2, '100')} }`, {}],
    [`{ ${costly(4, '50')} }`, {}],
    [`{ ${aliases(4, PAGE.replace('(first: FIRST)', ''))} }`, {}], // 50 if omitted
    [`query ($n: Int) { ${costly(4, '$n')} }`, { n: null }],
  ] as const) {
    const [answer, { statements }] = await work.during(() => ask(gateway, as, text, variables));
    expect(answer).toMatchObject({ status: 400, code: 'OPERATION_TOO_COSTLY', data: undefined });
    expect(statements.filter((sql) => /users|refresh_tokens/.test(sql))).toEqual([]);
  }
  expect((await dataOf(gateway, as, `{ ${costly(1, '100')} }`)).a0.edges).toEqual([]);
  expect(await dataOf(gateway, as, `query ($n: Int) { ${costly(4, '$n')} }`, { n: 10 })).toMatchObject({ a3: {} });
});

test('Interface 7: only the selected operation counts', async () => {
  const body = { query: `query A ${QUERY} query B { ${costly(5, '100')} }`, operationName: 'A' };
  expect((await post(JSON.stringify(body))).status).toBe(200);
  expect((await post(JSON.stringify({ ...body, operationName: 'B' }))).status).toBe(400);
});

test('Interface 7: a selection that expands to more fields than can be counted is refused quickly as too costly', async () => {
  const fragment = (i: number, inner: string) => `fragment f${i} on Query { ${inner} }`;
  const text = `{ ...f0 } ${fragment(0, '...f1 '.repeat(150))} ${fragment(1, '...f2 '.repeat(150))}
    ${fragment(2, '...f3 '.repeat(150))} ${fragment(3, 'caller { callerType }')}`;
  expect(await ask(gateway, as, text)).toMatchObject({ status: 400, code: 'OPERATION_TOO_COSTLY' });
});

test.each([{ n: 'x' }, { n: 1.5 }, { n: {} }, {}])(
  'Interface 7: variables of the wrong type are 400: %j',
  async (variables) => {
    const answer = await ask(gateway, as, 'query ($n: Int!) { users(first: $n) { edges { cursor } } }', variables);
    expect(answer).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' });
  },
);

/** Number of created errors. Each scans the whole document for its line, and has a stack. */
async function errorsDuring<T>(act: () => Promise<T>): Promise<[T, number]> {
  const capture = Error.captureStackTrace;
  let count = 0;
  Error.captureStackTrace = (target: object, from?: unknown) => {
    if (target instanceof GraphQLError) count += 1;
    capture(target, from as () => void);
  };
  try {
    return [await act(), count];
  } finally {
    Error.captureStackTrace = capture;
  }
}

const LINES = '\n'.repeat(8_000);
test.each<[string, string, object]>([
  [
    'items of a list',
    `query ($e: [AuditEventType!]) { auditEvents(filter: { eventTypes: $e }) { edges { cursor } } }`,
    { e: Array(15_000).fill(1) },
  ],
  [
    'input fields',
    'query ($f: UserFilter) { users(filter: $f) { edges { cursor } } }',
    { f: Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`field${i}`, 1])) },
  ],
  ['fields', `{ ${Array.from({ length: 700 }, (_, i) => `no${i}`).join(' ')} }`, {}],
  ['literals', `{ auditEvents(filter: { eventTypes: [${'1 '.repeat(1_400)}] }) { edges { cursor } } }`, {}],
])('Interface 7: thousands of %s that are wrong make a few errors, not thousands', async (_what, query, variables) => {
  const [answer, made] = await errorsDuring(() => ask(gateway, as, LINES + query, variables));
  expect(answer.status).toBe(400);
  expect(made).toBeLessThan(40);
  expect(answer.text.length).toBeLessThan(6_000);
});

const SPAN = 'bucket: day, filter: { since: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z" }';
test.each([
  ['pages', 'users(first: 100) { edges { node { sessions(first: 100) { edges SKIP { cursor } __typename } } } }', 1],
  ['counts', `auditCounts(${SPAN}) { count SKIP __typename }`, 4],
  ['stories', 'session(id: "x") { events(first: 100) { edges SKIP { cursor } __typename } }', 10],
])('Interface 7: @skip and @include do not make %s cheaper than what they read', async (_what, field, times) => {
  const work = countWork();
  await work.watch(gateway.app.db);
  for (const [skip, operation] of [
    ['@skip(if: true)', 'query'],
    ['@include(if: false)', 'query'],
    ['@skip(if: $yes)', 'query ($yes: Boolean = true)'],
  ] as const) {
    const text = `${operation} { ${aliases(times, field.replace('SKIP', skip))} }`;
    const [answer, { statements }] = await work.during(() => ask(gateway, as, text));
    expect(answer).toMatchObject({ status: 400, code: 'OPERATION_TOO_COSTLY' });
    expect(statements.filter((sql) => /users|audit_events|refresh_tokens/.test(sql))).toEqual([]);
  }
});

test('Interface 7: three counts pass, four are too costly', async () => {
  const counts = (times: number) => `{ ${aliases(times, `auditCounts(${SPAN}) { bucketStart eventType count }`)} }`;
  expect((await ask(gateway, as, counts(3))).errors).toEqual([]);
  expect(await ask(gateway, as, counts(4))).toMatchObject({ status: 400, code: 'OPERATION_TOO_COSTLY' });
});

test('Interface 7: a subscription of another field is 400', async () => {
  for (const text of ['subscription { a }', 'subscription S { caller { callerType } }']) {
    const answer = await ask(gateway, as, text);
    expect([answer.status, answer.code]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
    expect(answer.errors[0]?.message).toMatch(/^Cannot query field ".+" on type "Subscription"/);
  }
});

test('Interface 7: null in a variable of a non-null argument is the caller’s error, and the error names it', async () => {
  const text = 'query ($id: ID = "a") { user(id: $id) { id } }';
  const answer = await ask(gateway, as, text, { id: null });
  expect(answer).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' });
  expect(answer.errors[0]?.message).toContain('"id" of non-null type "ID!" must not be null');
});
