/** CONTRACT 4 and 6: the user caller. Each rule of the access check, by a token that breaks this rule alone. */
import { createHmac, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { importJWK, type JWTPayload, SignJWT } from 'jose';
import { hmacSignedJwt, keyringJwk, unsignedJwt } from '../support/forge.js';
import { logIn, startGateway, type TestGateway } from '../support/gateway.js';
import { type As, ask, bearer, dataOf, newApiKey, newCronKey } from '../support/graphql.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    env: { PUBLIC_URL: 'http://localhost:3000', JWT_AUDIENCE: 'https://api.example.com' },
  });
});
afterAll(() => gateway.close());

const CALLER = '{ caller { callerType ... on UserCaller { sub role } } }';
const SUB = '00000000-0000-7000-8000-00000000000a';

const now = () => Math.floor(gateway.clock.now().getTime() / 1000);

function goodHeader(): Record<string, unknown> {
  return { alg: 'EdDSA', typ: 'at+jwt', kid: keyringJwk('EdDSA').kid };
}

function goodClaims(): JWTPayload {
  const who = { sub: SUB, role: 'analyst', sid: randomUUID(), client_id: 'auth-gateway', type: 'access' };
  const where = { iss: 'http://localhost:3000', aud: 'https://api.example.com', jti: randomUUID() };
  return { ...who, ...where, iat: now(), exp: now() + 60 };
}

/** A token with the keyring's own key, but for these changes; undefined takes a claim or a parameter away. */
async function token(claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}): Promise<string> {
  const { d, ...jwk } = keyringJwk('EdDSA');
  const key = await importJWK({ ...jwk, d: String(d) }, 'EdDSA');
  const protectedHeader = { ...goodHeader(), ...header };
  return new SignJWT({ ...goodClaims(), ...claims })
    .setProtectedHeader(JSON.parse(JSON.stringify(protectedHeader)))
    .sign(key, { crit: { 'x-unknown': true } });
}

async function expectRefused(as: As, reason = 'invalid_token'): Promise<void> {
  const answer = await ask(gateway, as, CALLER);
  expect(answer).toMatchObject({ status: 401, code: 'UNAUTHENTICATED', reason, data: undefined });
}

test('2.8 a token of the gateway is answered with its user and role', async () => {
  const user = await gateway.user({ role: 'admin' });
  const { answer } = await logIn(gateway, user.email);
  const caller = { callerType: 'user', sub: user.id, role: 'admin' };
  expect(await dataOf(gateway, bearer(answer.json.access_token), CALLER)).toEqual({ caller });
});

test('CONTRACT 4 a token made by hand as the contract says is good, so that each of the others breaks one rule', async () => {
  const caller = { callerType: 'user', sub: SUB, role: 'analyst' };
  expect(await dataOf(gateway, bearer(await token()), CALLER)).toEqual({ caller });
  for (const role of ['viewer', 'admin']) {
    expect((await dataOf(gateway, bearer(await token({ role })), CALLER)).caller.role).toBe(role);
  }
  expect(
    await dataOf(gateway, bearer(await token({ aud: ['other', 'https://api.example.com'] })), CALLER),
  ).toBeTruthy();
});

const BAD_CLAIMS: Array<[string, () => Record<string, unknown>]> = [
  ['another issuer', () => ({ iss: 'http://localhost:3001' })],
  ['no issuer', () => ({ iss: undefined })],
  ['the issuer with a slash', () => ({ iss: 'http://localhost:3000/' })],
  ['another audience', () => ({ aud: 'http://localhost:3000' })],
  ['no audience', () => ({ aud: undefined })],
  ['other audiences', () => ({ aud: ['a', 'b'] })],
  ['no exp', () => ({ exp: undefined })],
  ['an exp that has passed', () => ({ exp: now() - 1 })],
  ['an exp that is now', () => ({ exp: now() })],
  ['an exp in text', () => ({ exp: String(now() + 60) })],
  ['an nbf ahead', () => ({ nbf: now() + 30 })],
  ['the type refresh', () => ({ type: 'refresh' })],
  ['no type', () => ({ type: undefined })],
  ['no sub', () => ({ sub: undefined })],
  ['a sub that is no UUID', () => ({ sub: 'admin@example.com' })],
  ['a sub with a line after the UUID', () => ({ sub: `${SUB}\n` })],
  ['no role', () => ({ role: undefined })],
  ['an unknown role', () => ({ role: 'root' })],
  ['a role in upper case', () => ({ role: 'ADMIN' })],
  ['a list of roles', () => ({ role: ['admin'] })],
];
test.each(BAD_CLAIMS)('CONTRACT 4 refuses %s', async (_what, claims) => {
  await expectRefused(bearer(await token(claims())));
});

const BAD_HEADERS: Array<[string, Record<string, unknown>]> = [
  ['the typ JWT', { typ: 'JWT' }],
  ['no typ', { typ: undefined }],
  ['an unknown kid', { kid: 'unknown' }],
  ['no kid', { kid: undefined }],
  ['the kid of the refresh key', { kid: 'HS256' }],
  ['a critical header that is not known', { crit: ['x-unknown'], 'x-unknown': 1 }],
];
test.each(BAD_HEADERS)('CONTRACT 4 refuses %s', async (_what, header) => {
  const { kid } = header;
  await expectRefused(bearer(await token({}, kid === 'HS256' ? { kid: keyringJwk('HS256').kid } : header)));
});

test('CONTRACT 4 a token is good to the last second of its life, by the clock of the gateway', async () => {
  const lasting = bearer(await token());
  gateway.clock.advance(59);
  expect((await ask(gateway, lasting, CALLER)).status).toBe(200);
  gateway.clock.advance(1);
  await expectRefused(lasting);
});

test.each(['none', 'None', 'NONE', ''])('CONTRACT 4 refuses the algorithm %j', async (alg) => {
  const header = { ...goodHeader(), alg };
  await expectRefused(bearer(unsignedJwt(header, goodClaims())));
  const [, , signature] = (await token()).split('.');
  await expectRefused(bearer(unsignedJwt(header, goodClaims(), signature)));
});

test('CONTRACT 4 refuses an HMAC with the public key, in any form of it', async () => {
  const { kty, crv, x, kid } = keyringJwk('EdDSA');
  const key = createPublicKey({ key: { kty: String(kty), crv: String(crv), x: String(x) }, format: 'jwk' });
  const secrets = [
    Buffer.from(String(x), 'base64url'),
    Buffer.from(String(x)),
    key.export({ type: 'spki', format: 'pem' }),
    key.export({ type: 'spki', format: 'der' }),
  ];
  const [text = ''] = [unsignedJwt({ alg: 'HS256', typ: 'at+jwt', kid }, goodClaims())];
  for (const secret of secrets) {
    const signed = createHmac('sha256', secret).update(text.slice(0, -1)).digest('base64url');
    await expectRefused(bearer(`${text}${signed}`));
  }
});

test('CONTRACT 4 refuses an access token by the refresh key, and a refresh token as bearer', async () => {
  await expectRefused(bearer(hmacSignedJwt({ typ: 'at+jwt' }, goodClaims())));
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  await expectRefused(bearer(refreshToken));
});

test('CONTRACT 4 refuses a key that the token itself brings: jwk, jku or x5u, with or without a kid', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'mine', alg: 'EdDSA', use: 'sig' };
  for (const extra of [
    { jwk, kid: 'mine' },
    { jwk, kid: keyringJwk('EdDSA').kid },
    { jwk, kid: undefined },
    { jku: 'http://127.0.0.1:1/jwks.json', kid: 'mine' },
    { x5u: 'http://127.0.0.1:1/cert.pem', kid: 'mine' },
  ]) {
    const header = JSON.parse(JSON.stringify({ ...goodHeader(), ...extra }));
    await expectRefused(bearer(await new SignJWT(goodClaims()).setProtectedHeader(header).sign(privateKey)));
  }
});

test('CONTRACT 4 refuses a signature that is changed, cut or of another token', async () => {
  const [header = '', claims = '', signature = ''] = (await token()).split('.');
  const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
  const other = (await token({ role: 'admin' })).split('.')[1] ?? '';
  for (const parts of [
    [header, claims, flipped],
    [header, claims, signature.slice(0, -2)],
    [header, claims, ''],
    [header, claims],
    [header, other, signature],
    [header, claims, signature, signature],
  ]) {
    await expectRefused(bearer(parts.join('.')));
  }
});

const field =
  (value: string | string[]): As =>
  () => ({ authorization: value });

test('RFC 9110 11.1 the scheme is written in any case', async () => {
  const good = await token();
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    expect((await ask(gateway, field(`${scheme} ${good}`), CALLER)).status).toBe(200);
  }
});

test('CONTRACT 6 refuses every other form of Authorization, and two of them', async () => {
  const good = await token();
  const forms = ['', 'Bearer', 'Bearer ', `Bearer ${good} ${good}`];
  forms.push(`Bearer ${good},`, `Bearer "${good}"`, `Bearer x Bearer ${good}`);
  for (const form of forms) await expectRefused(field(form), 'invalid_request');
  await expectRefused(field([`Bearer ${good}`, `Bearer ${good}`]), 'invalid_request');
  await expectRefused(field([`Bearer ${good}`, 'Bearer x']), 'invalid_request');
  for (const form of [good, `Basic ${good}`, `Bearer${good}`, `Token ${good}`]) {
    await expectRefused(field(form), 'unsupported_scheme');
  }
});

test('CONTRACT 6 two kinds of credential are refused, good or bad, and never fall through', async () => {
  const [good, api, cron] = [bearer(await token()), await newApiKey(gateway), await newCronKey(gateway)];
  const bad = [bearer('x'), () => ({ signature: 'x' }), () => ({ 'x-internal-key': 'x' })] as As[];
  const kinds: As[][] = [
    [good, bad[0] ?? good],
    [api.as, bad[1] ?? good],
    [cron.as, bad[2] ?? good],
  ];
  for (const [i, ones] of kinds.entries()) {
    for (const others of kinds.slice(i + 1)) {
      for (const one of ones) {
        for (const other of others) {
          await expectRefused((body) => ({ ...one(body), ...other(body) }), 'multiple_credentials');
        }
      }
    }
  }
});

test('CONTRACT 6 a token is no credential anywhere else: not in the query, the body or a cookie', async () => {
  const good = await token();
  const path = `/graphql?access_token=${good}`;
  const body = JSON.stringify({ query: CALLER, access_token: good });
  const headers = { 'content-type': 'application/json', cookie: `access_token=${good}; authorization=Bearer ${good}` };
  expect((await gateway.send('POST', path, { headers, body })).status).toBe(401);
});
