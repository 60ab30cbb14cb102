/** Properties of every signed request, and of every text in its place. (Interface 6) */
import fc from 'fast-check';
import type { RequestFacts } from '../../src/credentials/signatures/signature-base.js';
import { type SignedRequest, signerOf } from '../support/independent/signer.js';
import { AUTHORITY, factsOf, KEYS, NOW_SECONDS, verify } from '../support/independent/verify.js';

const [[keyId, secret]] = [...KEYS] as [[string, string]];
const sign = signerOf({ keyId, secret, authority: AUTHORITY, nowSeconds: NOW_SECONDS });

/** Each text of a request that the signature stands for. */
const texts: Record<
  string,
  [get: (of: SignedRequest) => string, set: (of: SignedRequest, text: string) => SignedRequest]
> = {
  method: [(of) => of.method, (of, method) => ({ ...of, method })],
  target: [(of) => of.target, (of, target) => ({ ...of, target })],
  body: [(of) => of.body.toString('latin1'), (of, text) => ({ ...of, body: Buffer.from(text, 'latin1') })],
  ...Object.fromEntries(
    ['Content-Type', 'Content-Digest', 'Signature-Input', 'Signature'].map((name) => [
      name,
      [
        (of: SignedRequest) => of.headers.find(([each]) => each === name)?.[1] ?? '',
        (of: SignedRequest, text: string): SignedRequest => ({
          ...of,
          headers: of.headers.map(([each, value]) => [each, each === name ? text : value]),
        }),
      ],
    ]),
  ),
};

test.each(Object.keys(texts))('%s: no bit can be flipped', (name) => {
  const [get, set] = texts[name] ?? [];
  const signed = sign({ target: '/graphql?x=1' });
  const text = get?.(signed) ?? '';
  expect(verify(factsOf(signed)).verdict).toBe('accepted');
  for (let index = 0; index < text.length; index += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const flipped = String.fromCharCode(text.charCodeAt(index) ^ (1 << bit));
      const changed = set?.(signed, text.slice(0, index) + flipped + text.slice(index + 1)) ?? signed;
      expect([index, bit, verify(factsOf(changed)).verdict]).not.toEqual([index, bit, 'accepted']);
    }
  }
});

test.each(Object.keys(texts))('%s: nothing can be put in, taken out or put in its place', (name) => {
  const [get, set] = texts[name] ?? [];
  const signed = sign({ target: '/graphql?x=1' });
  const text = get?.(signed) ?? '';
  const place = fc.nat(text.length);
  const piece = fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.constantFrom(' ', '\t', ', ', ';a', ';a=1', ':', '"', '\\', '/', '?', '%2F', '\u00a0', ''),
  );
  fc.assert(
    fc.property(place, place, piece, (from, to, between) => {
      const edited = text.slice(0, Math.min(from, to)) + between + text.slice(Math.max(from, to));
      fc.pre(edited !== text);
      return verify(factsOf(set?.(signed, edited) ?? signed)).verdict !== 'accepted';
    }),
    { numRuns: 2000 },
  );
});

test('only a nonce of 22 to 128 allowed characters is accepted', () => {
  const its = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_.~-';
  const good = fc.string({ unit: fc.constantFrom(...its), minLength: 0, maxLength: 150 });
  const place = fc.integer({ min: 0, max: 200 });
  const other = fc.constantFrom(..." !#$%&'()*,:;<>?@[]^`{|}", '');
  fc.assert(
    fc.property(good, place, other, (text, at, between) => {
      const nonce = text.slice(0, at) + between + text.slice(at);
      const isGood = between === '' && nonce.length >= 22 && nonce.length <= 128;
      expect(verify(factsOf(sign({ nonce }))).verdict).toBe(isGood ? 'accepted' : 'malformed_signature');
    }),
    { numRuns: 2000 },
  );
});

/** Garbage in the grammar's own words gets further than random text. */
const word = fc.constantFrom(
  ...[
    'sig1',
    '=',
    '(',
    ')',
    ';',
    ',',
    ' ',
    '"',
    ':',
    '?1',
    '?0',
    '@',
    '-',
    '.',
    '*',
    '%"',
    '\\',
    '\0',
    'é',
    '\u{1f600}',
  ],
  ...[
    '"@method"',
    '"@path"',
    'created',
    'nonce',
    'keyid',
    'tag',
    '"auth-gateway"',
    '__proto__',
    'AAAA',
    '1',
    '999999999999999',
  ],
  ...[
    'sha-256',
    'sha-512',
    `:${'A'.repeat(43)}=:`,
    `created=${NOW_SECONDS}`,
    'sig1=("@method" "@authority" "@path" "@query")',
  ],
);
const garbage = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(word, { maxLength: 40 }).map((words) => words.join('')),
);

test('garbage is refused without an exception', () => {
  const name = fc.constantFrom('Signature', 'signature-input', 'Content-Type', 'content-digest', 'Host');
  const facts: fc.Arbitrary<RequestFacts> = fc.record({
    method: fc.oneof(fc.constant('POST'), garbage),
    authority: fc.constant(AUTHORITY),
    target: fc.oneof(fc.constant('/graphql'), garbage),
    rawHeaders: fc.array(fc.tuple(name, garbage), { maxLength: 8 }).map((lines) => lines.flat()),
    body: fc.uint8Array({ maxLength: 20 }),
  });
  fc.assert(
    fc.property(facts, (each) => verify(each).verdict !== 'accepted'),
    { numRuns: 5000 },
  );
});

test('no garbage in one place of a good request throws', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(texts)), garbage, (name, text) => {
      verify(factsOf(texts[name]?.[1](sign(), text) ?? sign()));
    }),
    { numRuns: 5000 },
  );
});

test('long texts are refused', () => {
  const long = [
    ' '.repeat(60_000),
    '"'.repeat(60_000),
    '('.repeat(60_000),
    ';a'.repeat(30_000),
    `a${' '.repeat(60_000)}\t`,
  ];
  for (const text of long) {
    for (const [, set] of Object.values(texts)) expect(verify(factsOf(set(sign(), text))).verdict).not.toBe('accepted');
  }
});
