/** An error names the invalid input of a variable, and never repeats its value. (Interface 7) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, newcomer } from '../support/gateway/graphql.js';

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
  [CREATE, { input: { ...user, email: null } }, 'email'],
  [CREATE, { input: { ...user, email: undefined } }, 'email'],
  [CREATE, { input: { ...user, [SECRET]: SECRET } }, undefined],
  [CREATE, { input: SECRET }, undefined],
  [CREATE, {}, undefined],
  [CREATE_KEY, { input: { ...key, scopes: ['a:b', { [SECRET]: 1 }] } }, 'scopes'],
  [CREATE_KEY, { input: { ...key, rateLimit: 1.5 } }, 'rateLimit'],
  [USERS, { n: 1, filter: { isLocked: SECRET } }, 'isLocked'],
  [USERS, { n: SECRET, filter: { isLocked: SECRET } }, undefined], // the first is reported
])('Interface 7: %s with %j', async (query, variables, argument) => {
  const { status, code, reason, errors, text } = await ask(gateway, admin, query, variables);
  expect([status, code, reason]).toEqual([400, 'BAD_USER_INPUT', 'invalid_variable']);
  expect(errors[0]?.extensions['argument']).toBe(argument);
  expect(errors[0]?.message).toMatch(
    /^Variable "\$\w+" (got a value that does not fit its type: [\w.[\]]+ (must|is|has) .+|of required type .*)\.$/,
  );
  expect(text).not.toContain(SECRET);
});

const EVENTS = 'query ($filter: AuditEventFilter) { auditEvents(first: 1, filter: $filter) { nodes { id } } }';
const ONLY = 'must have no fields but ';
const RFC_3339 = 'must be an RFC 3339 time such as 2007-12-03T10:15:30Z';

test.each<[string, object, string]>([
  [EVENTS, { filter: { since: SECRET } }, `filter.since ${RFC_3339}`],
  [EVENTS, { filter: { since: '2026-01-01' } }, `filter.since ${RFC_3339}`],
  [EVENTS, { filter: { until: { [SECRET]: 1 } } }, `filter.until ${RFC_3339}`],
  [
    EVENTS,
    { filter: { eventTypes: ['logout', SECRET] } },
    'filter.eventTypes[1] must be one of account_locked, login_failure, ',
  ],
  [EVENTS, { filter: [SECRET] }, 'filter must be an object (AuditEventFilter)'],
  [EVENTS, { filter: { [SECRET]: SECRET } }, `filter ${ONLY}eventTypes, `],
  [CREATE, { input: { ...user, role: SECRET } }, 'input.role must be one of viewer, analyst, admin'],
  [CREATE, { input: { ...user, email: null } }, 'input.email must not be null'],
  [CREATE, { input: { ...user, email: undefined } }, 'input.email is missing'],
  [CREATE, { input: { ...user, password: [SECRET] } }, 'input.password must be text'],
  [CREATE_KEY, { input: { ...key, scopes: ['a:b', { [SECRET]: 1 }] } }, 'input.scopes[1] must be text'],
  [CREATE_KEY, { input: { ...key, rateLimit: 1.5 } }, 'input.rateLimit must be a 32-bit integer'],
  [USERS, { filter: { isLocked: SECRET } }, 'filter.isLocked must be true or false'],
  [USERS, { n: SECRET }, 'n must be a 32-bit integer'],
])('Interface 7: of %s with %j the message has the path and what is wanted: %s', async (query, variables, what) => {
  const { status, reason, errors, text } = await ask(gateway, admin, query, variables);
  expect([status, reason]).toEqual([400, 'invalid_variable']);
  expect(errors[0]?.message).toContain(`" got a value that does not fit its type: ${what}`);
  expect(text).not.toContain(SECRET);
});
