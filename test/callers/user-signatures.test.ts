/**
 * An access key verifies by its own algorithm only (RFC 8725 sections 2.1, 3.1 and 3.10), whatever a token says.
 * (Interface 4)
 */
import {
  constants,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { ACCESS_ALGS, type AccessAlg } from '../../src/credentials/keyring/private-jwks.js';
import { ask, bearer } from '../support/gateway/graphql.js';
import { type HandMade, startHandMade } from '../support/independent/access-tokens.js';
import { unsignedJwt } from '../support/independent/forge.js';

let made: HandMade;
beforeAll(async () => {
  made = await startHandMade();
});
afterAll(() => made.close());

async function expectRefused(token: string): Promise<void> {
  const answer = await ask(made.gateway, bearer(token), '{ caller { callerType } }');
  expect(answer).toMatchObject({ status: 401, reason: 'invalid_token', data: undefined });
}

/** How each JWS algorithm signs (RFC 7518 section 3, RFC 8037), also those that the gateway does not know. */
const SIGN = {
  EdDSA: (data, key) => sign(null, data, key),
  Ed25519: (data, key) => sign(null, data, key),
  ES256: (data, key) => sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' }),
  ES384: (data, key) => sign('sha384', data, { key, dsaEncoding: 'ieee-p1363' }),
  ES256K: (data, key) => sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' }),
  RS256: (data, key) => sign('sha256', data, key),
  RS384: (data, key) => sign('sha384', data, key),
  RS512: (data, key) => sign('sha512', data, key),
  RS1: (data, key) => sign('sha1', data, key),
  PS256: (data, key) => sign('sha256', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
} satisfies Record<string, (data: Buffer, key: KeyObject) => Buffer>;

/** A token with a good signature by `key` and `how`, under this header. */
function signed(how: keyof typeof SIGN, key: KeyObject, header: object): string {
  const text = unsignedJwt(header, made.claims());
  return `${text}${SIGN[how](Buffer.from(text.slice(0, -1)), key).toString('base64url')}`;
}

const privateKey = (alg: AccessAlg) => createPrivateKey({ key: { ...made.jwk(alg) }, format: 'jwk' });

test.each(ACCESS_ALGS)(
  'Interface 4: a token of %s that is signed so is good, so that each of the others breaks one rule',
  async (alg) => {
    const token = signed(alg, privateKey(alg), made.header(alg));
    expect((await ask(made.gateway, bearer(token), '{ caller { callerType } }')).status).toBe(200);
  },
);

const pairs = ACCESS_ALGS.flatMap((alg) =>
  ACCESS_ALGS.filter((other) => other !== alg).map((other) => [alg, other] as const),
);
test.each(pairs)('Interface 4: the key of %s refuses a token of %s', async (alg, other) => {
  const { kid } = made.jwk(alg);
  await expectRefused(signed(other, privateKey(other), { ...made.header(other), kid }));
  await expectRefused(signed(other, privateKey(other), { ...made.header(alg) }));
  await expectRefused(signed(alg, privateKey(alg), { ...made.header(alg), alg: other }));
});

test.each<[AccessAlg, keyof typeof SIGN]>([
  ['EdDSA', 'Ed25519'],
  ['ES256', 'ES384'],
  ['ES256', 'ES256K'],
  ['RS256', 'PS256'],
  ['RS256', 'RS384'],
  ['RS256', 'RS512'],
  ['RS256', 'RS1'],
])('Interface 4: the key of %s refuses another algorithm that it could be used with: %s', async (alg, how) => {
  await expectRefused(signed(how, privateKey(alg), { ...made.header(alg), alg: how }));
  if (how !== 'Ed25519' && how !== 'ES256K') await expectRefused(signed(how, privateKey(alg), made.header(alg)));
});

describe.each(ACCESS_ALGS)('Interface 4: the key of %s', (alg) => {
  test.each(['none', 'None', 'NONE', '', 'eddsa', 'es256', 'rs256', 'HS256'])(
    'refuses the algorithm %j',
    async (name) => {
      const header = { ...made.header(alg), alg: name };
      await expectRefused(unsignedJwt(header, made.claims()));
      await expectRefused(signed(alg, privateKey(alg), header));
    },
  );

  test('refuses an HMAC with the public key, in any form of it', async () => {
    const key = createPublicKey(privateKey(alg));
    const jwk = key.export({ format: 'jwk' });
    const published = (await made.gateway.send('GET', '/.well-known/jwks.json')).json.keys;
    const secrets = [
      ...[jwk.x, jwk.y, jwk.n, jwk.e].flatMap((text) =>
        text === undefined ? [] : [text, Buffer.from(text, 'base64url')],
      ),
      ...[jwk, published, published.find(({ kid }: { kid: string }) => kid === made.jwk(alg).kid)].map((it) =>
        JSON.stringify(it),
      ),
      key.export({ type: 'spki', format: 'pem' }),
      String(key.export({ type: 'spki', format: 'pem' })).trim(),
      key.export({ type: 'spki', format: 'der' }),
    ];
    for (const name of ['HS256', alg]) {
      const text = unsignedJwt({ ...made.header(alg), alg: name }, made.claims());
      for (const secret of secrets) {
        const mac = createHmac('sha256', secret).update(text.slice(0, -1)).digest('base64url');
        await expectRefused(`${text}${mac}`);
      }
    }
  });

  test('refuses a key that the token itself brings: jwk, jku, x5u or x5c, with or without a kid', async () => {
    const pair = {
      EdDSA: () => generateKeyPairSync('ed25519'),
      ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
      RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
    }[alg]();
    const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'mine', alg, use: 'sig' };
    for (const extra of [
      { jwk, kid: 'mine' },
      { jwk },
      { jwk, kid: undefined },
      { jku: 'http://127.0.0.1:1/jwks.json', kid: 'mine' },
      { x5u: 'http://127.0.0.1:1/cert.pem', kid: 'mine' },
      { x5c: [pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] },
      {},
    ]) {
      await expectRefused(signed(alg, pair.privateKey, { ...made.header(alg), ...extra }));
    }
  });

  test('is valid for a refresh token too, whose type is checked afterwards (Spec 4.2)', async () => {
    const cookie = `refresh_token=${await made.token(alg)}`;
    const answer = await made.gateway.send('POST', '/auth/refresh', { headers: { cookie } });
    expect([answer.status, answer.json]).toEqual([401, { detail: 'Invalid token type', reason: 'wrong_token_type' }]);
  });

  test('refuses a signature that is changed, cut, empty, of zeros, of another form or of another token', async () => {
    const [header = '', claims = '', signature = ''] = (await made.token(alg)).split('.');
    const other = (await made.token(alg, { claims: { role: 'admin' } })).split('.')[1] ?? '';
    const bytes = Buffer.from(signature, 'base64url');
    const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    const der = sign(alg === 'EdDSA' ? null : 'sha256', Buffer.from(`${header}.${claims}`), privateKey(alg));
    for (const parts of [
      [header, claims, flipped],
      [header, claims, signature.slice(0, -2)],
      [header, claims, `${signature}AA`],
      [header, claims, Buffer.alloc(bytes.length).toString('base64url')], // of zeros: (0, 0) of ECDSA
      [header, claims, ''],
      [header, claims],
      [header, other, signature],
      [header, claims, signature, signature],
      ...(alg === 'ES256' ? [[header, claims, der.toString('base64url')]] : []),
    ]) {
      await expectRefused(parts.join('.'));
    }
  });
});
