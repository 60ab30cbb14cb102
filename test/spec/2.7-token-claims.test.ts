/** The claims of both tokens, checked by a verifier that only knows the JWKS. (Spec 2.7 and Interface 4) */
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import type { Role } from '../../src/domain/roles.js';
import { claimsOf, logIn, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { refresh } from '../support/gateway/routes.js';
import { recordOf } from '../support/gateway/rows.js';
import { keyringJwk } from '../support/independent/forge.js';

const ISSUER = 'https://auth.example.com';
const AUDIENCE = 'https://api.example.com';
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

let gateway: TestGateway;
beforeAll(async () => {
  const env = { PUBLIC_URL: ISSUER, JWT_AUDIENCE: AUDIENCE };
  gateway = await startGateway({
    env: { ...env, ACCESS_TOKEN_TTL_SECONDS: '600', REFRESH_TOKEN_TTL_SECONDS: '7000' },
  });
});
afterAll(() => gateway.close());

const seconds = (): number => Math.floor(gateway.clock.now().getTime() / 1000);

async function jwks(): Promise<JSONWebKeySet> {
  return JSON.parse((await gateway.send('GET', '/.well-known/jwks.json')).text);
}

test('Spec 2.7: the refresh JWT carries type, jti and sub, and Interface 4 its iss, iat, exp and sid', async () => {
  const { id, email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  const claims = claimsOf(refreshToken);
  expect(claims).toEqual({
    type: 'refresh',
    jti: UUID,
    sub: id,
    iss: ISSUER,
    iat: seconds(),
    exp: seconds() + 7000,
    sid: (await recordOf(gateway, claims['jti'])).family_id,
  });
  expect(decodeProtectedHeader(refreshToken)).toEqual({ alg: 'HS256', typ: 'JWT', kid: keyringJwk('HS256').kid });
});

test('Spec 2.7: the access JWT is created from the user id and the role, with the claims of RFC 9068', async () => {
  const { id, email } = await gateway.user({ role: 'analyst' });
  const { answer, refreshToken } = await logIn(gateway, email);
  const expected = {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: id,
    client_id: 'auth-gateway',
    iat: seconds(),
    exp: seconds() + 600,
    jti: UUID,
    role: 'analyst',
    roles: ['analyst'],
    scope: 'users:read sessions:read audit:read',
    sid: claimsOf(refreshToken)['sid'],
    auth_time: seconds(),
    amr: ['pwd'],
    acr: 'aal1',
    type: 'access',
  };
  expect(claimsOf(answer.json.access_token)).toEqual(expected);
  gateway.clock.advance(30);
  const refreshed = await refresh(gateway, refreshToken);
  expect(claimsOf(refreshed.json.access_token)).toEqual({ ...expected, iat: seconds(), exp: seconds() + 600 });
  expect(claimsOf(refreshTokenOf(refreshed) ?? '')['sid']).toBe(expected.sid);
});

test('Spec 2.7: (RFC 9068 2.2.1) auth_time of the access JWT is when its session began, in whole seconds, after every refresh', async () => {
  const user = await gateway.user();
  gateway.clock.advance(0.7);
  const first = await logIn(gateway, user.email);
  const loggedInAt = seconds();
  gateway.clock.advance(400);
  const second = await refresh(gateway, first.refreshToken);
  gateway.clock.advance(5_000.8);
  const third = await refresh(gateway, refreshTokenOf(second));
  for (const { json } of [first.answer, second, third]) {
    expect(claimsOf(json.access_token)['auth_time']).toBe(loggedInAt);
  }
  const again = await logIn(gateway, user.email);
  expect(claimsOf(again.answer.json.access_token)['auth_time']).toBe(seconds());
  for (const token of [first.refreshToken, refreshTokenOf(third)]) {
    expect(claimsOf(token ?? '')).not.toHaveProperty('auth_time');
  }
});

test.each<[Role, string | undefined]>([
  [
    'admin',
    'users:read users:write sessions:read sessions:write audit:read keys:read keys:write webhooks:read webhooks:write gateway:read tokens:introspect',
  ],
  ['analyst', 'users:read sessions:read audit:read'],
  ['viewer', undefined], // RFC 6749 section 3.3: a scope is never empty
])('Spec 2.7: (RFC 9068 2.2.3) the access JWT of the role %s has its scopes', async (role, scope) => {
  const { answer } = await logIn(gateway, (await gateway.user({ role })).email);
  const claims = claimsOf(answer.json.access_token);
  expect([claims['roles'], claims['scope'], 'scope' in claims]).toEqual([[role], scope, scope !== undefined]);
});

test('Spec 2.7: a stock verifier accepts the access token by the JWKS, and refuses it for another audience', async () => {
  const { answer } = await logIn(gateway, (await gateway.user()).email);
  const keys = createLocalJWKSet(await jwks());
  const options = { issuer: ISSUER, audience: AUDIENCE, typ: 'at+jwt', currentDate: gateway.clock.now() };
  const { protectedHeader } = await jwtVerify(answer.json.access_token, keys, options);
  expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: keyringJwk('EdDSA').kid });
  const elsewhere = jwtVerify(answer.json.access_token, keys, { ...options, audience: 'https://other.example.com' });
  await expect(elsewhere).rejects.toThrow('aud');
  const later = new Date(gateway.clock.now().getTime() + 600_000);
  await expect(jwtVerify(answer.json.access_token, keys, { ...options, currentDate: later })).rejects.toThrow('exp');
});

test('Spec 2.7: (Interface 3) the JWKS has only public Ed25519 keys', async () => {
  const answer = await gateway.send('GET', '/.well-known/jwks.json');
  const { kty, crv, x, kid } = keyringJwk('EdDSA');
  expect(JSON.parse(answer.text)).toEqual({ keys: [{ kty, crv, x, kid, use: 'sig', alg: 'EdDSA' }] });
  expect(answer.headers['cache-control']).toBe('public, max-age=300');
  expect(answer.headers['content-type']).toMatch(/^application\/jwk-set\+json/);
});
