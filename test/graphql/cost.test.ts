/** The cost of an operation: in its answer, and where it comes from in the refusal. (Interface 24) */
import { Session } from 'node:inspector/promises';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, newApiKey, newCronKey, nobody } from '../support/gateway/graphql.js';

let gateway: TestGateway;
let as: As;
beforeAll(async () => {
  gateway = await startGateway();
  ({ as } = await newCronKey(gateway, ['users:read', 'audit:read', 'keys:read']));
});
afterAll(() => gateway.close());

/** With this value of `GraphQL-Cost`. */
const wanting =
  (value: string | string[], caller: As = as): As =>
  (body) => ({ ...caller(body), 'graphql-cost': value });
const wantingCost: As = (body) => wanting('1')(body);

const CALLER = '{ caller { callerType } }';
const USERS = '{ users(first: 10) { nodes { id } } }';
const COSTLY = '{ users(first: 100) { edges { node { sessions(first: 100) { edges { node { id } } } } } } }';
const COST_OF_COSTLY = 20 + 100 * (5 + 2 + 20 + 100 * (5 + 2 + 1));

test.each<[string, string, object, number]>([
  ['a field', CALLER, {}, 21],
  ['a page', USERS, {}, 20 + 10 * (5 + 2)],
  ['a page by a variable', 'query ($n: Int) { users(first: $n) { nodes { id } } }', { n: 3 }, 20 + 3 * (5 + 2)],
  ['a count', '{ users(first: 1) { totalCount { count } } }', {}, 20 + 5 + 2 + 1_000],
  ['a field that fails', '{ me { id } }', {}, 21],
])('Interface 24: GraphQL-Cost: 1 answers the cost of %s', async (_what, text, variables, cost) => {
  const { as: bySignature } = await newApiKey(gateway, ['users:read']);
  for (const caller of [as, bySignature]) {
    for (const _again of [1, 2]) {
      const { status, json } = await ask(gateway, wanting('1', caller), text, variables);
      expect([status, json.extensions]).toEqual([200, { cost }]);
    }
    const { json: unasked } = await ask(gateway, caller, text, variables);
    expect(unasked).not.toHaveProperty('extensions');
  }
});

test('Interface 24: a refusal for the cost has the cost too', async () => {
  const { status, json, reason } = await ask(gateway, wantingCost, COSTLY);
  expect([status, reason, json.extensions]).toEqual([400, 'cost_above_limit', { cost: COST_OF_COSTLY }]);
  expect((await ask(gateway, as, COSTLY)).json).not.toHaveProperty('extensions');
});

test('Interface 24: the cost of the selected operation is answered', async () => {
  const body = (operationName: string) =>
    JSON.stringify({ query: `query A ${CALLER} query B ${USERS}`, operationName });
  const cost = async (name: string) => {
    const headers = { 'content-type': 'application/json', ...wantingCost(body(name)) };
    return (await gateway.send('POST', '/graphql', { headers, body: body(name) })).json.extensions;
  };
  expect([await cost('A'), await cost('B'), await cost('C')]).toEqual([{ cost: 21 }, { cost: 90 }, undefined]);
});

test.each<[string, string | string[]]>([
  ['empty', ''],
  ['0', '0'],
  ['true', 'true'],
  ['01', '01'],
  ['1.0', '1.0'],
  ['1;q=1', '1;q=1'],
  ['2', '2'],
  ['repeated', ['1', '1']],
])('Interface 24: GraphQL-Cost that is %s is ignored', async (_what, value) => {
  const { status, json } = await ask(gateway, wanting(value), CALLER);
  expect([status, json]).toEqual([200, { data: { caller: { callerType: 'cron' } } }]);
});

/** More fields than can be counted */
const repeated = (field: string) =>
  `{ ...a } fragment a on Query { ${'...b '.repeat(150)} } fragment b on Query { ${'...c '.repeat(150)} } fragment c on Query { ${field} }`;

test.each<[string, () => As, string, object, number]>([
  ['a syntax error', () => as, '{', {}, 400],
  ['an unknown field', () => as, '{ nothing }', {}, 400],
  ['a wrong variable', () => as, 'query ($n: Int) { users(first: $n) { nodes { id } } }', { n: 'x' }, 400],
  ['a cost that is too large to compute', () => as, repeated('caller { callerType }'), {}, 400],
  ['no caller', () => nobody, CALLER, {}, 401],
])('Interface 24: an answer to %s has no cost', async (_what, caller, text, variables, status) => {
  const answer = await ask(gateway, wanting('1', caller()), text, variables);
  expect(answer.status).toBe(status);
  expect(answer.json).not.toHaveProperty('extensions');
});

const SESSIONS = 'edges { node { sessions(first: 100) { edges { node { id } } } } }';
const INNER = 'users.edges.node.sessions';
const COUNTS =
  'auditCounts(bucket: day, filter: { since: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z" }) { count }';
const STORY = 'session(id: "x") { events { nodes { id } } }';
const EVENTS = 'auditEvents(first: 100) { nodes { id metadata } }';
const aliases = (times: number, field: string) => Array.from({ length: times }, (_, i) => `a${i}: ${field}`).join(' ');

test.each<[string, string, object, string]>([
  ['a page in a page', COSTLY, {}, INNER],
  ['one of two fields', `{ ${EVENTS} users(first: 100) { ${SESSIONS} } }`, {}, INNER],
  [
    'aliases of one field',
    `{ ${aliases(5, 'users(first: 30) { nodes { sessions { nodes { id } } } }')} }`,
    {},
    'users.nodes.sessions',
  ],
  ['a fragment', `{ ...f } fragment f on Query { users(first: 100) { ${SESSIONS} } }`, {}, INNER],
  [
    'an inline fragment',
    `{ ... on Query { ... { users(first: 100) { ... on UserConnection { ${SESSIONS} } } } } }`,
    {},
    INNER,
  ],
  [
    'a fragment in a small page and in a large one',
    `{ a: users(first: 1) { ...g } b: users(first: 100) { ...g } } fragment g on UserConnection { ${SESSIONS} }`,
    {},
    INNER,
  ],
  ['a default value', `query ($n: Int = 100) { ${EVENTS} users(first: $n) { ${SESSIONS} } }`, {}, INNER],
  ['a variable', `query ($n: Int) { users(first: $n) { ${SESSIONS} } }`, { n: 100 }, INNER],
  [
    'what is not skipped',
    `query ($no: Boolean = false, $yes: Boolean!) {
      users(first: 100) { nodes @include(if: $no) { sessions(first: 100) { nodes { id startedAt } } } ...g @skip(if: $yes) ${SESSIONS} }
    } fragment g on UserConnection { nodes { sessions(first: 100) { nodes { id startedAt } } } }`,
    { yes: true },
    INNER,
  ],
  ['counts', `{ ${aliases(11, 'users(first: 1) { totalCount { count } }')} ${EVENTS} }`, {}, 'users.totalCount'],
  ['pages more than counts', `{ users(first: 100) { totalCount { count } ${SESSIONS} } }`, {}, INNER],
  ['rows', `{ ${aliases(15, 'users(first: 100) { nodes { id email } }')} }`, {}, 'users'],
  ['no field more than others', `{ ${EVENTS} b: ${EVENTS} ${COUNTS} ${STORY} }`, {}, 'auditEvents.nodes.metadata'],
])('Interface 24: a refusal for the cost names the dearest path: %s', async (_what, text, variables, path) => {
  const { status, errors } = await ask(gateway, as, text, variables);
  const extensions = { code: 'OPERATION_TOO_COSTLY', reason: 'cost_above_limit', dearestPath: path };
  expect([status, errors]).toEqual([
    400,
    [
      {
        message: expect.stringMatching(
          new RegExp(`^The operation costs \\d+; at most 10000 is allowed. The dearest part is ${path}$`),
        ),
        extensions,
      },
    ],
  ]);
});

/** How often each function of these files is called: work is counted, since times say nothing on a busy machine. */
async function callsDuring(files: RegExp, act: () => Promise<unknown>): Promise<Record<string, number>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await act();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const functions = result.filter(({ url }) => files.test(url)).flatMap((script) => script.functions);
  return Object.fromEntries(functions.map(({ functionName, ranges }) => [functionName, ranges[0]?.count ?? 0]));
}

/** As much as an estimate visits at most: 10,000 selections. */
const MOST = 10_000;
const nested = (times: number, more: string, field: string) =>
  `{ ...a } fragment a on Query { ${`...b ${more} `.repeat(times)} } fragment b on Query { ${`...c ${more} `.repeat(times)} }
   fragment c on Query { ${field} }`;

test.each<[string, string, number]>([
  ['fragments in fragments', nested(49, '', 'users(first: 1) { nodes { id } }'), 2],
  [
    'fragments that are skipped',
    `${nested(60, '@skip(if: true)', 'caller { callerType }')} fragment d on Query ${COSTLY}`.replace(
      '{ ...a }',
      '{ ...a ...d }',
    ),
    2,
  ],
  ['aliases', `{ ${aliases(15, `users(first: 9) { ${SESSIONS} }`)} }`, 2],
  ['counts', `{ ${aliases(15, 'users(first: 100) { nodes { id } totalCount { count } }')} }`, 4],
])('Interface 24: a refusal computes the cost at most once more: %s', async (_what, text, estimates) => {
  const calls = await callsDuring(/QueryComplexity\.js|dearest-path/, async () => {
    expect((await ask(gateway, as, text)).errors).toMatchObject([{ extensions: { reason: 'cost_above_limit' } }]);
  });
  expect(calls['getComplexity']).toBe(estimates);
  expect(calls['isLeftOut']).toBeLessThan(MOST);
});
