/** Access keys of each algorithm, and what is refused of them. (Interface 3) */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calculateJwkThumbprint } from 'jose';
import { openKeyring } from '../../src/credentials/keyring/keyring.js';
import { generateKeys } from '../../src/credentials/keyring/keyring-file.js';
import { ACCESS_ALGS, type AccessAlg } from '../../src/credentials/keyring/private-jwks.js';
import { createLogger } from '../../src/platform/create-logger.js';
import { handClock } from '../support/gateway/clock.js';
import { keyringJwk } from '../support/independent/forge.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-access-keys-'));
});
afterAll(() => rm(folder, { recursive: true }));

const clock = handClock();
const others = [keyringJwk('HS256'), keyringJwk('A256GCM')];

/** A keyring with these access keys, as an instance opens it. */
async function opened(...accessKeys: object[]) {
  const file = join(folder, 'keyring.json');
  await writeFile(file, JSON.stringify({ keys: [...accessKeys, ...others] }));
  const keyring = await openKeyring(file, clock, createLogger('silent'));
  keyring.close();
  return keyring;
}

type AnyJwk = Record<string, unknown> & { kid: string };

async function generated(alg: AccessAlg): Promise<AnyJwk> {
  const [access] = await generateKeys(alg);
  if (access === undefined) throw new Error('no access key');
  return access;
}

const SHAPES = {
  EdDSA: { members: { kty: 'OKP', crv: 'Ed25519' }, published: ['crv', 'kty', 'x'] },
  ES256: { members: { kty: 'EC', crv: 'P-256' }, published: ['crv', 'kty', 'x', 'y'] },
  RS256: { members: { kty: 'RSA', e: 'AQAB' }, published: ['e', 'kty', 'n'] },
};

test.each(ACCESS_ALGS)(
  'Interface 3: a generated key of %s is taken; its public members are published, and no other',
  async (alg) => {
    const jwk = await generated(alg);
    const { members, published } = SHAPES[alg];
    expect(jwk).toMatchObject({ ...members, use: 'sig', alg });
    expect(jwk.kid).toBe(await calculateJwkThumbprint(jwk)); // RFC 7638
    const keyring = await opened({ ...jwk, ext: true, key_ops: ['sign'], x5t: 'other members' });
    expect(keyring.inUse('access', clock.now())).toMatchObject({ kid: jwk.kid, alg });
    const publicHalf = Object.fromEntries(published.map((name) => [name, jwk[name]]));
    expect(keyring.publicJwks()).toEqual({ keys: [{ ...publicHalf, kid: jwk.kid, use: 'sig', alg }] });
  },
);

test('Interface 3: (RFC 9864) a key of the alg Ed25519 is used and published as EdDSA, which verifiers know', async () => {
  const jwk = await generated('EdDSA');
  const keyring = await opened({ ...jwk, alg: 'Ed25519' });
  expect(keyring.byKid('access', jwk.kid)?.alg).toBe('EdDSA');
  expect(keyring.publicJwks().keys).toMatchObject([{ kid: jwk.kid, alg: 'EdDSA' }]);
});

test('Interface 3: access keys of several algorithms: the first whose nbf has passed makes, all check and are published', async () => {
  const keys = await Promise.all(ACCESS_ALGS.map((alg) => generated(alg)));
  const [first, second, third] = keys.map(({ kid }) => kid);
  const nowSeconds = Math.floor(clock.now().getTime() / 1000);
  const keyring = await opened({ ...keys[0], nbf: nowSeconds + 100 }, { ...keys[1], nbf: nowSeconds }, keys[2] ?? {});
  const used = (seconds: number) => keyring.inUse('access', new Date((nowSeconds + seconds) * 1000)).kid;
  expect([used(-1), used(0), used(99), used(100)]).toEqual([third, second, second, first]);
  expect(keys.map(({ kid }) => keyring.byKid('access', kid)?.alg)).toEqual([...ACCESS_ALGS]);
  expect(keyring.publicJwks().keys.map(({ kid }) => kid)).toEqual([first, second, third]);
});

/** The y of the other point with this x: the prime of the curve (SP 800-186, section 3.2.1.3) less the one. */
function mirrored({ y }: AnyJwk): string {
  const prime = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
  const other = prime - BigInt(`0x${Buffer.from(String(y), 'base64url').toString('hex')}`);
  return Buffer.from(other.toString(16).padStart(64, '0'), 'hex').toString('base64url');
}

type Members = Record<string, unknown>;
const rsa = (modulusLength: number, publicExponent = 65_537): Members =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent }).privateKey.export({ format: 'jwk' }) as Members;
const ec = (namedCurve: string): Members =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ format: 'jwk' }) as Members;

const SHAPE = /^the keyring .* is refused: keys\.0\./;
const NO_PAIR = /^the access key \S+ of the keyring is refused: its private and public halves do not match$/;
const TOO_SHORT = /^the access key \S+ of the keyring is refused: it has fewer than 2048 bits$/;

type Change = (own: AnyJwk, other: AnyJwk) => Members;

test.each<[string, AccessAlg, Change, RegExp]>([
  ['x of another pair', 'EdDSA', (_own, { x }) => ({ x }), NO_PAIR],
  ['d of another pair', 'EdDSA', (_own, { d }) => ({ d }), NO_PAIR],
  ['x and y of another pair', 'ES256', (_own, { x, y }) => ({ x, y }), NO_PAIR],
  ['d of another pair', 'ES256', (_own, { d }) => ({ d }), NO_PAIR],
  ['y of the mirrored point', 'ES256', (own) => ({ y: mirrored(own) }), NO_PAIR],
  ['a point that is not on the curve', 'ES256', ({ x }) => ({ y: x }), NO_PAIR],
  ['a d of nothing', 'ES256', () => ({ d: Buffer.alloc(32).toString('base64url') }), NO_PAIR],
  ['n of another pair', 'RS256', (_own, { n }) => ({ n }), NO_PAIR],
  ['all but n of another pair', 'RS256', ({ n }, other) => ({ ...other, n }), NO_PAIR],
  ['1024 bits', 'RS256', () => rsa(1024), TOO_SHORT],
  ['2047 bits', 'RS256', () => rsa(2047), TOO_SHORT],
  ['an n of nothing', 'RS256', () => ({ n: 'AA' }), TOO_SHORT],
  ['the exponent 3', 'RS256', () => rsa(2048, 3), SHAPE],
  ['the exponent 1', 'RS256', () => ({ e: 'AQ' }), SHAPE],
  ['an even exponent', 'RS256', () => ({ e: 'AQAC' }), SHAPE],
  ['no d', 'EdDSA', () => ({ d: undefined }), SHAPE],
  ['no d', 'ES256', () => ({ d: undefined }), SHAPE],
  ['no d', 'RS256', () => ({ d: undefined }), SHAPE],
  ['no p', 'RS256', () => ({ p: undefined }), SHAPE],
  ['the curve P-384', 'ES256', () => ec('P-384'), SHAPE],
  ['the curve secp256k1', 'ES256', () => ec('secp256k1'), SHAPE],
  ['the use enc', 'ES256', () => ({ use: 'enc' }), SHAPE],
  ['the alg ES256', 'EdDSA', () => ({ alg: 'ES256' }), SHAPE],
  ['the alg EdDSA', 'ES256', () => ({ alg: 'EdDSA' }), SHAPE],
  ['the alg RS256', 'ES256', () => ({ alg: 'RS256' }), SHAPE],
  ['the alg HS256', 'RS256', () => ({ alg: 'HS256' }), SHAPE],
  ['the alg PS256', 'RS256', () => ({ alg: 'PS256' }), SHAPE],
  ['the alg RS512', 'RS256', () => ({ alg: 'RS512' }), SHAPE],
  ['the alg none', 'RS256', () => ({ alg: 'none' }), SHAPE],
  ['no alg', 'ES256', () => ({ alg: undefined }), SHAPE],
])('Interface 3: refuses %s in a key of %s, without a word of the key', async (_what, alg, change, reason) => {
  const [own, other] = await Promise.all([generated(alg), generated(alg)]);
  const jwk: Members = { ...own, ...change(own, other), kid: own.kid };
  const refused: unknown = await opened(jwk).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'KeyringError', message: expect.stringMatching(reason) });
  for (const name of ['x', 'y', 'd', 'n', 'p', 'q', 'dp', 'dq', 'qi']) {
    const value = jwk[name];
    if (value !== undefined && value !== 'AA') expect(String(refused)).not.toContain(value);
  }
});
