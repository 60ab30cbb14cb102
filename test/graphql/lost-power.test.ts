/** A mutation reads the caller's row again, also between two fields of one operation. (Interface 11) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newApiKey, newCronKey, newcomer } from '../support/gateway/graphql.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';

let gateway: TestGateway;
let hashed = 0;
beforeAll(async () => {
  const passwords = quickPasswords();
  const hash = (password: string) => {
    hashed += 1;
    return passwords.hash(password);
  };
  gateway = await startGateway({ passwords: { ...passwords, hash } });
  await gateway.user({ role: 'admin' }); // so that no other is the last
});
afterAll(() => gateway.close());

const AFTERWARDS = 'then: createCronKey(input: { serviceName: "late", scopes: [] }) { cronKey { id } }';

test.each([
  ['is deactivated', 'setUserActive(input: { id: $id, isActive: false }) { user { id } }'],
  ['is demoted', 'setUserRole(input: { id: $id, role: analyst }) { user { id } }'],
  ['is deleted', 'deleteUser(input: { id: $id }) { deletedId }'],
])('Interface 11: an administrator who %s has no power left, in the same operation', async (_how, change) => {
  const { as, user } = await newcomer(gateway, 'admin');
  const text = `mutation ($id: ID!) { ${change} ${AFTERWARDS} }`;
  const { errors, code } = await ask(gateway, as, text, { id: user.id });
  expect(errors.map(({ path }) => path)).toEqual([['then']]);
  expect(code).toBe('FORBIDDEN');
});

test.each([
  ['an API key', newApiKey, 'revokeApiKey(input: { id: $id }) { apiKey { id } }'],
  ['a cron key', newCronKey, 'revokeCronKey(input: { id: $id }) { cronKey { id } }'],
] as const)(
  'Interface 11: %s that is revoked can do nothing more, also in the same operation',
  async (_kind, newKey, change) => {
    const { as, keyId } = await newKey(gateway, ['keys:write']);
    const text = `mutation ($id: ID!) { ${change} ${AFTERWARDS} }`;
    const { errors, code } = await ask(gateway, as, text, { id: keyId });
    expect(errors.map(({ path }) => path)).toEqual([['then']]);
    expect(code).toBe('FORBIDDEN');
    expect((await ask(gateway, as, '{ caller { callerType } }')).status).toBe(401);
  },
);

test('Interface 11: a user whose row is deleted changes nothing, and reads according to the token', async () => {
  const { as, user } = await newcomer(gateway, 'admin');
  await gateway.rows('delete from users where id = $1', [user.id]);
  expect(await ask(gateway, as, 'mutation { revokeOtherSessions { revokedCount } }')).toMatchObject({
    code: 'FORBIDDEN',
  });
  expect(await ask(gateway, as, '{ me { id } }')).toMatchObject({ code: 'NOT_FOUND', reason: 'user_unknown' });
  expect((await ask(gateway, as, '{ users { edges { cursor } } }')).errors).toEqual([]);
});

test('Interface 11: a promotion applies to mutations at once, to queries with the next token', async () => {
  const { as, user } = await newcomer(gateway, 'viewer');
  await gateway.rows(`update users set role = 'admin' where id = $1`, [user.id]);
  expect((await ask(gateway, as, `mutation { ${AFTERWARDS} }`)).errors).toEqual([]);
  expect(await ask(gateway, as, '{ users { edges { cursor } } }')).toMatchObject({ code: 'FORBIDDEN' });
});

test('Interface 11: a caller that may not set passwords causes no hashing, for which logins would wait', async () => {
  const [viewer, key] = [await newcomer(gateway, 'viewer'), await newApiKey(gateway, ['users:read'])];
  const before = hashed;
  for (const { as } of [viewer, key]) {
    for (const field of [
      'setUserPassword(input: { id: "x",',
      'createUser(input: { email: "new@example.com", role: viewer,',
    ]) {
      const text = `mutation { ${field} password: "fifteen letters" }) { user { id } } }`;
      expect((await ask(gateway, as, text)).code).toBe('FORBIDDEN');
    }
  }
  expect(hashed).toBe(before);
});
