/** EdDSA signatures are those of RFC 8032, whichever library makes them. (Interface 3) */
import { createPrivateKey, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { ed25519Signer, loadSodium } from '../../src/credentials/keyring/ed25519.js';

/** RFC 8032 section 7.1, the tests whose messages are text */
const VECTORS = [
  {
    test: 1,
    text: '',
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    test: 2,
    text: 'r',
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
];

const sodium = createRequire(import.meta.url)('sodium-native');
const LIBRARIES = [
  ['libsodium', sodium],
  ['Node', null],
] as const;

const ofHex = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url');

describe.each(LIBRARIES)('signed by %s', (_name, library) => {
  test.each(VECTORS)('RFC 8032 section 7.1, test $test', ({ text, seed, publicKey, signature }) => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', d: ofHex(seed), x: ofHex(publicKey) };
    const sign = ed25519Signer(createPrivateKey({ key: jwk, format: 'jwk' }), library);
    expect(sign(text)).toBe(ofHex(signature));
  });
});

test('both libraries sign any text by any key alike, again and again, and Node verifies it', () => {
  const anyText = fc.string({ unit: 'binary-ascii', maxLength: 2000, size: 'max' });
  fc.assert(
    fc.property(fc.array(anyText, { minLength: 1, maxLength: 8 }), (texts) => {
      const { privateKey } = generateKeyPairSync('ed25519');
      const [bySodium, byNode] = [ed25519Signer(privateKey, sodium), ed25519Signer(privateKey, null)];
      for (const text of [...texts, ...texts]) {
        const signature = bySodium(text);
        expect(signature).toBe(byNode(text));
        const bytes = Buffer.from(signature, 'base64url');
        expect(verify(null, Buffer.from(text), createPublicKey(privateKey), bytes)).toBe(true);
      }
    }),
    { endOnFailure: true }, // shrinking so long texts takes minutes
  );
});

test('libsodium is loaded if its package is installed', () => {
  expect(loadSodium()).toBe(sodium);
  expect(loadSodium(createRequire('/'))).toBeNull();
});
