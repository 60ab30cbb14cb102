/** Request signatures (RFC 9421, RFC 9530): the vector of the RFC, what passes, and what must not. (Interface 6) */
import {
  macMatches,
  presentsSignature,
  readRequestSignature,
} from '../../src/credentials/signatures/request-signature.js';
import { buildSignatureBase, type RequestFacts } from '../../src/credentials/signatures/signature-base.js';
import { refusedCases } from '../support/independent/refused-signatures/all.js';
import {
  changed,
  headerOf,
  neededComponents,
  QUERY,
  type SignedRequest,
  type Signing,
  sha256Digest,
  sha512Digest,
  signerOf,
} from '../support/independent/signer.js';
import { AUTHORITY, factsOf, KEYS, NOW_SECONDS, verify } from '../support/independent/verify.js';

const [[keyId, secret], [otherKeyId, otherSecret]] = [...KEYS] as [[string, string], [string, string]];
const sign = signerOf({ keyId, secret, authority: AUTHORITY, nowSeconds: NOW_SECONDS });
const other = signerOf({ keyId: otherKeyId, secret: otherSecret, authority: AUTHORITY, nowSeconds: NOW_SECONDS });

describe('RFC 9421 appendix B.2.5', () => {
  const key = Buffer.from(
    'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==',
    'base64',
  );
  const request: RequestFacts = {
    method: 'POST',
    authority: 'example.com',
    target: '/foo?param=Value&Pet=dog',
    rawHeaders: [
      ...['Host', 'example.com', 'Date', 'Tue, 20 Apr 2021 02:07:55 GMT', 'Content-Type', 'application/json'],
      'Content-Digest',
      'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:',
    ],
    body: Buffer.from('{"hello": "world"}'),
  };
  const params = '("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"';
  const base = String(buildSignatureBase(['date', '@authority', 'content-type'], params, request));
  const mac = Buffer.from('pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=', 'base64');

  test('builds the signature base that the RFC prints', () => {
    expect(base).toBe(
      [
        '"date": Tue, 20 Apr 2021 02:07:55 GMT',
        '"@authority": example.com',
        '"content-type": application/json',
        `"@signature-params": ${params}`,
      ].join('\n'),
    );
  });

  test('verifies the MAC that the RFC prints, among other secrets too', () => {
    expect(macMatches({ base, mac }, [key])).toBe(true);
    expect(macMatches({ base, mac }, [key, 'another'])).toBe(true);
    expect(macMatches({ base, mac }, ['another', key])).toBe(true);
  });

  test('verifies it with no other secret, over no other base', () => {
    expect(macMatches({ base, mac }, ['another', 'secret'])).toBe(false);
    expect(macMatches({ base, mac }, [])).toBe(false);
    expect(macMatches({ base: `${base} `, mac }, [key])).toBe(false);
  });
});

describe('RFC 9421 section 2.2: derived components', () => {
  const lineOf = (name: string, target: string) => {
    const facts = { method: 'POST', authority: AUTHORITY, target, rawHeaders: [], body: Buffer.alloc(0) };
    return String(buildSignatureBase([name], '()', facts)).split('\n')[0];
  };

  test.each([
    ['/path', '/path', '?'],
    ['/path?', '/path', '?'],
    ['/path?param=value&foo=bar&baz=bat%2Dman', '/path', '?param=value&foo=bar&baz=bat%2Dman'],
    ['/path?a?b', '/path', '?a?b'],
    ['/a%2Fb/%7Euser', '/a%2Fb/%7Euser', '?'],
    ['//evil.example/path', '//evil.example/path', '?'],
    ['http://www.example.com', '/', '?'],
    ['http://www.example.com?x', '/', '?x'],
    ['HTTPS://www.example.com/path?x', '/path', '?x'],
  ])('RFC 9421, 2.2.6 and 2.2.7: of %s', (target, path, query) => {
    expect(lineOf('@path', target)).toBe(`"@path": ${path}`);
    expect(lineOf('@query', target)).toBe(`"@query": ${query}`);
  });
});

describe('Interface 6: accepted signatures', () => {
  const accepted: [name: string, changes: Partial<Signing>][] = [
    ['a body', {}],
    ['no body', { body: '' }],
    ['GET', { method: 'GET', body: '', target: '/graphql?query=%7Bcaller%7D' }],
    ['a body that is not text', { body: Buffer.from([0, 255, 254, 13, 10]), contentType: 'application/octet-stream' }],
    ['components in another order', { components: neededComponents(true).reverse() }],
    ['parameters in another order', { parameters: { created: null }, afterParameters: `;created=${NOW_SECONDS}` }],
    ['alg', { parameters: { alg: '"hmac-sha256"' } }],
    ['expires a second ahead', { parameters: { expires: `${NOW_SECONDS + 1}` } }],
    ['created 300 s ago', { nowSeconds: NOW_SECONDS - 300 }],
    ['created 60 s ahead', { nowSeconds: NOW_SECONDS + 60 }],
    ['a nonce of 22', { nonce: 'A-_0'.repeat(6).slice(2) }],
    ['a nonce of 128', { nonce: 'A-_0'.repeat(32) }],
    ['a nonce in base64', { nonce: 'abcdefghijklmnopqr+/Aw==' }],
    ['a nonce with each character that is no letter', { nonce: '+/=_.~-'.repeat(4) }],
    ['a label of 209', { label: `*${'a'.repeat(208)}` }],
    ['sha-512', { contentDigest: sha512Digest(QUERY) }],
    ['both digests', { contentDigest: `${sha512Digest(QUERY)}, ${sha256Digest(QUERY)}` }],
    ['a digest by an algorithm unknown here', { contentDigest: `md5=:AAAA:, ${sha256Digest(QUERY)}` }],
  ];

  test.each(accepted)('%s', (_, changes) => {
    expect(verify(factsOf(sign(changes))).verdict).toBe('accepted');
  });

  test('the longest of everything fits into Signature-Input', () => {
    const longest = { keyId: 'k'.repeat(64), nonce: 'n'.repeat(128), label: `*${'a'.repeat(208)}` };
    const parameters = { alg: '"hmac-sha256"', expires: '999999999999999' };
    const facts = factsOf(sign({ ...longest, parameters }));
    expect(readRequestSignature(facts, new Date(NOW_SECONDS * 1000))).toMatchObject({ kind: 'signature' });
  });

  test('times count in whole seconds', () => {
    const expires = sign({ parameters: { expires: `${NOW_SECONDS + 1}` } });
    expect(verify(factsOf(sign()), NOW_SECONDS + 300.999).verdict).toBe('accepted');
    expect(verify(factsOf(sign()), NOW_SECONDS + 301).verdict).toBe('signature_expired');
    expect(verify(factsOf(expires), NOW_SECONDS + 0.999).verdict).toBe('accepted');
    expect(verify(factsOf(expires), NOW_SECONDS + 1).verdict).toBe('signature_expired');
  });

  test('gives the facts that the caller is looked up by', () => {
    const signed = sign({ nonce: 'abcdefghijklmnopqrstuv' });
    const mac = Buffer.from(headerOf(signed, 'signature').slice('sig1=:'.length, -1), 'base64');
    expect(readRequestSignature(factsOf(signed), new Date(NOW_SECONDS * 1000))).toEqual({
      kind: 'signature',
      keyId,
      nonce: 'abcdefghijklmnopqrstuv',
      createdSeconds: NOW_SECONDS,
      base: signed.base,
      mac: new Uint8Array(mac),
      contentDigest: headerOf(signed, 'content-digest'),
    });
  });

  test('names of fields count in any case', () => {
    const signed = sign();
    const headers = signed.headers.map(([name, value]): [string, string] => [name.toUpperCase(), value]);
    expect(verify(factsOf({ ...signed, headers })).verdict).toBe('accepted');
  });
});

describe('Interface 18: signatures of a request of which only the head is known', () => {
  const headOf = (signed: SignedRequest) => ({ ...factsOf(signed), body: undefined });
  const read = (signed: SignedRequest) => readRequestSignature(headOf(signed), new Date(NOW_SECONDS * 1000));

  test('the digest is covered and given, or nothing of a body is', () => {
    const signed = sign();
    expect(read(signed)).toMatchObject({ kind: 'signature', contentDigest: headerOf(signed, 'content-digest') });
    expect(read(sign({ body: '' }))).toMatchObject({ kind: 'signature', contentDigest: undefined });
    expect(verify(headOf(signed), NOW_SECONDS).verdict).toBe('accepted');
  });

  test.each<[string, Partial<Signing>, string]>([
    ['no content-type', { components: [...neededComponents(false), '"content-digest"'] }, 'insufficient_coverage'],
    ['no content-digest', { components: [...neededComponents(false), '"content-type"'] }, 'insufficient_coverage'],
    ['no path', { components: neededComponents(true).filter((name) => name !== '"@path"') }, 'insufficient_coverage'],
    ['a digest that is none', { contentDigest: 'sha-256=x' }, 'malformed_signature'],
    ['a digest of another kind alone', { contentDigest: 'md5=:AAAAAAAAAAAAAAAAAAAAAA==:' }, 'malformed_signature'],
  ])('%s: %j is %s', (_, changes, reason) => {
    expect(read(sign(changes))).toMatchObject({ kind: 'refused', reason });
  });
});

describe('Interface 6: refused signatures', () => {
  test.each(refusedCases.map(([name, reason, make]) => [name, reason, make] as const))('%s: %s', (_, reason, make) => {
    expect(verify(factsOf(make(sign, NOW_SECONDS, other)))).toMatchObject({ verdict: reason });
  });

  test('an excessive length is reported apart from a wrong form', () => {
    const input = (length: number) => changed(sign(), 'signature-input', () => 'x'.padEnd(length, 'x'));
    expect(verify(factsOf(input(1024))).detail).not.toContain('1024');
    expect(verify(factsOf(input(1025))).detail).toContain('1024');
    const signature = (length: number) => changed(sign(), 'signature', () => 'x'.padEnd(length, 'x'));
    expect(verify(factsOf(signature(256))).detail).not.toContain('256 ');
    expect(verify(factsOf(signature(257))).detail).toContain('1024');
  });

  test('created in milliseconds is reported apart from a wrong clock', () => {
    const result = verify(factsOf(sign({ nowSeconds: NOW_SECONDS * 1000 })));
    expect(result).toMatchObject({ verdict: 'signature_expired', detail: expect.stringContaining('in seconds') });
    expect(verify(factsOf(sign({ nowSeconds: NOW_SECONDS + 61 }))).detail).not.toContain('in seconds');
  });

  test('no detail holds anything that was sent', () => {
    const details = refusedCases.map(([, , make]) => verify(factsOf(make(sign, NOW_SECONDS, other))).detail);
    expect(new Set(details).size).toBeLessThan(35);
    for (const detail of details) expect(detail).not.toMatch(/1700000000|ak_|abcdef|unknown|"bar"|\n/);
  });
});

test('a request with either field presents a signature', () => {
  expect(presentsSignature(['Host', 'a', 'SIGNATURE', ''])).toBe(true);
  expect(presentsSignature(['signature-input', 'x'])).toBe(true);
  expect(presentsSignature(['X-Signature', 'signature', 'Host', 'signature-input'])).toBe(false);
  expect(presentsSignature([])).toBe(false);
});
