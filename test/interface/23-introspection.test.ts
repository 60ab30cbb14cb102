/** `POST /oauth/introspect`: who may ask, and what is answered. (Interface 23, RFC 7662) */
import { randomUUID } from 'node:crypto';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { revokeCronKey } from '../../src/admin/cron-keys.js';
import { setUserRole } from '../../src/admin/user-changes.js';
import { startUnmailed } from '../support/gateway/account.js';
import { askAs, FORWARD_AUTH, identityOf, ORIGIN } from '../support/gateway/authz.js';
import { codeAt, confirm, withTotp } from '../support/gateway/factors.js';
import { enter, GATE_COOKIE } from '../support/gateway/gate.js';
import { type Answer, claimsOf, type Instance, PASSWORD, type TestGateway } from '../support/gateway/gateway.js';
import { type As, type IssuedKey, newApiKey, newCronKey, newcomer, nobody } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { refresh } from '../support/gateway/routes.js';
import { auditDuring } from '../support/gateway/rows.js';
import { sendSigned } from '../support/gateway/send-signed.js';
import { countWork } from '../support/gateway/work.js';
import { forgeRefreshToken, keyringJwk } from '../support/independent/forge.js';
import { readMetrics } from '../support/independent/prometheus.js';
import { type Signing, signByHand } from '../support/independent/signer.js';
import { whileAway } from '../support/postgres/faults.js';
import { SESSION_ENDS } from './23-session-ends.js';

const TARGET = '/oauth/introspect';
const FORM = 'application/x-www-form-urlencoded';
const SCOPES = ['tokens:introspect'];

const captured = captureLog();
const work = countWork();
let gateway: TestGateway;
let as: As;
beforeAll(async () => {
  gateway = await startUnmailed({ env: { ...FORWARD_AUTH, ACCOUNT: 'on' }, instances: 2, log: captured.log });
  await work.watch(gateway.app.db);
  ({ as } = await newCronKey(gateway, SCOPES));
});
afterAll(() => gateway.close());

interface Question {
  by?: As;
  type?: string;
  on?: Pick<Instance, 'send'>;
}

/** @param body as it is sent; undefined for none */
function post(body: string | undefined, { by = as, type = FORM, on = gateway }: Question = {}): Promise<Answer> {
  return on.send('POST', TARGET, { headers: { 'content-type': type, ...by(body ?? '') }, body });
}

const introspect = (token: string, question?: Question) => post(`token=${encodeURIComponent(token)}`, question);

const INACTIVE = { status: 200, text: '{"active":false}', headers: { 'cache-control': 'no-store' } };

function signing({ keyId, secret }: IssuedKey, changes: Partial<Signing> = {}) {
  const nowSeconds = Math.floor(gateway.clock.now().getTime() / 1000);
  const { publicAuthority: authority } = gateway.config;
  return signByHand({ keyId, secret, authority, nowSeconds, target: TARGET, contentType: FORM, ...changes });
}

describe('Interface 23: who may ask', () => {
  test('a cron key with the scope, and an API key by a signed request, whose limit counts', async () => {
    const { accessToken } = await newcomer(gateway);
    const body = `token=${accessToken}`;
    expect((await post(body)).json.active).toBe(true);
    const key = await newApiKey(gateway, SCOPES, 2);
    for (const left of [1, 0]) {
      const answer = await sendSigned(gateway, signing(key, { body }));
      expect([answer.status, JSON.parse(answer.text).active]).toEqual([200, true]);
      expect(answer.headers['ratelimit-policy']).toBe('"key";q=2;w=60');
      expect(answer.headers['ratelimit']).toMatch(new RegExp(`^"key";r=${left};t=\\d+$`));
    }
    const beyond = await sendSigned(gateway, signing(key, { body }));
    expect([beyond.status, JSON.parse(beyond.text)]).toEqual([
      429,
      { detail: 'Too many requests for this key, try again later', reason: 'rate_limited' },
    ]);
    expect(Number(beyond.headers['retry-after'])).toBeGreaterThan(0);
    gateway.clock.advance(60);
    expect((await sendSigned(gateway, signing(key, { body }))).status).toBe(200);
  });

  test('a signature is of this body and path, and is used once', async () => {
    const key = await newApiKey(gateway, SCOPES);
    const { accessToken } = await newcomer(gateway);
    const [body, other] = [`token=${accessToken}`, 'token=other'];
    const refused = async (request: ReturnType<typeof signing>) => {
      const { status, text } = await sendSigned(gateway, request);
      return [status, JSON.parse(text).reason];
    };
    const good = signing(key, { body });
    expect(await refused({ ...good, body: Buffer.from(other) })).toEqual([401, 'content_digest_mismatch']);
    expect(await refused({ ...signing(key, { body, target: '/graphql' }), target: TARGET })).toEqual([
      401,
      'invalid_signature',
    ]);
    expect((await sendSigned(gateway, good)).status).toBe(200);
    expect(await refused(good)).toEqual([401, 'nonce_reused']);
  });

  test('nobody without a credential, by a wrong or revoked one, or by several: 401 that asks for a key', async () => {
    const { accessToken, as: user } = await newcomer(gateway);
    const revoked = await newCronKey(gateway, SCOPES);
    await revokeCronKey(gateway.app, COMMAND_LINE, revoked.keyId);
    const key = await newApiKey(gateway, SCOPES);
    const wrong: As = (body) => Object.fromEntries(signing({ ...key, secret: 'aks_other' }, { body }).headers);
    for (const [by, reason] of [
      [nobody, 'missing_credentials'],
      [revoked.as, 'invalid_key'],
      [wrong, 'invalid_signature'],
      [(body: string) => ({ ...as(body), ...user(body) }), 'multiple_credentials'],
    ] as const) {
      const answer = await introspect(accessToken, { by });
      expect([answer.status, answer.json.reason, answer.json.active]).toEqual([401, reason, undefined]);
      expect(answer.headers['www-authenticate']).toMatch(/^(?:Signature|InternalKey) realm="auth-gateway"/);
      expect(answer.headers['www-authenticate']).not.toContain('Bearer');
      expect(answer.text).not.toContain(accessToken);
    }
    const hints = await introspect(accessToken, { by: wrong });
    expect(hints.json.signature_base).toContain('"@path": /oauth/introspect');
  });

  test('no user, an administrator neither, and no key without the scope: 403', async () => {
    const { accessToken } = await newcomer(gateway);
    for (const role of ['viewer', 'admin'] as const) {
      const { as: by } = await newcomer(gateway, role);
      const { status, json } = await introspect(accessToken, { by });
      expect([status, json.reason]).toEqual([403, 'caller_not_allowed']);
    }
    const others = ['sessions:write', 'audit:read', 'tokens:introspection'];
    const signed: As = (body) => Object.fromEntries(signing(key, { body }).headers);
    const key = await newApiKey(gateway, others);
    for (const by of [(await newCronKey(gateway, others)).as, signed]) {
      const { status, json } = await introspect(accessToken, { by });
      expect([status, json.reason, json.active]).toEqual([403, 'scope_missing', undefined]);
    }
  });
});

describe('Interface 23: the request', () => {
  test.each([
    ['no body', undefined],
    ['an empty body', ''],
    ['another field', 'toke=x'],
    ['an empty token', 'token='],
    ['the token twice', 'token=x&token=x'],
    ['the token twice, once empty', 'token=x&token='],
    ['a token in the hint alone', 'token_type_hint=x'],
  ])('with %s is 400', async (_what, body) => {
    const { status, json } = await post(body);
    expect([status, json]).toEqual([400, { detail: 'Send the form field token once', reason: 'malformed_request' }]);
  });

  test('a hint of any kind and unknown fields change nothing, nor do parameters of the content type', async () => {
    const { accessToken } = await newcomer(gateway);
    for (const more of ['token_type_hint=refresh_token', 'token_type_hint=x&token_type_hint=y', 'client_id=x', '%zz']) {
      expect((await post(`${more}&token=${accessToken}`)).json.active).toBe(true);
    }
    for (const type of ['Application/X-WWW-Form-Urlencoded', `${FORM}; charset=utf-8`, `${FORM} ;charset=utf-8`]) {
      expect((await post(`token=${accessToken}`, { type })).json.active).toBe(true);
    }
  });

  test.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x', `${FORM}x`, ''])(
    'of the type %j is 415',
    async (type) => {
      const { accessToken } = await newcomer(gateway);
      for (const body of [JSON.stringify({ token: accessToken }), `token=${accessToken}`]) {
        const { status, json } = await post(body, { type });
        expect([status, json.reason, json.active]).toEqual([415, 'unsupported_media_type', undefined]);
      }
    },
  );

  test('that is too large or compressed is not read, and another method is 405', async () => {
    const large = await introspect('x'.repeat(16 * 1024));
    expect([large.status, large.json.reason]).toEqual([413, 'body_too_large']);
    const headers = { 'content-type': FORM, 'content-encoding': 'gzip', ...as('') };
    expect((await gateway.send('POST', TARGET, { headers, body: 'token=x' })).json).toEqual({
      detail: 'Content-Type must be application/x-www-form-urlencoded, unencoded',
      reason: 'unsupported_media_type',
    });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, headers: fields } = await gateway.send(method, `${TARGET}?token=x`, { headers: as('') });
      expect([status, fields['allow']]).toEqual([405, 'POST']);
    }
  });

  test('whose token is in the address alone has none', async () => {
    const { accessToken } = await newcomer(gateway);
    const headers = { 'content-type': FORM, ...as('') };
    const answer = await gateway.send('POST', `${TARGET}?token=${accessToken}`, { headers, body: 'x=y' });
    expect(answer.status).toBe(400);
  });
});

describe('Interface 23: an active token', () => {
  test('is answered with what it says and what is true now, and the answer is not cached', async () => {
    const { user, accessToken } = await newcomer(gateway, 'analyst');
    const claims = claimsOf(accessToken);
    const answer = await introspect(accessToken);
    expect([answer.status, answer.headers['cache-control'], answer.cookies]).toEqual([200, 'no-store', []]);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json).toEqual({
      active: true,
      sub: user.id,
      sid: claims['sid'],
      role: 'analyst',
      scope: 'users:read sessions:read audit:read',
      client_id: 'auth-gateway',
      token_type: 'Bearer',
      iss: gateway.config.publicUrl,
      aud: gateway.config.jwtAudience,
      iat: claims['iat'],
      exp: claims['exp'],
      auth_time: claims['auth_time'],
      amr: ['pwd'],
      acr: 'aal1',
    });
    for (const on of gateway.two()) expect((await introspect(accessToken, { on })).json).toEqual(answer.json);
  });

  test('has no scope if the role has none, as in the token', async () => {
    const { accessToken } = await newcomer(gateway, 'viewer');
    expect(claimsOf(accessToken)).not.toHaveProperty('scope');
    expect((await introspect(accessToken)).json).not.toHaveProperty('scope');
  });

  test('has the role and the scopes of the user now, and stays active', async () => {
    const { user, accessToken } = await newcomer(gateway, 'admin');
    expect((await introspect(accessToken)).json).toMatchObject({
      role: 'admin',
      scope: claimsOf(accessToken)['scope'],
    });
    await gateway.user({ role: 'admin' }); // so that this is not the last one
    await setUserRole(gateway.app, COMMAND_LINE, user.id, 'analyst');
    expect((await introspect(accessToken)).json).toMatchObject({
      active: true,
      role: 'analyst',
      scope: 'users:read sessions:read audit:read',
    });
  });

  test('has the latest proof of the session: of a confirmation, also if the token is older', async () => {
    const plain = await newcomer(gateway);
    const before = (await introspect(plain.accessToken)).json;
    gateway.clock.advance(100);
    expect((await confirm(gateway, plain.accessToken, { password: PASSWORD })).status).toBe(200);
    const authTime = gateway.clock.now().getTime() / 1000;
    expect((await introspect(plain.accessToken)).json).toEqual({ ...before, auth_time: authTime });

    const app = await withTotp(gateway);
    const code = codeAt(app.secret, gateway.clock.now());
    expect((await confirm(gateway, app.accessToken, { code })).status).toBe(200);
    expect((await introspect(app.accessToken)).json).toMatchObject({
      auth_time: gateway.clock.now().getTime() / 1000,
      amr: ['pwd', 'otp', 'mfa'],
      acr: 'aal2',
    });
  });

  test('stays active after a refresh, as long as it has not expired', async () => {
    const { accessToken, refreshToken } = await newcomer(gateway);
    await refresh(gateway, refreshToken);
    expect((await introspect(accessToken)).json.active).toBe(true);
    gateway.clock.advance(gateway.config.accessTokenSeconds - 1);
    expect((await introspect(accessToken)).json.active).toBe(true);
    gateway.clock.advance(1);
    expect(await introspect(accessToken)).toMatchObject(INACTIVE);
  });
});

describe('Interface 23: anything else is {"active":false} and nothing more', () => {
  test.each(SESSION_ENDS)('after %s, at every instance', async (_by, end) => {
    const session = await newcomer(gateway);
    for (const on of gateway.two()) {
      expect((await introspect(session.accessToken, { on })).json.active).toBe(true);
    }
    await end(gateway, session);
    for (const on of gateway.two()) expect(await introspect(session.accessToken, { on })).toMatchObject(INACTIVE);
  });

  test('for a user who is deactivated while the session lives', async () => {
    const { user, accessToken } = await newcomer(gateway);
    await gateway.rows('update users set is_active = false where id = $1', [user.id]);
    expect(await introspect(accessToken)).toMatchObject(INACTIVE);
  });

  test('for refresh tokens, tokens of the gate, assertions, and garbage', async () => {
    const { accessToken, refreshToken } = await newcomer(gateway);
    const { cookies } = await enter(gateway, { refreshToken });
    const passed = await askAs(gateway, 'forward-auth', 'caller=user', {
      origin: ORIGIN,
      headers: { authorization: `Bearer ${accessToken}` },
    });
    const assertion = String(identityOf(passed)['x-auth-assertion']);
    expect(claimsOf(assertion)['iss']).toBe(gateway.config.publicUrl);
    const [header, payload, signature = ''] = accessToken.split('.');
    const altered = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    for (const token of [
      refreshToken,
      String(cookies[GATE_COOKIE]),
      assertion,
      `${header}.${payload}.${altered}`,
      `${header}.${payload}.`,
      `Bearer ${accessToken}`,
      `${accessToken} `,
      `\t${accessToken}`,
      `${accessToken}\n`,
      accessToken.replaceAll('.', ' . '),
      `${accessToken}.`,
      randomUUID(),
      'x',
      ' ',
      '\u0000',
      '…'.repeat(1_000),
    ]) {
      expect(await introspect(token)).toMatchObject(INACTIVE);
    }
    expect((await introspect(accessToken)).json.active).toBe(true);
  });

  test('for a token that names no session, or a user that is not there', async () => {
    const { accessToken } = await newcomer(gateway);
    const jwk = keyringJwk('EdDSA');
    const forged = (claims: object) =>
      forgeRefreshToken(gateway, { claims: { ...claimsOf(accessToken), ...claims }, header: { typ: 'at+jwt' }, jwk });
    expect((await introspect(await forged({}))).json.active).toBe(true);
    for (const claims of [{ sid: undefined }, { sid: 'x' }, { sid: randomUUID() }, { sub: randomUUID() }]) {
      expect(await introspect(await forged(claims))).toMatchObject(INACTIVE);
    }
  });

  test('for a token of another audience or issuer', async () => {
    const { accessToken } = await newcomer(gateway);
    const jwk = keyringJwk('EdDSA');
    for (const claims of [{ aud: ORIGIN }, { iss: ORIGIN }]) {
      const changed = { ...claimsOf(accessToken), ...claims };
      const token = await forgeRefreshToken(gateway, { claims: changed, header: { typ: 'at+jwt' }, jwk });
      expect(await introspect(token)).toMatchObject(INACTIVE);
    }
  });
});

test('Interface 23: while PostgreSQL is away the answer is 503, which says nothing about the token', async () => {
  const { accessToken } = await newcomer(gateway);
  const answer = await whileAway(gateway.database, () => introspect(accessToken));
  expect([answer.status, answer.json, answer.headers['retry-after']]).toEqual([
    503,
    { detail: 'Service temporarily unavailable, try again later', reason: 'unavailable' },
    '5',
  ]);
});

test('Interface 23: garbage costs no statement but the look at the key', async () => {
  const { accessToken } = await newcomer(gateway);
  const statements = async (token: string) => (await work.during(() => introspect(token)))[1].statements.length;
  await introspect(accessToken); // the key has been used by now
  expect([await statements('garbage'), await statements(accessToken)]).toEqual([1, 2]);
});

test('Interface 23: questions write no audit event; each is logged and counted by its outcome, and no token is in a line', async () => {
  const { accessToken, refreshToken, as: user } = await newcomer(gateway);
  const counts = async (): Promise<Record<string, number>> => {
    const families = readMetrics((await gateway.send('GET', '/metrics')).text);
    const samples = families.get('auth_gateway_introspections_total')?.samples ?? [];
    return Object.fromEntries(samples.map(({ labels, value }) => [String(labels['outcome']), value]));
  };
  const before = await counts();
  expect(Object.keys(before)).toEqual(expect.arrayContaining(['active', 'inactive', 'nonce_reused', 'unavailable']));
  captured.clear();
  const [, events] = await auditDuring(gateway, async () => {
    await introspect(accessToken);
    await introspect(refreshToken);
    await introspect(accessToken, { by: nobody });
    await introspect(accessToken, { by: user });
    await introspect(accessToken, { by: (await newCronKey(gateway)).as });
    await introspect(accessToken, { type: 'application/json' });
    await post('token=');
    await gateway.send('GET', TARGET);
  });
  expect(events.map(({ event_type }) => event_type)).toEqual(['cron_key_created']);
  const outcomes = [
    'active',
    'inactive',
    'missing_credentials',
    'caller_not_allowed',
    'scope_missing',
    'unsupported_media_type',
    'malformed_request',
  ];
  const lines = captured.lines().filter(({ route, method }) => route === TARGET && method === 'POST');
  expect(lines.map(({ outcome }) => outcome)).toEqual(outcomes);
  expect(lines.map(({ caller }) => caller)).toEqual(['cron', 'cron', 'none', 'user', 'cron', undefined, 'cron']);
  for (const secret of [accessToken, refreshToken]) expect(captured.text()).not.toContain(secret.split('.')[2]);
  const after = await counts();
  const gained = Object.entries(after).filter(([outcome, value]) => value !== before[outcome]);
  expect(Object.fromEntries(gained.map(([outcome, value]) => [outcome, value - (before[outcome] ?? 0)]))).toEqual(
    Object.fromEntries(outcomes.map((outcome) => [outcome, 1])),
  );
});

test('Interface 23: the metadata names the address', async () => {
  const { json } = await gateway.send('GET', '/.well-known/oauth-authorization-server');
  expect(json.introspection_endpoint).toBe(`${gateway.config.publicUrl}${TARGET}`);
});
