/**
 * What the version before second factors writes next to this one, or after a way back, gives nobody more than a password does.
 * (Interface 8 and 20)
 */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { eraseUser } from '../../src/admin/user-erasure.js';
import { addPasskey, halfLogin, logInByCode, post, withPasskey, withTotp } from '../support/gateway/factors.js';
import { claimsOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { signIn } from '../support/gateway/graphql.js';
import { refresh } from '../support/gateway/routes.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { LOGIN_RATE_LIMIT: '100000', SECOND_FACTOR_ROLES: 'admin' } });
});
afterAll(() => gateway.close());

/** Its rotations and logins leave out the columns that it does not know. */
const asBefore = (userId: string) =>
  gateway.rows('update refresh_tokens set amr = null, proved_at = null where user_id = $1', [userId]);

test('a session with a factor that the previous version has refreshed is one by password, without the scopes of its role', async () => {
  const { user, refreshToken, accessToken } = await logInByCode(gateway, await withTotp(gateway, { role: 'admin' }));
  expect(claimsOf(accessToken)).toMatchObject({ acr: 'aal2', scope: expect.stringContaining('users:write') });
  await asBefore(user.id);
  const claims = claimsOf((await refresh(gateway, refreshToken)).json.access_token);
  expect(claims).toMatchObject({ acr: 'aal1', amr: ['pwd'] });
  expect(claims).not.toHaveProperty('scope');
});

test('a login of the previous version is one by password; the next one here asks for the factor', async () => {
  const signedIn = await signIn(gateway, await gateway.user());
  await addPasskey(gateway, signedIn);
  await asBefore(signedIn.user.id);
  const { json } = await refresh(gateway, signedIn.refreshToken);
  expect(claimsOf(json.access_token)).toMatchObject({ acr: 'aal1' });
  const renewed = await post(gateway, 'factors/recovery-codes', {}, json.access_token);
  expect(renewed.json.reason).toBe('confirmation_required');
  expect(renewed.headers['www-authenticate']).toContain('acr_values="aal2"');
  expect(await halfLogin(gateway, signedIn.user.email)).toEqual(expect.any(String));
});

test('factors of a user whom the previous version has deleted let nobody in', async () => {
  const { user, authenticator } = await withPasskey(gateway);
  await gateway.rows('delete from users where id = $1', [user.id]);
  const { ceremony, publicKey } = (await post(gateway, 'login/passkey/options')).json;
  const answer = await post(gateway, 'login/passkey', { ceremony, credential: authenticator.get(publicKey) });
  expect([answer.status, answer.json.reason]).toEqual([401, 'invalid_credentials']);
});

test('an erasure also removes the factors of a user whom the previous version has deleted', async () => {
  const { user } = await withPasskey(gateway);
  await gateway.rows('delete from users where id = $1', [user.id]);
  await eraseUser(gateway.app, COMMAND_LINE, user.id);
  const left =
    'select user_id from factors where user_id = $1 union select user_id from recovery_codes where user_id = $1';
  expect(await gateway.rows(left, [user.id])).toEqual([]);
});
