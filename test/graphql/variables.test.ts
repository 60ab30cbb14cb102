/** Interface 7: which input of a variable is at fault is told by name, and never what was sent in it. */
import { startGateway, type TestGateway } from '../support/gateway.js';
import { type As, ask, newcomer } from '../support/graphql.js';

let gateway: TestGateway;
let admin: As;
beforeAll(async () => {
  gateway = await startGateway();
  ({ as: admin } = await newcomer(gateway, 'admin'));
});
afterAll(() => gateway.close());

const SECRET = 'Hunter2';
const CREATE = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }';
const CREATE_KEY = `mutation ($on: Boolean = true, $input: CreateApiKeyInput!) {
  createApiKey(input: $input) @include(if: $on) { secret }
}`;
const USERS = 'query ($n: Int, $filter: UserFilter) { users(first: $n, filter: $filter) { nodes { id } } }';

const user = { email: 'new@example.com', password: 'fifteen letters', role: 'viewer' };
const key = { serviceName: 's', scopes: [], rateLimit: 1 };

test.each<[string, object, string | undefined]>([
  [CREATE, { input: { ...user, role: SECRET } }, 'role'],
  [CREATE, { input: { ...user, password: { [SECRET]: SECRET } } }, 'password'],
  [CREATE, { input: { ...user, password: null } }, 'password'],
  [CREATE, { input: { ...user, password: undefined } }, 'password'],
  [CREATE, { input: { ...user, [SECRET]: SECRET } }, undefined],
  [CREATE, { input: SECRET }, undefined],
  [CREATE, {}, undefined],
  [CREATE_KEY, { input: { ...key, scopes: ['a:b', { [SECRET]: 1 }] } }, 'scopes'],
  [CREATE_KEY, { input: { ...key, rateLimit: 1.5 } }, 'rateLimit'],
  [USERS, { n: 1, filter: { isLocked: SECRET } }, 'isLocked'],
  [USERS, { n: SECRET, filter: { isLocked: SECRET } }, undefined], // the first is told
])('Interface 7: %s with %j', async (query, variables, argument) => {
  const { status, code, reason, errors, text } = await ask(gateway, admin, query, variables);
  expect([status, code, reason]).toEqual([400, 'BAD_USER_INPUT', 'invalid_variable']);
  expect(errors[0]?.extensions['argument']).toBe(argument);
  expect(errors[0]?.message).toMatch(
    /^Variable "\$\w+" (got a value that does not fit its type|of required type .*)\.$/,
  );
  expect(text).not.toContain(SECRET);
});
