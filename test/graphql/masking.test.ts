/** An error about a document contains names of the schema, never a value that was sent. (Interface 5 and 7) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, newApiKey } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';

const captured = captureLog();
let gateway: TestGateway;
let as: As;
beforeAll(async () => {
  gateway = await startGateway({ log: captured.log });
  ({ as } = await newApiKey(gateway, ['users:read']));
});
afterAll(() => gateway.close());

const SECRET = 'Hunter2';
const SYNTAX = /^Syntax error at line 1, column \d+$/;
const VALUE = /^The value at line 1, column \d+ does not fit its type: [\w.[\]]+ must [^"]+$/;

async function messageOf(query: string, more: object = {}): Promise<string> {
  const body = JSON.stringify({ query, ...more });
  const answer = await gateway.send('POST', '/graphql', {
    headers: { 'content-type': 'application/json', ...as(body) },
    body,
  });
  expect(answer.status).toBe(400);
  expect(answer.text + JSON.stringify(answer.headers)).not.toContain(SECRET);
  expect(captured.text()).not.toContain(SECRET);
  const { message, extensions } = answer.json.errors[0];
  expect(extensions.stacktrace).toBeUndefined();
  return message;
}

const set = (password: string) =>
  `mutation { setUserPassword(input: { id: "x", password: ${password} }) { user { id } } }`;

test.each([
  ['a word', set(SECRET), VALUE],
  ['a number', set('4711'), VALUE],
  ['a list', set(`[${SECRET}]`), VALUE],
  ['an object', set(`{ secret: "${SECRET}" }`), VALUE],
  ['a default', `query ($n: Int = "${SECRET}") { users(first: $n) { edges { cursor } } }`, VALUE],
  ['an enum in quotes', `{ users(filter: { role: "${SECRET}" }) { edges { cursor } } }`, VALUE],
  ['an enum', `{ users(filter: { role: ${SECRET} }) { edges { cursor } } }`, VALUE],
  ['a time', `{ auditEvents(filter: { since: "${SECRET}" }) { edges { cursor } } }`, VALUE],
  ['a text that looks like a suggestion', set(`[" Did you mean ${SECRET}?"]`), VALUE],
  ['a password that lost its quotes', set(`$${SECRET}`), 'Variable "…" is not defined.'],
  ['one of two words', set(`some ${SECRET}`), SYNTAX],
  ['a text that is not closed', set(`"${SECRET}`), SYNTAX],
  ['a text after a text', set(`"a" "${SECRET}"`), SYNTAX],
  ['a word in a text', set(`"a"${SECRET}`), SYNTAX],
  ['a number with letters', set(`12${SECRET}`), SYNTAX],
  ['a field of an object', `{ users(filter: { ${SECRET}: 1 }) { edges { cursor } } }`, VALUE],
  ['one that is there twice', `{ users(filter: { ${SECRET}: 1, ${SECRET}: 2 }) { edges { cursor } } }`, VALUE],
  ['an escape', set(`"\\${SECRET}"`), SYNTAX],
  ['a sign', set(`%${SECRET}`), SYNTAX],
  ['a name instead of a document', SECRET, SYNTAX],
])('Interface 7: %s is not repeated', async (_what, query, message) => {
  expect(await messageOf(query)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
});

test.each([SECRET, `"${SECRET}"`, `a" ${SECRET}`, `пароль${SECRET}`, 'пароль'])(
  'Interface 7: the name of a missing operation is not repeated: %j',
  async (operationName) => {
    const message = await messageOf('query A { caller { callerType } }', { operationName });
    expect(message).toBe('operationName has to name an operation of the document');
  },
);

test('Interface 7: the answer to a document of several operations says what to send', async () => {
  const message = await messageOf('query A { caller { callerType } } query B { caller { callerType } }');
  expect(message).toBe('operationName has to name an operation of the document');
});

test.each([' or ', ', ', ', or ', '"a", ', '"a" or ', '"a', ' Did you mean ', '\\"', '"', '$', '[', '!', '.'])(
  'Interface 7: a long literal of %j is masked, and not in exponential time',
  async (piece) => {
    const text = JSON.stringify(` Did you mean ${piece.repeat(Math.floor(8_000 / piece.length))}x`);
    for (const query of [
      `{ users(first: ${text}) { edges { cursor } } }`,
      `query ($n: Int = ${text}) { users(first: $n) { edges { cursor } } }`,
      `{ caller @include(if: ${text}) { callerType } }`,
    ]) {
      expect(await messageOf(query)).toMatch(VALUE);
    }
  },
);

test.each([
  ['{ callerr { callerType } }', 'Cannot query field "callerr" on type "Query". Did you mean "caller"?'],
  [
    '{ users(frist: 1) { edges { cursor } } }',
    /^Unknown argument "frist" on field "Query.users". Did you mean "first"/,
  ],
  ['{ users(filter: { serch: "x" }) { edges { cursor } } }', VALUE],
  ['{ user { id } }', /"id" of type "ID!" is required, but it was not provided\.$/],
  ['{ users(filter: { role: admn }) { edges { cursor } } }', VALUE],
  ['query ($unused: Int) { caller { callerType } }', 'Variable "$unused" is never used.'],
  ['{ caller { ...missing } }', 'Unknown fragment "missing".'],
  ['{ users }', /^Field "users" of type "UserConnection" must have a selection of subfields/],
  ['{ caller', SYNTAX],
])('Interface 7: the error of %s names what is wrong', async (query, message) => {
  const { status, errors } = await ask(gateway, as, query);
  expect([status, errors[0]?.message]).toEqual([
    400,
    typeof message === 'string' ? message : expect.stringMatching(message),
  ]);
});
