/** Who sent a request, for each family of proxies and each kind of caller. (Interface 18) */

import { askAs, FAMILIES, FORWARD_AUTH, identityOf, ORIGIN, signedOriginal } from '../support/gateway/authz.js';
import { claimsOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newApiKey, newCronKey, newcomer } from '../support/gateway/graphql.js';
import { sha256Digest } from '../support/independent/signer.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: FORWARD_AUTH });
});
afterAll(() => gateway.close());

const ANYBODY = 'caller=user,api_key,cron';
const TARGET = '/invoices?year=2026';

describe.each(FAMILIES)('Interface 18: %s', (family) => {
  test('a user: the role, its scopes, and an assertion of the request', async () => {
    const { accessToken, user } = await newcomer(gateway, 'analyst');
    const answer = await askAs(gateway, family, ANYBODY, { headers: { authorization: `Bearer ${accessToken}` } });
    expect([answer.status, answer.text, answer.cookies]).toEqual([200, '', []]);
    const { 'x-auth-assertion': assertion, ...fields } = identityOf(answer);
    expect(fields).toEqual({
      'x-auth-caller-type': 'user',
      'x-auth-caller-id': user.id,
      'x-auth-role': 'analyst',
      'x-auth-scopes': 'users:read sessions:read audit:read',
    });
    const nowSeconds = Math.floor(gateway.clock.now().getTime() / 1000);
    expect(claimsOf(String(assertion))).toEqual({
      iss: gateway.config.publicUrl,
      aud: ORIGIN,
      sub: user.id,
      caller_type: 'user',
      role: 'analyst',
      scopes: ['users:read', 'sessions:read', 'audit:read'],
      method: 'GET',
      uri: TARGET,
      body: '-',
      iat: nowSeconds,
      exp: nowSeconds + 60,
      jti: expect.stringMatching(/^[\da-f-]{36}$/),
    });
  });

  test('a signed request is the original one, and its nonce is used once', async () => {
    const key = await newApiKey(gateway, ['invoices:read']);
    const original = signedOriginal(gateway, key, { method: 'POST', target: '/pay?x=1', body: '{"a":1}' });
    const answer = await askAs(gateway, family, ANYBODY, original);
    expect(answer.status).toBe(200);
    const { 'x-auth-assertion': assertion, ...fields } = identityOf(answer);
    expect(fields).toEqual({
      'x-auth-caller-type': 'api_key',
      'x-auth-caller-id': key.keyId,
      'x-auth-role': '-',
      'x-auth-scopes': 'invoices:read',
    });
    expect(claimsOf(String(assertion))).toMatchObject({
      sub: key.keyId,
      caller_type: 'api_key',
      service_name: 'reports',
      method: 'POST',
      uri: '/pay?x=1',
      body: 'digest',
      content_digest: sha256Digest('{"a":1}'),
    });
    expect(answer.headers).toMatchObject({ 'ratelimit-policy': '"key";q=1000000;w=60' });
    const again = await askAs(gateway, family, ANYBODY, original);
    expect([again.status, again.json.reason]).toEqual([401, 'nonce_reused']);
  });

  test('a cron job: its scopes', async () => {
    const { keyId, secret } = await newCronKey(gateway);
    const answer = await askAs(gateway, family, `${ANYBODY};assertion=off`, { headers: { 'x-internal-key': secret } });
    expect([answer.status, identityOf(answer)]).toEqual([
      200,
      {
        'x-auth-caller-type': 'cron',
        'x-auth-caller-id': keyId,
        'x-auth-role': '-',
        'x-auth-scopes': '-',
        'x-auth-assertion': '-',
      },
    ]);
  });

  test('a signature of another request is refused', async () => {
    const key = await newApiKey(gateway);
    const original = signedOriginal(gateway, key);
    for (const other of [{ method: 'DELETE' }, { target: '/invoices' }, { origin: 'http://b.test:8080' }]) {
      const answer = await askAs(gateway, family, ANYBODY, { ...original, ...other });
      expect([answer.status, answer.json.reason]).toEqual([401, 'invalid_signature']);
    }
    expect((await askAs(gateway, family, ANYBODY, original)).status).toBe(200); // none of them has used the nonce
  });
});
