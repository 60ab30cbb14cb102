/** examples/verify-tokens: the configuration of Envoy, PostgREST, Hasura and Spring fits a token and the keys of the gateway. */
import { readFileSync } from 'node:fs';
import { decodeProtectedHeader } from 'jose';
import { parse } from 'yaml';
import { ROLES } from '../../src/domain/roles.js';
import { claimsOf, logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';

const ISSUER = 'https://auth.example.com';
const AUDIENCE = 'https://api.example.com';

let gateway: TestGateway;
let token: string;
let claims: Record<string, unknown>;
beforeAll(async () => {
  gateway = await startGateway({ env: { PUBLIC_URL: ISSUER, JWT_AUDIENCE: AUDIENCE } });
  const { email } = await gateway.user({ role: 'analyst' });
  token = (await logIn(gateway, email)).answer.json.access_token;
  claims = claimsOf(token);
});
afterAll(() => gateway.close());

/** An example, with the values of this gateway. */
function exampleOf(file: string): string {
  const text = readFileSync(`examples/verify-tokens/${file}`, 'utf8').trimEnd();
  return text.replaceAll('AUDIENCE', AUDIENCE).replaceAll('ISSUER', ISSUER);
}

async function expectKeysAt(address: string): Promise<void> {
  expect(address.startsWith(`${ISSUER}/`)).toBe(true);
  const { json } = await gateway.send('GET', address.slice(ISSUER.length));
  expect(json.keys.map(({ kid }: { kid: string }) => kid)).toContain(decodeProtectedHeader(token).kid);
}

test('Envoy: issuer, audience and keys are those of a token, and what becomes a header is one text', async () => {
  const { http_filters: filters } = parse(exampleOf('envoy.yaml'));
  const { providers, rules } = filters[0].typed_config;
  const { remote_jwks: keys, ...provider } = providers.auth_gateway;
  expect(provider).toEqual({
    issuer: claims['iss'],
    audiences: [claims['aud']],
    from_headers: [{ name: 'Authorization', value_prefix: 'Bearer ' }],
    forward: false,
    claim_to_headers: expect.any(Array),
  });
  for (const { header_name: header, claim_name: claim, ...more } of provider.claim_to_headers) {
    expect([typeof header, typeof claims[claim], more]).toEqual(['string', 'string', {}]); // a list would be left out
  }
  await expectKeysAt(keys.http_uri.uri);
  expect(Object.keys(keys)).toEqual(['http_uri', 'cache_duration']);
  expect(Number.parseInt(keys.cache_duration, 10)).toBeLessThan(15 * 60); // when new keys begin to sign
  expect(rules).toEqual([{ match: { prefix: '/' }, requires: { provider_name: 'auth_gateway' } }]);
  expect(filters.map(({ name }: { name: string }) => name)).toEqual([
    'envoy.filters.http.jwt_authn',
    'envoy.filters.http.router',
  ]);
});

test('PostgREST: audience and role are those of a token', async () => {
  const settings = Object.fromEntries(
    exampleOf('postgrest.conf')
      .split('\n')
      .map((line) => /^([a-z-]+) = "(.*)"$/.exec(line)?.slice(1) as [string, string]),
  );
  expect(Object.keys(settings)).toEqual(['jwt-secret', 'jwt-aud', 'jwt-role-claim-key']);
  expect(settings['jwt-secret']).toMatch(/^@\//);
  expect(settings['jwt-aud']).toBe(claims['aud']);
  const role = claims[settings['jwt-role-claim-key']?.slice(1) ?? ''];
  expect(ROLES).toContain(role);
});

test('Hasura: every session variable comes from a claim of a token, of the type that it takes', async () => {
  const { claims_map: map, jwk_url: address, ...config } = JSON.parse(exampleOf('hasura.json'));
  expect(config).toEqual({ issuer: claims['iss'], audience: claims['aud'] });
  await expectKeysAt(address);
  const at = ({ path }: { path: string }): unknown => claims[path.replace(/^\$\./, '')];
  const session = Object.fromEntries(Object.entries<{ path: string }>(map).map(([name, where]) => [name, at(where)]));
  expect(session).toEqual({
    'x-hasura-user-id': claims['sub'],
    'x-hasura-default-role': 'analyst',
    'x-hasura-allowed-roles': ['analyst'],
  });
});

test('Spring Security: a token has all that its validator for RFC 9068 asks for', async () => {
  const block = exampleOf('SpringSecurity.java');
  const [, clientId] = /\.clientId\("([^"]+)"\)/.exec(block) ?? [];
  expect([decodeProtectedHeader(token).typ, claims['client_id']]).toEqual(['at+jwt', clientId]);
  for (const claim of ['exp', 'sub', 'iat', 'jti', 'iss', 'aud']) expect(claims[claim]).toBeDefined();
  const [, path = ''] = /issuer \+ "([^"]+)"/.exec(block) ?? [];
  await expectKeysAt(`${ISSUER}${path}`);
  expect(claims['roles']).toEqual(['analyst']);
});

test('one audience: a token that a service was sent is good at the gateway itself', async () => {
  const answer = await gateway.send('POST', '/graphql', {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ users { totalCount { count } } }' }),
  });
  expect([answer.status, answer.json.data.users.totalCount.count]).toEqual([200, 1]);
});
