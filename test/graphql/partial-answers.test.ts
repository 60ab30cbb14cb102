/** One refusal must neither blank a dashboard nor lose a secret that is shown once. (Interface 11) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, internalKey, newApiKey, newCronKey, newcomer, signed } from '../support/gateway/graphql.js';

let gateway: TestGateway;
let admin: As;
beforeAll(async () => {
  gateway = await startGateway();
  ({ as: admin } = await newcomer(gateway, 'admin'));
});
afterAll(() => gateway.close());

const REFUSED = { code: 'BAD_USER_INPUT', reason: 'invalid_scope', argument: 'scopes' };

test('Interface 11: the secret of an API key is returned even if the next change of the operation is refused', async () => {
  const text = `mutation {
    good: createApiKey(input: { serviceName: "s", scopes: ["a:b"], rateLimit: 5 }) { secret apiKey { id } }
    bad: createApiKey(input: { serviceName: "s", scopes: ["no scope"], rateLimit: 5 }) { secret }
  }`;
  const { status, data, errors } = await ask(gateway, admin, text);
  expect([status, data.bad]).toEqual([200, null]);
  expect(errors).toMatchObject([{ path: ['bad'], extensions: REFUSED }]);
  const as = signed(gateway, data.good.apiKey.id, data.good.secret);
  expect((await ask(gateway, as, '{ caller { callerType } }')).status).toBe(200);
});

test('Interface 11: the value of a cron key is returned even if the next change of the operation is refused', async () => {
  const text = `mutation {
    good: createCronKey(input: { serviceName: "s", scopes: [] }) { headerValue }
    bad: createCronKey(input: { serviceName: "s", scopes: ["no scope"] }) { headerValue }
  }`;
  const { status, data, errors } = await ask(gateway, admin, text);
  expect([status, data.bad]).toEqual([200, null]);
  expect(errors).toMatchObject([{ path: ['bad'], extensions: REFUSED }]);
  expect((await ask(gateway, internalKey(data.good.headerValue), '{ caller { callerType } }')).status).toBe(200);
});

test('Interface 11: a query returns the fields that its caller may see, and errors for the others', async () => {
  const { as, keyId } = await newApiKey(gateway, ['keys:read']);
  await newCronKey(gateway, []);
  const text =
    '{ caller { ... on ApiKeyCaller { keyId } } me { id } users { nodes { id } } cronKeys { nodes { id } } }';
  const { status, data, errors } = await ask(gateway, as, text);
  expect([status, data]).toEqual([
    200,
    {
      caller: { keyId },
      me: null,
      users: null,
      cronKeys: { nodes: expect.arrayContaining([{ id: expect.any(String) }]) },
    },
  ]);
  expect(errors.map(({ path, extensions: { reason } }) => [path, reason])).toEqual([
    [['me'], 'not_a_user'],
    [['users'], 'scope_missing'],
  ]);
});

test('Interface 11: a change is made if only a field of its result is refused; the longer path of the error shows that', async () => {
  const { user } = await newcomer(gateway);
  const { as } = await newApiKey(gateway, ['users:write']);
  const text = `mutation {
    setUserActive(input: { id: "${user.id}", isActive: false }) { user { sessions { nodes { id } } } }
  }`;
  const { data, errors } = await ask(gateway, as, text);
  expect(data).toEqual({ setUserActive: null });
  expect(errors).toMatchObject([
    { path: ['setUserActive', 'user', 'sessions'], extensions: { reason: 'scope_missing' } },
  ]);
  expect(await gateway.rows('select is_active from users where id = $1', [user.id])).toEqual([{ is_active: false }]);
});
