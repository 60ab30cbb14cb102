/** Discovery, as used by verifiers that know only the issuer, and what browsers may read of it. (Interface 3) */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRemoteJWKSet, customFetch as josesFetch, jwtVerify } from 'jose';
import { customFetch, discoveryRequest, processDiscoveryResponse, validateJwtAccessToken } from 'oauth4webapi';
import { generateKeys } from '../../src/credentials/keyring/keyring-file.js';
import { ACCESS_ALGS } from '../../src/credentials/keyring/private-jwks.js';
import { logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';

const ISSUER = 'https://auth.example.com';
const AUDIENCE = 'https://api.example.com';
const LISTED = 'https://app.example.com';
const JWKS = '/.well-known/jwks.json';
const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-well-known-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A gateway whose keyring has these access keys, newest first. */
async function start(...algs: Array<(typeof ACCESS_ALGS)[number]>): Promise<TestGateway> {
  const file = join(folder, `${algs.join('-')}.json`);
  await writeFile(file, JSON.stringify({ keys: (await Promise.all(algs.map((alg) => generateKeys(alg)))).flat() }));
  const env = { PUBLIC_URL: ISSUER, JWT_AUDIENCE: AUDIENCE, CORS_ORIGINS: LISTED, KEYRING_FILE: file };
  return startGateway({ env });
}

describe.each(ACCESS_ALGS)('Interface 3: access tokens by %s', (alg) => {
  let gateway: TestGateway;
  let token: string;
  beforeAll(async () => {
    gateway = await start(alg);
    token = (await logIn(gateway, (await gateway.user({ role: 'admin' })).email)).answer.json.access_token;
  });
  afterAll(() => gateway.close());

  /** Requests go to the port of the gateway instead of its public URL. */
  const fetched = (url: string, init: object) => fetch(url.replace(ISSUER, gateway.url), init);

  test.each(['oauth2', 'oidc'] as const)('are verified by who knows the issuer alone, by %s', async (algorithm) => {
    const issuer = new URL(ISSUER);
    const discovered = await discoveryRequest(issuer, { algorithm, [customFetch]: fetched });
    const server = await processDiscoveryResponse(issuer, discovered);
    const request = new Request(AUDIENCE, { headers: { authorization: `Bearer ${token}` } });
    const verify = (audience: string) =>
      validateJwtAccessToken(server, request, audience, { [customFetch]: fetched, signingAlgorithms: [alg] });
    expect(await verify(AUDIENCE)).toMatchObject({ roles: ['admin'], scope: server.scopes_supported?.join(' ') });
    await expect(verify(ISSUER)).rejects.toThrow('"aud"');
  });

  test('are verified by jose with what openid-configuration says', async () => {
    const {
      issuer,
      jwks_uri,
      id_token_signing_alg_values_supported: algorithms,
    } = (await gateway.send('GET', OPENID)).json;
    const keys = createRemoteJWKSet(new URL(jwks_uri), { [josesFetch]: fetched });
    const options = { issuer, audience: AUDIENCE, typ: 'at+jwt', currentDate: gateway.clock.now() };
    expect((await jwtVerify(token, keys, { ...options, algorithms })).protectedHeader.alg).toBe(alg);
    const algsOfOthers = ACCESS_ALGS.filter((other) => other !== alg);
    await expect(jwtVerify(token, keys, { ...options, algorithms: algsOfOthers })).rejects.toThrow('"alg"');
  });
});

describe('Interface 3: what is well known', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await start('ES256', 'EdDSA', 'ES256');
  });
  afterAll(() => gateway.close());

  test('names the issuer, its keys and scopes, and that no token is to be had by OAuth', async () => {
    const metadata = {
      issuer: ISSUER,
      jwks_uri: `${ISSUER}${JWKS}`,
      introspection_endpoint: `${ISSUER}/oauth/introspect`,
      response_types_supported: [],
      grant_types_supported: [],
      token_endpoint_auth_methods_supported: [],
      scopes_supported: [
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
      service_documentation: expect.stringMatching(/^https:/),
    };
    expect((await gateway.send('GET', OAUTH)).json).toEqual(metadata);
    expect((await gateway.send('GET', OPENID)).json).toEqual({
      ...metadata,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256', 'EdDSA'],
    });
  });

  test.each([
    [JWKS, /^application\/jwk-set\+json\b/],
    [OAUTH, /^application\/json\b/],
    [OPENID, /^application\/json\b/],
  ])('%s may be read by any origin, and cached for less time than a new key waits', async (path, type) => {
    for (const origin of [undefined, LISTED, 'https://evil.example.net', 'null']) {
      const headers = origin === undefined ? {} : { origin, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
      const answer = await gateway.send('GET', path, { headers });
      const head = await gateway.send('HEAD', path, { headers });
      expect([answer.status, head.status, head.text]).toEqual([200, 200, '']);
      for (const { headers } of [answer, head]) {
        expect(headers['access-control-allow-origin']).toBe('*');
        expect(headers['access-control-allow-credentials']).toBeUndefined();
        expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
        expect(headers['cache-control']).toBe('public, max-age=300');
        expect(headers['content-type']).toMatch(type);
        expect(headers['set-cookie']).toBeUndefined();
      }
    }
  });

  test.each([JWKS, OAUTH, OPENID])('%s is read-only: another method is 405, which is not cached', async (path) => {
    const before = (await gateway.send('GET', path)).text;
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const headers = { origin: LISTED, 'access-control-request-method': 'PUT' };
      const answer = await gateway.send(method, path, { headers });
      expect([answer.status, answer.headers['allow'], answer.json]).toEqual([
        405,
        'GET, HEAD',
        { detail: 'Method not allowed', reason: 'method_not_allowed' },
      ]);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
    expect((await gateway.send('GET', path)).text).toBe(before);
    expect((await gateway.send('GET', `${path}/`)).status).toBe(404);
  });
});
