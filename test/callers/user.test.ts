/** The caller `user`. Each rule of the access check, by a token that breaks this rule alone. (Interface 4 and 6) */
import { ACCESS_ALGS } from '../../src/credentials/keyring/private-jwks.js';
import { logIn, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, bearer, dataOf, newApiKey, newCronKey } from '../support/gateway/graphql.js';
import { AUDIENCE, type HandMade, ISSUER, SUB, startHandMade } from '../support/independent/access-tokens.js';
import { hmacSignedJwt, keyringJwk } from '../support/independent/forge.js';

let made: HandMade;
let gateway: TestGateway;
beforeAll(async () => {
  made = await startHandMade();
  gateway = made.gateway;
});
afterAll(() => made.close());

const CALLER = '{ caller { callerType ... on UserCaller { sub role } } }';

const now = () => Math.floor(gateway.clock.now().getTime() / 1000);

async function expectRefused(as: As, reason = 'invalid_token'): Promise<void> {
  const answer = await ask(gateway, as, CALLER);
  expect(answer).toMatchObject({ status: 401, code: 'UNAUTHENTICATED', reason, data: undefined });
}

test('Spec 2.8: a token of the gateway is answered with its user and role', async () => {
  const user = await gateway.user({ role: 'admin' });
  const { answer } = await logIn(gateway, user.email);
  const caller = { callerType: 'user', sub: user.id, role: 'admin' };
  expect(await dataOf(gateway, bearer(answer.json.access_token), CALLER)).toEqual({ caller });
});

test.each(ACCESS_ALGS)(
  'Interface 4: a token of %s made by hand is good, so that each of the others breaks one rule',
  async (alg) => {
    const caller = { callerType: 'user', sub: SUB, role: 'analyst' };
    expect(await dataOf(gateway, bearer(await made.token(alg)), CALLER)).toEqual({ caller });
    for (const role of ['viewer', 'admin']) {
      expect((await dataOf(gateway, bearer(await made.token(alg, { claims: { role } })), CALLER)).caller.role).toBe(
        role,
      );
    }
    const shared = await made.token(alg, { claims: { aud: ['other', AUDIENCE] } });
    expect(await dataOf(gateway, bearer(shared), CALLER)).toEqual({ caller });
  },
);

const BAD_CLAIMS: Array<[string, () => Record<string, unknown>]> = [
  ['another issuer', () => ({ iss: 'http://localhost:3001' })],
  ['no issuer', () => ({ iss: undefined })],
  ['the issuer with a slash', () => ({ iss: `${ISSUER}/` })],
  ['another audience', () => ({ aud: ISSUER })],
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
  ['roles and a scope, but no role', () => ({ role: undefined, roles: ['admin'], scope: 'users:write' })],
];
test.each(BAD_CLAIMS)('Interface 4: refuses %s', async (_what, claims) => {
  for (const alg of ACCESS_ALGS) await expectRefused(bearer(await made.token(alg, { claims: claims() })));
});

const BAD_HEADERS: Array<[string, Record<string, unknown>]> = [
  ['the typ JWT', { typ: 'JWT' }],
  ['no typ', { typ: undefined }],
  ['an unknown kid', { kid: 'unknown' }],
  ['no kid', { kid: undefined }],
  ['a critical header that is not known', { crit: ['x-unknown'], 'x-unknown': 1 }],
];
test.each(BAD_HEADERS)('Interface 4: refuses %s', async (_what, header) => {
  for (const alg of ACCESS_ALGS) await expectRefused(bearer(await made.token(alg, { header })));
});

test('Interface 4: a token is good to the last second of its life, by the clock of the gateway', async () => {
  const lasting = bearer(await made.token('EdDSA'));
  gateway.clock.advance(59);
  expect((await ask(gateway, lasting, CALLER)).status).toBe(200);
  gateway.clock.advance(1);
  await expectRefused(lasting);
});

test('Interface 4: refuses an access token by the refresh key, and a refresh token as bearer', async () => {
  await expectRefused(bearer(hmacSignedJwt({ typ: 'at+jwt' }, made.claims())));
  const header = { kid: keyringJwk('HS256').kid };
  for (const alg of ACCESS_ALGS) await expectRefused(bearer(await made.token(alg, { header })));
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  await expectRefused(bearer(refreshToken));
});

const field =
  (value: string | string[]): As =>
  () => ({ authorization: value });

test('RFC 9110 11.1 the scheme is written in any case', async () => {
  const good = await made.token('EdDSA');
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    expect((await ask(gateway, field(`${scheme} ${good}`), CALLER)).status).toBe(200);
  }
});

test('Interface 6: refuses every other form of Authorization, and two of them', async () => {
  const good = await made.token('EdDSA');
  const forms = ['', 'Bearer', 'Bearer ', `Bearer ${good} ${good}`];
  forms.push(`Bearer ${good},`, `Bearer "${good}"`, `Bearer x Bearer ${good}`);
  for (const form of forms) await expectRefused(field(form), 'invalid_request');
  await expectRefused(field([`Bearer ${good}`, `Bearer ${good}`]), 'invalid_request');
  await expectRefused(field([`Bearer ${good}`, 'Bearer x']), 'invalid_request');
  for (const form of [good, `Basic ${good}`, `Bearer${good}`, `Token ${good}`]) {
    await expectRefused(field(form), 'unsupported_scheme');
  }
});

test('Interface 6: two kinds of credential are refused, good or bad, and never fall through', async () => {
  const [good, api, cron] = [bearer(await made.token('EdDSA')), await newApiKey(gateway), await newCronKey(gateway)];
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

test('Interface 6: a token is no credential anywhere else: not in the query, the body or a cookie', async () => {
  const good = await made.token('EdDSA');
  const path = `/graphql?access_token=${good}`;
  const body = JSON.stringify({ query: CALLER, access_token: good });
  const headers = { 'content-type': 'application/json', cookie: `access_token=${good}; authorization=Bearer ${good}` };
  expect((await gateway.send('POST', path, { headers, body })).status).toBe(401);
});
