/** RFC 9421: signs requests to the gateway. Needs Node alone and stands alone: copy this file into your own project. */
import { createHash, createHmac, randomBytes } from 'node:crypto';

/** What `api-key create` printed. */
export interface SigningKey {
  keyId: string;
  secret: string;
  /** Host of the gateway's PUBLIC_URL, where requests are sent to it by another name; otherwise that of the URL. */
  authority?: string;
}

export interface RequestToSign extends SigningKey {
  /** As it is sent, in upper case */
  method: string;
  /** Absolute, with its query; a fragment is not sent and not signed. */
  url: string | URL;
  /** Exactly the bytes that are sent; text is UTF-8. */
  body?: string | Uint8Array;
  /** Of a body: `application/json` where left out */
  contentType?: string;
  /** When the signature is made: it is good for 300 s. */
  now?: Date;
  /** 22 to 128 characters of `A-Za-z0-9+/=_.~-`, never used before with this key: random where left out */
  nonce?: string;
}

/**
 * The headers to send with the request: `signature-input`, `signature`, and with a body `content-type` and
 * `content-digest`. They serve once: a request that is sent again is signed again.
 */
export function signRequest(request: RequestToSign): Record<string, string> {
  const { fields, params, base } = prepare(request);
  const mac = createHmac('sha256', request.secret).update(base).digest('base64');
  return { ...fields, 'signature-input': `sig1=${params}`, signature: `sig1=:${mac}:` };
}

/** The text that `signRequest` signs, to compare with what another signer made. Give both `now` and `nonce`. */
export function signatureBase(request: RequestToSign): string {
  return prepare(request).base;
}

/**
 * A `fetch` that signs, in the form that HTTP and GraphQL clients take: `const fetch = signedFetch({ keyId, secret })`.
 * Give it a `content-type` with a body, as you would `fetch`. A redirect rejects, since a signature is for one address.
 */
export function signedFetch(key: SigningKey): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = new Uint8Array(await request.arrayBuffer());
    const contentType = request.headers.get('content-type') ?? 'application/octet-stream';
    const signed = signRequest({ ...key, method: request.method, url: request.url, body, contentType });
    const headers = new Headers(request.headers);
    for (const [name, value] of Object.entries(signed)) headers.set(name, value);
    return fetch(new Request(request, { headers, redirect: 'error', ...(request.body === null ? {} : { body }) }));
  };
}

/** RFC 9421 section 2.5, with the components and parameters that the gateway asks for, and RFC 9530. */
function prepare(request: RequestToSign) {
  const { method, keyId, body = '', contentType = 'application/json' } = request;
  const { now = new Date(), nonce = randomBytes(16).toString('base64url') } = request;
  const url = new URL(request.url);
  const digest = createHash('sha256').update(body).digest('base64');
  const fields: Record<string, string> =
    body.length === 0 ? {} : { 'content-type': contentType, 'content-digest': `sha-256=:${digest}:` };
  const components = {
    '@method': method,
    '@authority': request.authority ?? url.host,
    '@path': url.pathname,
    '@query': url.search || '?',
    ...fields,
  };
  const covered = Object.keys(components).map((name) => `"${name}"`);
  const created = Math.floor(now.getTime() / 1000);
  const params = `(${covered.join(' ')});created=${created};nonce="${nonce}";keyid="${keyId}";tag="auth-gateway"`;
  const lines = Object.entries(components).map(([name, value]) => `"${name}": ${value}`);
  return { fields, params, base: [...lines, `"@signature-params": ${params}`].join('\n') };
}
