/** ROLE_SCOPES_FILE, what roles may do in the services behind the gateway. In the gateway it opens nothing. (Interface 6) */

import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserRole } from '../../src/admin/user-changes.js';
import { ROLES, type Role } from '../../src/domain/roles.js';
import { askAs, FAMILIES, FORWARD_AUTH } from '../support/gateway/authz.js';
import { claimsOf, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, dataOf, newApiKey, newcomer, type SignedIn, signIn } from '../support/gateway/graphql.js';
import { startWithRoleScopes } from '../support/gateway/role-scopes.js';
import { refresh } from '../support/gateway/routes.js';

/** Some look like those of the gateway, and are others. */
const FILE = {
  viewer: ['invoices:read'],
  analyst: ['invoices:write', 'users:delete'],
  admin: ['invoices:approve', 'invoices:read'],
};
const OWN: Record<Role, string[]> = {
  viewer: [],
  analyst: ['users:read', 'sessions:read', 'audit:read'],
  admin: [
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
  ],
};
const scopesOf = (role: Role): string[] => [...OWN[role], ...FILE[role]];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startWithRoleScopes(FILE, { env: FORWARD_AUTH });
});
afterAll(() => gateway.close());

describe.each(ROLES)('Interface 6: a user with the role %s', (role) => {
  let caller: SignedIn;
  beforeAll(async () => {
    caller = await newcomer(gateway, role);
  });

  test('has the scopes of the file after those of the gateway, in the access token (RFC 9068 2.2.3)', () => {
    const { roles, scope } = claimsOf(caller.accessToken);
    expect([roles, scope]).toEqual([[role], scopesOf(role).join(' ')]);
  });

  test('has them in GraphQL', async () => {
    const { caller: seen } = await dataOf(gateway, caller.as, '{ caller { scopes } }');
    expect(seen.scopes).toEqual(scopesOf(role));
  });

  test.each(FAMILIES)('has them in the answer to a proxy, and in the assertion: %s', async (family) => {
    const headers = { authorization: `Bearer ${caller.accessToken}` };
    const answer = await askAs(gateway, family, 'caller=user', { headers });
    expect([answer.status, answer.headers['x-auth-scopes']]).toEqual([200, scopesOf(role).join(' ')]);
    expect(claimsOf(String(answer.headers['x-auth-assertion']))['scopes']).toEqual(scopesOf(role));
  });

  test('satisfies a rule by exactly these scopes', async () => {
    const headers = { authorization: `Bearer ${caller.accessToken}` };
    const pass = async (scope: string): Promise<boolean> => {
      const { status, json } = await askAs(gateway, 'forward-auth', `caller=user;scope=${scope}`, { headers });
      expect([200, 403]).toContain(status);
      if (status === 403) expect(json.reason).toBe('scope_missing');
      return status === 200;
    };
    const every = [...new Set(ROLES.flatMap(scopesOf)), 'invoices:export'];
    const passed: string[] = [];
    for (const scope of every) if (await pass(scope)) passed.push(scope);
    expect(passed.toSorted()).toEqual(scopesOf(role).toSorted());
    expect(await pass(scopesOf(role).join())).toBe(true);
    expect(await pass([...scopesOf(role), 'invoices:export'].join())).toBe(false);
  });
});

test('Interface 11: the scopes of the file let nobody grant them to a key, or do anything else', async () => {
  const { as } = await newcomer(gateway, 'analyst');
  const create = `mutation { createApiKey(input: { serviceName: "s", scopes: ["invoices:write"], rateLimit: 1 }) { secret } }`;
  const refused = await ask(gateway, as, create);
  expect([refused.data.createApiKey, refused.code]).toEqual([null, 'FORBIDDEN']);
});

test('Interface 6: a key has the scopes that it was given, and nothing of the file', async () => {
  const { as } = await newApiKey(gateway, ['invoices:export']);
  expect((await dataOf(gateway, as, '{ caller { scopes } }')).caller.scopes).toEqual(['invoices:export']);
});

test('Interface 11: a change of the role takes effect at the next refresh', async () => {
  const { as, user, accessToken, refreshToken } = await newcomer(gateway, 'viewer');
  await setUserRole(gateway.app, COMMAND_LINE, user.id, 'analyst');
  const before = { authorization: `Bearer ${accessToken}` };
  expect((await dataOf(gateway, as, '{ caller { scopes } }')).caller.scopes).toEqual(scopesOf('viewer'));
  expect((await askAs(gateway, 'forward-auth', 'caller=user;scope=invoices:write', { headers: before })).status).toBe(
    403,
  );
  const answer = await refresh(gateway, refreshToken);
  expect(claimsOf(answer.json.access_token)['scope']).toBe(scopesOf('analyst').join(' '));
  const after = { authorization: `Bearer ${answer.json.access_token}` };
  expect((await askAs(gateway, 'forward-auth', 'caller=user;scope=invoices:write', { headers: after })).status).toBe(
    200,
  );
  expect(claimsOf(refreshTokenOf(answer) ?? '')).not.toHaveProperty('scope');
});

test('Interface 3: strangers do not learn the scopes of the services', async () => {
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
    expect((await gateway.send('GET', path)).json.scopes_supported).toEqual(OWN.admin);
  }
});

test('Interface 2: without the file, and with an empty one, tokens are what they were, claim by claim in their order', async () => {
  const claims = [
    'aud',
    'sub',
    'client_id',
    'jti',
    'role',
    'roles',
    'scope',
    'sid',
    'auth_time',
    'amr',
    'acr',
    'type',
    'iss',
    'iat',
    'exp',
  ];
  for (const start of [() => startGateway(), () => startWithRoleScopes({}), () => startWithRoleScopes({ admin: [] })]) {
    const plain = await start();
    try {
      for (const role of ROLES) {
        const { accessToken } = await signIn(plain, await plain.user({ role }));
        const { scope, ...others } = claimsOf(accessToken);
        expect(scope).toBe(OWN[role].join(' ') || undefined);
        expect(Object.keys(claimsOf(accessToken))).toEqual(
          claims.filter((name) => name !== 'scope' || scope !== undefined),
        );
        expect(others['roles']).toEqual([role]);
      }
    } finally {
      await plain.close();
    }
  }
});
