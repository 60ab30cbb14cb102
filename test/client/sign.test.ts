/** The client that users copy, against the verifier and against the signer made by hand. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { signatureBase, signedFetch, signRequest } from '../../client/src/sign.js';
import type { RequestFacts } from '../../src/credentials/signatures/signature-base.js';
import { neededComponents, signByHand } from '../support/independent/signer.js';
import { AUTHORITY, KEYS, NOW_SECONDS, verify } from '../support/independent/verify.js';

const [[keyId, secret]] = [...KEYS] as [[string, string]];
const now = new Date(NOW_SECONDS * 1000);
const key = { keyId, secret, now };

/** What Node makes of a request that was sent to the URL with these headers. */
function arrived(
  method: string,
  url: string,
  headers: Record<string, string>,
  body: string | Uint8Array,
): RequestFacts {
  const { pathname, search } = new URL(url);
  const rawHeaders = Object.entries(headers).flat();
  return { method, authority: AUTHORITY, target: pathname + search, rawHeaders, body: Buffer.from(body) };
}

describe('signRequest', () => {
  const url = fc.webUrl({ withQueryParameters: true, withFragments: true }).map((text) => {
    const { pathname, search, hash } = new URL(text);
    return `http://${AUTHORITY}${pathname}${search}${hash}`;
  });
  const body = fc.oneof(fc.uint8Array(), fc.string(), fc.string({ unit: 'binary' }));

  test('is accepted with any URL, method and body', () => {
    fc.assert(
      fc.property(url, fc.constantFrom('GET', 'POST', 'DELETE'), body, (to, method, content) => {
        const headers = signRequest({ ...key, method, url: to, body: content });
        expect(verify(arrived(method, to, headers, content)).verdict).toBe('accepted');
      }),
    );
  });

  test('signs what the signer made by hand signs', () => {
    fc.assert(
      fc.property(url, body, fc.stringMatching(/^[\w+/=.~-]{22,128}$/), (to, content, nonce) => {
        const request = { ...key, method: 'POST', url: to, body: content, nonce, contentType: 'text/plain' };
        const byHand = signByHand({
          ...{ keyId, secret, nonce, authority: AUTHORITY, nowSeconds: NOW_SECONDS, contentType: 'text/plain' },
          target: new URL(to).pathname + new URL(to).search,
          body: Buffer.from(content),
          components: neededComponents(content.length > 0),
        });
        const lowerCase = byHand.headers.map(([name, value]) => [name.toLowerCase(), value]);
        expect(signRequest(request)).toEqual(Object.fromEntries(lowerCase));
        expect(signatureBase(request)).toBe(byHand.base);
      }),
    );
  });

  test('takes a nonce of its own each time', () => {
    const nonces = [1, 2].map(() => signRequest({ ...key, method: 'GET', url: 'http://a' })['signature-input']);
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  test('can be sent to the gateway under another name', () => {
    const url = 'http://10.0.0.1:8080/graphql';
    const headers = signRequest({ ...key, method: 'POST', url, body: '{}', authority: AUTHORITY });
    expect(verify(arrived('POST', url, headers, '{}')).verdict).toBe('accepted');
    expect(verify(arrived('POST', url, signRequest({ ...key, method: 'POST', url, body: '{}' }), '{}')).verdict).toBe(
      'invalid_signature',
    );
  });

  test('leaves the port of the scheme out of the authority, as RFC 9421 section 2.2.3 wants', () => {
    expect(signatureBase({ ...key, method: 'GET', url: 'HTTPS://Example.COM:443/' })).toContain(
      '"@authority": example.com\n',
    );
  });
});

describe('signedFetch', () => {
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      if (request.url === '/redirect') return response.writeHead(307, { location: '/graphql' }).end();
      const facts = await factsOf(request);
      return response.end(JSON.stringify({ ...verify(facts, Date.now() / 1000), body: String(facts.body) }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => server.close());

  async function factsOf(request: IncomingMessage): Promise<RequestFacts> {
    const { method = '', url: target = '', rawHeaders } = request;
    return { method, target, rawHeaders, authority: AUTHORITY, body: await buffer(request) };
  }

  const fetchSigned = signedFetch({ keyId, secret, authority: AUTHORITY });
  const json = { 'content-type': 'application/json' };

  test.each<[string, RequestInit, string]>([
    ['no body', {}, ''],
    ['text', { method: 'post', body: '{"é":1}', headers: json }, '{"é":1}'],
    ['text without a type', { method: 'POST', body: 'x' }, 'x'],
    ['bytes', { method: 'POST', body: Buffer.from('x') }, 'x'],
    ['an empty body', { method: 'POST', body: '' }, ''],
    ['a form', { method: 'PUT', body: new URLSearchParams({ a: '1' }) }, 'a=1'],
    ['a stream', { method: 'POST', body: new Blob(['x']).stream(), duplex: 'half' } as RequestInit, 'x'],
  ])('signs %s', async (_, init, body) => {
    const response = await fetchSigned(`${origin}/a%20b?q=%7e`, init);
    expect(await response.json()).toMatchObject({ verdict: 'accepted', body });
  });

  test('signs a Request', async () => {
    const request = new Request(`${origin}/graphql`, { method: 'POST', body: '{}', headers: json });
    expect(await (await fetchSigned(request)).json()).toMatchObject({ verdict: 'accepted', body: '{}' });
  });

  test('does not follow a redirect, since the signature is for one address', async () => {
    await expect(fetchSigned(`${origin}/redirect`)).rejects.toThrow();
  });

  test('heeds the signal of its caller', async () => {
    await expect(fetchSigned(origin, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });
});
