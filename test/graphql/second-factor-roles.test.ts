/** SECOND_FACTOR_ROLES: in a session without a second factor these roles have no scopes. (Interface 6, 11 and 20) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserRole } from '../../src/admin/user-changes.js';
import { askAs, FORWARD_AUTH, identityOf } from '../support/gateway/authz.js';
import { post, renewed, withTotp } from '../support/gateway/factors.js';
import { claimsOf, type TestGateway } from '../support/gateway/gateway.js';
import { ask, bearer, dataOf, newApiKey, newcomer, type SignedIn } from '../support/gateway/graphql.js';
import { startWithRoleScopes } from '../support/gateway/role-scopes.js';

let gateway: TestGateway;
beforeAll(async () => {
  const env = { SECOND_FACTOR_ROLES: 'admin,analyst', ...FORWARD_AUTH };
  gateway = await startWithRoleScopes({ admin: ['invoices:write'], viewer: ['invoices:read'] }, { env });
});
afterAll(() => gateway.close());

const OWN =
  'users:read users:write sessions:read sessions:write audit:read keys:read keys:write webhooks:read webhooks:write gateway:read tokens:introspect';
const REFUSED = (requiredScope: string) => ({ code: 'FORBIDDEN', reason: 'second_factor_required', requiredScope });

const extensionsOf = async ({ as }: Pick<SignedIn, 'as'>, text: string) =>
  (await ask(gateway, as, text)).errors.map(({ extensions }) => extensions);

const changeOf = ({ user }: SignedIn) => `mutation { unlockUser(input: { id: "${user.id}" }) { user { id } } }`;
const askForScopes = '{ caller { ... on UserCaller { scopes } } me { secondFactorRequired } }';

test('Interface 20: after the password alone an administrator has no scope: not in the token, not in a query, not in a change', async () => {
  const admin = await newcomer(gateway, 'admin');
  expect(claimsOf(admin.accessToken)).toMatchObject({ acr: 'aal1', roles: ['admin'] });
  expect(claimsOf(admin.accessToken)).not.toHaveProperty('scope');
  const { caller, me } = await dataOf(gateway, admin.as, askForScopes);
  expect([caller.scopes, me]).toEqual([[], { secondFactorRequired: true }]);
  expect(await extensionsOf(admin, '{ users { nodes { id } } }')).toEqual([REFUSED('users:read')]);
  const another = await newcomer(gateway, 'admin');
  expect(await extensionsOf(admin, changeOf(another))).toEqual([REFUSED('users:write')]);
  const session = `{ session(id: "${claimsOf(another.accessToken)['sid']}") { id } }`;
  expect(await extensionsOf(admin, session)).toEqual([REFUSED('audit:read')]);
});

test('Interface 20: they still see and end their own sessions, and may add a factor', async () => {
  const admin = await newcomer(gateway, 'admin');
  const { me } = await dataOf(gateway, admin.as, '{ me { id factors { id } sessions { nodes { id } } } }');
  expect(me).toMatchObject({ id: admin.user.id, factors: [], sessions: { nodes: [{ id: expect.any(String) }] } });
  const own = `mutation { revokeSession(input: { id: "${me.sessions.nodes[0].id}" }) { session { id } } }`;
  await dataOf(gateway, admin.as, 'mutation { revokeOtherSessions { revokedCount } }');
  expect((await post(gateway, 'factors/totp', {}, admin.accessToken)).status).toBe(200);
  expect((await dataOf(gateway, admin.as, own)).revokeSession.session.id).toBe(me.sessions.nodes[0].id);
});

test('Interface 20: with a second factor they have the scopes of the role, and of ROLE_SCOPES_FILE', async () => {
  const admin = await renewed(gateway, await withTotp(gateway, { role: 'admin' }));
  expect(claimsOf(admin.accessToken)).toMatchObject({ acr: 'aal2', scope: `${OWN} invoices:write` });
  const { caller, me } = await dataOf(gateway, admin.as, askForScopes);
  expect([caller.scopes.join(' '), me]).toEqual([`${OWN} invoices:write`, { secondFactorRequired: false }]);
  expect(await extensionsOf(admin, '{ users { nodes { id } } }')).toEqual([]);
  expect(await extensionsOf(admin, changeOf(admin))).toEqual([]);
});

test('Interface 20: other roles, and keys, need no factor', async () => {
  const viewer = await newcomer(gateway);
  expect(claimsOf(viewer.accessToken)['scope']).toBe('invoices:read');
  expect((await dataOf(gateway, viewer.as, askForScopes)).me).toEqual({ secondFactorRequired: false });
  expect(await extensionsOf(viewer, '{ users { nodes { id } } }')).toEqual([
    { code: 'FORBIDDEN', reason: 'scope_missing', requiredScope: 'users:read' },
  ]);
  const key = await newApiKey(gateway, ['users:read', 'users:write']);
  expect(await extensionsOf(key, '{ users { nodes { id } } }')).toEqual([]);
  expect(await extensionsOf(key, changeOf(viewer))).toEqual([]);
});

test('Interface 11: a change is decided by the rows, whatever the token says of the session', async () => {
  const admin = await renewed(gateway, await withTotp(gateway, { role: 'admin' }));
  const [before] = await gateway.rows('select amr from refresh_tokens where user_id = $1 and not revoked', [
    admin.user.id,
  ]);
  await gateway.rows('update refresh_tokens set amr = null where user_id = $1', [admin.user.id]);
  expect(await extensionsOf(admin, '{ users { nodes { id } } }')).toEqual([]); // until the token expires
  expect(await extensionsOf(admin, changeOf(admin))).toEqual([REFUSED('users:write')]);

  const weak = await renewed(gateway, admin);
  expect(claimsOf(weak.accessToken)['acr']).toBe('aal1');
  await gateway.rows('update refresh_tokens set amr = $2 where user_id = $1', [admin.user.id, before?.['amr']]);
  expect(await extensionsOf(weak, '{ users { nodes { id } } }')).toEqual([REFUSED('users:read')]);
  expect(await extensionsOf(weak, changeOf(weak))).toEqual([]);

  const promoted = await newcomer(gateway); // the token still says viewer
  await setUserRole(gateway.app, COMMAND_LINE, promoted.user.id, 'admin');
  expect(await extensionsOf(promoted, changeOf(promoted))).toEqual([REFUSED('users:write')]);
});

test('Interface 18 and 20: services behind the gateway see no scope before the second factor', async () => {
  const admin = await newcomer(gateway, 'admin');
  const asked = (accessToken: string, rule: string) =>
    askAs(gateway, 'forward-auth', rule, { headers: bearer(accessToken)('') as Record<string, string> });
  const before = await asked(admin.accessToken, 'caller=user');
  const assertion = (answer: typeof before) => claimsOf(String(identityOf(answer)['x-auth-assertion']));
  expect([before.status, identityOf(before)['x-auth-scopes']]).toEqual([200, '-']);
  expect(assertion(before)['scopes']).toEqual([]);
  const refused = await asked(admin.accessToken, 'caller=user;scope=invoices:write');
  expect([refused.status, refused.json.reason]).toEqual([403, 'scope_missing']);

  const { accessToken } = await renewed(gateway, await withTotp(gateway, { role: 'admin' }));
  const after = await asked(accessToken, 'caller=user;scope=invoices:write');
  expect([after.status, identityOf(after)['x-auth-scopes']]).toEqual([200, `${OWN} invoices:write`]);
  expect(assertion(after)['scopes']).toEqual(`${OWN} invoices:write`.split(' '));
});
