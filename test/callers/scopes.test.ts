/** `scopes` of each caller, by which a dashboard shows what can be done. (Interface 7) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { dataOf, newApiKey, newCronKey, newcomer } from '../support/gateway/graphql.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const ALL = [
  'users:read',
  'users:write',
  'sessions:read',
  'sessions:write',
  'audit:read',
  'keys:read',
  'keys:write',
  'webhooks:read',
  'webhooks:write',
  'gateway:read',
  'tokens:introspect',
];
const GIVEN = ['keys:write', 'invoices:read', 'audit:read'];

test.each([
  ['a viewer', () => newcomer(gateway, 'viewer'), 'UserCaller', []],
  ['an analyst', () => newcomer(gateway, 'analyst'), 'UserCaller', ['users:read', 'sessions:read', 'audit:read']],
  ['an administrator', () => newcomer(gateway, 'admin'), 'UserCaller', ALL],
  ['an API key', () => newApiKey(gateway, GIVEN), 'ApiKeyCaller', GIVEN],
  ['an API key without any', () => newApiKey(gateway), 'ApiKeyCaller', []],
  ['a cron key', () => newCronKey(gateway, GIVEN), 'CronCaller', GIVEN],
])('Interface 7: the scopes of %s', async (_who, newCaller, type, scopes) => {
  const { as } = await newCaller();
  const { caller } = await dataOf(gateway, as, `{ caller { __typename scopes ... on ${type} { own: scopes } } }`);
  expect(caller).toEqual({ __typename: type, scopes, own: scopes });
});

test('Interface 11: the scopes of a user are those of the token, as queries go by it', async () => {
  const { as, user } = await newcomer(gateway, 'admin');
  await gateway.rows(`update users set role = 'viewer' where id = $1`, [user.id]);
  expect((await dataOf(gateway, as, '{ caller { scopes } }')).caller.scopes).toEqual(ALL);
});
