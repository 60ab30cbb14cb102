/** The error of a literal names its input and what is required there, and never repeats it. (Interface 7) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, newcomer } from '../support/gateway/graphql.js';

let gateway: TestGateway;
let production: TestGateway;
let admin: As;
beforeAll(async () => {
  gateway = await startGateway();
  production = await startGateway({ env: { NODE_ENV: 'production' } });
  ({ as: admin } = await newcomer(gateway, 'admin'));
});
afterAll(async () => {
  await gateway.close();
  await production.close();
});

const SECRET = 'Hunter2';
const ROLES = 'must be one of viewer, analyst, admin';
const FIELDS = 'must have no fields but ids, search, role, isActive, isLocked, hasPassword';
const create = (role: string) =>
  `mutation { createUser(input: { email: "new@example.com", role: ${role} }) { user { id } } }`;
const users = (input: string) => `{ users(${input}) { nodes { id } } }`;

const LITERALS: Array<[query: string, what: string, argument: string | undefined]> = [
  [create('editor'), `input.role ${ROLES}`, 'role'],
  [create('Admin'), `input.role ${ROLES}`, 'role'],
  [create(`"${SECRET}"`), `input.role ${ROLES}, without quotes`, 'role'],
  [create('null'), 'input.role must not be null', 'role'],
  [users(`first: "${SECRET}"`), 'first must be a 32-bit integer', 'first'],
  [users(`filter: "${SECRET}"`), 'filter must be an object (UserFilter)', 'filter'],
  [users(`first: 1, filter: { isLocked: ${SECRET} }`), 'filter.isLocked must be true or false', 'isLocked'],
  [users(`filter: { ${SECRET}: 1 }`), `filter ${FIELDS}`, 'filter'],
  [`query ($f: UserFilter = { ${SECRET}: 1 }) { users(filter: $f) { nodes { id } } }`, `f ${FIELDS}`, undefined],
  [
    `mutation { createApiKey(input: { serviceName: "s", rateLimit: 1, scopes: ["a:b", ${SECRET}] }) { secret } }`,
    'input.scopes[1] must be text',
    'scopes',
  ],
  [
    `query ($n: Int = "${SECRET}") { users(first: $n) { nodes { id } } }`,
    'n must be a 32-bit integer',
    undefined, // no input of the schema, but a variable
  ],
  [`{ caller @include(if: ${SECRET}) { callerType } }`, 'if must be true or false', 'if'],
  [
    `{ me { ...mine } } fragment mine on User { sessions(live: ${SECRET}) { nodes { id } } }`,
    'live must be true or false',
    'live',
  ],
];

test.each(LITERALS)('Interface 7: %s: %s', async (query, what, argument) => {
  const { status, code, errors, text } = await ask(gateway, admin, query);
  expect([status, code]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
  const [error] = errors;
  expect(error?.message).toMatch(/^The value at line 1, column \d+ does not fit its type: /);
  expect([error?.message.split(': ')[1], error?.extensions['argument']]).toEqual([what, argument]);
  expect(text).not.toContain(SECRET);
});

test('Interface 7: of several literals each has its own error', async () => {
  const { errors } = await ask(gateway, admin, users(`first: "${SECRET}", filter: { role: "${SECRET}" }`));
  expect(errors.map(({ extensions }) => extensions['argument'])).toEqual(['first', 'role']);
});

test('Interface 7: in production too, where there is no introspection: the schema is public', async () => {
  const { as } = await newcomer(production, 'admin');
  const { errors } = await ask(production, as, create('editor'));
  expect(errors[0]?.message).toContain(`input.role ${ROLES}`);
});
