/** Questions that are refused, whatever the credential, and what a refusal says. (Interface 18) */

import {
  askAs,
  FAMILIES,
  FORWARD_AUTH,
  identityOf,
  type Original,
  questionOf,
  signedOriginal,
} from '../support/gateway/authz.js';
import { claimsOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newApiKey, newCronKey, newcomer } from '../support/gateway/graphql.js';
import { exchange } from '../support/gateway/raw.js';

let gateway: TestGateway;
let authorization: string;
beforeAll(async () => {
  gateway = await startGateway({ env: FORWARD_AUTH });
  authorization = `Bearer ${(await newcomer(gateway)).accessToken}`;
});
afterAll(() => gateway.close());

const USER = 'caller=user';

/** Sends header lines as they are given. @returns status and reason */
async function sendLines(method: string, path: string, lines: string[]): Promise<[number, string]> {
  const text = await exchange(
    gateway,
    [`${method} ${path} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n'),
  );
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(head).not.toMatch(/^x-auth-caller/im);
  return [Number(head.slice(9, 12)), body === '' ? '' : JSON.parse(body).reason];
}

describe('Interface 18: a question that is not as the family asks is 403', () => {
  const [credential, host] = ['Authorization: x', 'Host: gateway'];
  const good = {
    'auth-request': ['X-Original-Method: GET', 'X-Original-URL: https://app.example.com/a'],
    'forward-auth': [
      'X-Forwarded-Method: GET',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: app.example.com',
      'X-Forwarded-Uri: /a',
    ],
  };

  test.each(Object.entries(good))('%s: each field once', async (family, lines) => {
    const path = `/authz/${family}/${USER}`;
    const fields = lines.map((_, left) => lines.filter((_, i) => i !== left));
    const doubled = lines.map((line) => [...lines, line]);
    const ofOthers = Object.values(good).filter((others) => others !== lines);
    for (const wrong of [...fields, ...doubled, ...ofOthers, []]) {
      expect([wrong, await sendLines('GET', path, [host, credential, ...wrong])]).toEqual([
        wrong,
        [403, 'original_request_invalid'],
      ]);
    }
    expect(await sendLines('GET', path, [host, credential, ...lines])).toEqual([401, 'unsupported_scheme']); // the credential is looked at
  });

  test('ext-authz: X-Forwarded-Proto once, and a path behind the rule', async () => {
    const proto = 'X-Forwarded-Proto: https';
    const app = 'Host: app.example.com';
    const at = (path: string, lines: string[]) => sendLines('GET', `/authz/ext-authz/${USER}${path}`, [app, ...lines]);
    expect(await at('/a', [])).toEqual([403, 'original_request_invalid']);
    expect(await at('/a', [proto, proto])).toEqual([403, 'original_request_invalid']);
    expect(await at('', [proto])).toEqual([403, 'original_request_invalid']);
    expect(await at('?a', [proto])).toEqual([403, 'original_request_invalid']);
    expect(await at('/a', [proto])).toEqual([401, 'missing_credentials']);
  });

  test.each<[string, string, string]>([
    ['X-Original-Method', 'GET, POST', 'original_request_invalid'],
    ['X-Original-Method', 'GET POST', 'original_request_invalid'],
    ['X-Original-Method', '', 'original_request_invalid'],
    ['X-Original-URL', '/a', 'original_request_invalid'],
    ['X-Original-URL', 'https://app.example.com', 'original_request_invalid'],
    ['X-Original-URL', 'https://app.example.com?a', 'original_request_invalid'],
    ['X-Original-URL', 'https://app.example.com/a, https://app.example.com/b', 'original_request_invalid'],
    ['X-Original-URL', 'https://app.example.com/a#b', 'original_request_invalid'],
    ['X-Original-URL', 'https://app.example.com/a\\b', 'original_request_invalid'],
    ['X-Original-URL', 'https://app.example.com\\@evil.test/', 'original_request_invalid'],
    ['X-Original-URL', 'https://app.example.com/é', 'original_request_invalid'],
    ['X-Original-URL', 'https://app.example.com/a\tb', 'original_request_invalid'],
    ['X-Original-URL', 'ftp://app.example.com/a', 'original_request_invalid'],
    ['X-Original-URL', 'http://app.example.com/a', 'origin_not_listed'],
    ['X-Original-URL', 'https://APP.example.com/a', 'origin_not_listed'],
    ['X-Original-URL', 'https://app.example.com./a', 'origin_not_listed'],
    ['X-Original-URL', 'https://app.example.com:443/a', 'origin_not_listed'],
    ['X-Original-URL', 'https://user@app.example.com/a', 'origin_not_listed'],
    ['X-Original-URL', 'https://app.example.com@evil.test/a', 'origin_not_listed'],
    ['X-Original-URL', 'https://evil.test/https://app.example.com/a', 'origin_not_listed'],
  ])('%s: %s', async (name, value, reason) => {
    const headers = {
      'X-Original-Method': 'GET',
      'X-Original-URL': 'https://app.example.com/a',
      authorization,
      [name]: value,
    };
    const answer = await gateway.send('GET', `/authz/auth-request/${USER}`, { headers });
    expect([answer.status, answer.json.reason, identityOf(answer)]).toEqual([403, reason, {}]);
  });

  test.each([
    { 'X-Forwarded-Proto': 'HTTPS' },
    { 'X-Forwarded-Proto': 'https, http' },
    { 'X-Forwarded-Proto': 'http' },
    { 'X-Forwarded-Host': 'app.example.com, b.test' },
    { 'X-Forwarded-Host': 'App.example.com' },
    { 'X-Forwarded-Host': 'app.example.com:443' },
    { 'X-Forwarded-Host': 'app.example.com/' },
    { 'X-Forwarded-Host': 'b.test' },
  ])('forward-auth: %j', async (wrong) => {
    const original = { method: 'GET', target: '/a', origin: 'https://app.example.com', headers: { authorization } };
    const { method, path, headers } = questionOf('forward-auth', USER, original);
    const answer = await gateway.send(method, path, { headers: { ...headers, ...wrong } });
    expect([answer.status, answer.json.reason]).toEqual([403, 'origin_not_listed']);
  });

  test.each([
    'x-auth-role',
    'X-Auth-Caller-Type',
    'x_auth_role',
    'X.Auth.Role',
    'x-auth_ROLE',
    'X_AUTH-assertion',
    'x-auth-',
  ])('a field %s in the request', async (name) => {
    for (const family of FAMILIES) {
      const answer = await askAs(gateway, family, USER, { headers: { authorization, [name]: 'admin' } });
      expect([answer.status, answer.json.reason]).toEqual([403, 'identity_field']);
    }
  });

  test('x-authority and the like are fields of others', async () => {
    const headers = { authorization, 'x-authority': 'a', 'x-author-id': 'b', 'not-x-auth-role': 'c' };
    expect((await askAs(gateway, 'forward-auth', USER, { headers })).status).toBe(200);
  });
});

test('Interface 18: the scheme of a websocket is that of http, and of no other origin', async () => {
  const headers = { authorization };
  for (const family of ['forward-auth', 'ext-authz'] as const) {
    for (const [origin, aud] of [
      ['wss://app.example.com', 'https://app.example.com'],
      ['ws://b.test:8080', 'http://b.test:8080'],
    ] as const) {
      const answer = await askAs(gateway, family, USER, { origin, headers });
      expect([family, origin, answer.status]).toEqual([family, origin, 200]);
      expect(claimsOf(String(answer.headers['x-auth-assertion']))['aud']).toBe(aud);
    }
    for (const origin of [
      'ws://app.example.com',
      'wss://b.test:8080',
      'wsss://app.example.com',
      'WSS://app.example.com',
    ]) {
      const answer = await askAs(gateway, family, USER, { origin, headers });
      expect([family, origin, answer.status, answer.json.reason]).toEqual([family, origin, 403, 'origin_not_listed']);
    }
  }
});

describe('Interface 18: an invalid rule is 400', () => {
  test.each(['caller=nobody', 'role=admin', 'caller=user;caller=user', 'caller%3Duser', 'caller=user%3Brole=admin'])(
    '%s',
    async (rule) => {
      for (const family of FAMILIES) {
        const answer = await askAs(gateway, family, rule, { headers: { authorization } });
        expect([answer.status, answer.json.reason, identityOf(answer)]).toEqual([400, 'rule_invalid', {}]);
      }
    },
  );

  test.each(['auth-request', 'forward-auth'] as const)('%s: nothing follows the rule in the path', async (family) => {
    for (const rule of ['caller=user/role=admin', 'caller=user/', 'caller=user//', 'caller=user/a?b']) {
      const answer = await askAs(gateway, family, rule, { headers: { authorization } });
      expect([answer.status, answer.json?.reason, identityOf(answer)]).toEqual([400, 'rule_invalid', {}]);
    }
  });

  test('the query of a question is not its rule, and is ignored', async () => {
    const role = 'caller=user;role=admin';
    for (const query of ['?caller=user', '?caller=user;role=viewer', '?/../caller=user']) {
      const answer = await askAs(gateway, 'forward-auth', role + query, { headers: { authorization } });
      expect([answer.status, answer.json.reason]).toEqual([403, 'role_missing']);
    }
  });
});

describe('Interface 18: who may not pass', () => {
  test.each(FAMILIES)('%s: another kind, role or scope is 403', async (family) => {
    const of = async (rule: string, original: Partial<Original>) => {
      const answer = await askAs(gateway, family, rule, original);
      return [answer.status, answer.json?.reason, identityOf(answer)];
    };
    const job = { 'x-internal-key': (await newCronKey(gateway, ['a:b'])).secret };
    const key = await newApiKey(gateway, ['a:b']);
    expect(await of('caller=user', { headers: job })).toEqual([403, 'caller_not_allowed', {}]);
    expect(await of('caller=cron', signedOriginal(gateway, key))).toEqual([403, 'caller_not_allowed', {}]);
    expect(await of('caller=user;role=admin', { headers: { authorization } })).toEqual([403, 'role_missing', {}]);
    expect(await of('caller=user;scope=a:b', { headers: { authorization } })).toEqual([403, 'scope_missing', {}]);
    expect(await of('caller=cron;scope=a:b,c:d', { headers: job })).toEqual([403, 'scope_missing', {}]);
    const admin = { authorization: `Bearer ${(await newcomer(gateway, 'admin')).accessToken}` };
    expect(await of('caller=user;scope=invoices:read', { headers: admin })).toEqual([403, 'scope_missing', {}]);
  });

  test.each<[string, string, Record<string, string>, string, string]>([
    ['no credential', 'caller=user', {}, 'missing_credentials', 'Bearer realm="auth-gateway"'],
    [
      'none, for two kinds',
      'caller=api_key,cron',
      {},
      'missing_credentials',
      'Signature realm="auth-gateway", InternalKey realm="auth-gateway"',
    ],
    [
      'a bad token',
      'caller=user,cron',
      { authorization: 'Bearer x' },
      'invalid_token',
      'Bearer realm="auth-gateway", error="invalid_token", error_description="The access token is invalid or has expired; refresh it or log in again"',
    ],
    [
      'a bad key where only users may call',
      'caller=user',
      { 'x-internal-key': 'x' },
      'invalid_key',
      'Bearer realm="auth-gateway"',
    ],
  ])('%s is 401, and asks for what the rule allows', async (_, rule, headers, reason, challenge) => {
    for (const family of FAMILIES) {
      const answer = await askAs(gateway, family, rule, { headers });
      expect([answer.status, answer.json.reason, answer.headers['www-authenticate']]).toEqual([401, reason, challenge]);
      expect(answer.headers['accept-signature'] !== undefined).toBe(rule.includes('api_key'));
    }
  });

  test('Accept-Signature asks for a digest if the request has a content type', async () => {
    const accepted = async (headers: Record<string, string>) =>
      (await askAs(gateway, 'forward-auth', 'caller=api_key', { headers })).headers['accept-signature'];
    expect(await accepted({})).not.toContain('content-digest');
    expect(await accepted({ 'content-type': 'text/plain' })).toContain('"content-type" "content-digest"');
  });

  test('a refresh token or an assertion is no access token, and an access token no assertion', async () => {
    const { accessToken, refreshToken } = await newcomer(gateway);
    const known = await askAs(gateway, 'forward-auth', USER, { headers: { authorization: `Bearer ${accessToken}` } });
    const assertion = String(known.headers['x-auth-assertion']);
    for (const token of [refreshToken, assertion]) {
      const answer = await askAs(gateway, 'forward-auth', USER, { headers: { authorization: `Bearer ${token}` } });
      expect([answer.status, answer.json.reason]).toEqual([401, 'invalid_token']);
    }
    const asCookie = (token: string) => ({ headers: { cookie: `refresh_token=${token}` } });
    const refreshed = await gateway.send('POST', '/auth/refresh', asCookie(assertion));
    expect([refreshed.status, refreshed.json.detail]).toEqual([401, 'Invalid or expired refresh token']);
    const before = await gateway.rows('select count(*) from audit_events');
    expect((await gateway.send('POST', '/auth/logout', asCookie(assertion))).status).toBe(200);
    expect(await gateway.rows('select count(*) from audit_events')).toEqual(before); // a service that has it logs nobody out
    expect(JSON.parse(Buffer.from(assertion.split('.')[0] ?? '', 'base64url').toString())).toMatchObject({
      typ: 'caller+jwt',
    });
  });
});

describe('Interface 18: a preflight', () => {
  const preflight: Partial<Original> = {
    method: 'OPTIONS',
    headers: { origin: 'https://page.test', 'access-control-request-method': 'PUT' },
  };
  const ALLOW = 'caller=user;preflight=allow';

  test.each(FAMILIES)('%s: passes as nobody if the rule allows it', async (family) => {
    const answer = await askAs(gateway, family, ALLOW, preflight);
    const nobody = Object.fromEntries(
      ['caller-type', 'caller-id', 'role', 'scopes', 'assertion'].map((name) => [`x-auth-${name}`, '-']),
    );
    expect([answer.status, identityOf(answer)]).toEqual([200, nobody]);
    expect((await askAs(gateway, family, USER, preflight)).status).toBe(401);
  });

  test.each<[string, Partial<Original>]>([
    ['another method', { method: 'GET' }],
    ['no Origin', { headers: { 'access-control-request-method': 'PUT' } }],
    ['no method that is asked for', { headers: { origin: 'https://page.test' } }],
    ['a bad credential', { headers: { ...preflight.headers, authorization: 'Bearer x' } }],
  ])('%s is none', async (_, differs) => {
    for (const family of FAMILIES)
      expect((await askAs(gateway, family, ALLOW, { ...preflight, ...differs })).status).toBe(401);
  });
});

test('Interface 18: without the variables there is no such route, and a peer that is not listed learns nothing', async () => {
  await using off = await started({});
  await using closed = await started({ ...FORWARD_AUTH, FORWARD_AUTH_PROXIES: '192.0.2.1,2001:db8::/64' });
  for (const family of FAMILIES) {
    for (const rule of [USER, 'nonsense']) {
      expect((await askAs(off, family, rule, { headers: { authorization } })).status).toBe(404);
      const answer = await askAs(closed, family, rule, { headers: { authorization, 'x-forwarded-for': '192.0.2.1' } });
      expect([answer.status, answer.json.reason]).toEqual([403, 'proxy_not_listed']);
    }
  }
  expect((await gateway.send('GET', '/authz/other/caller=user')).status).toBe(404);
  expect((await gateway.send('GET', '/authz/auth-request')).status).toBe(404);
});

async function started(env: Record<string, string>) {
  const other = await startGateway({ env });
  return { ...other, [Symbol.asyncDispose]: other.close };
}
