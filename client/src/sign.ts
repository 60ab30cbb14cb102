/** RFC 9421: signs requests to the gateway. It needs only Node, so you can copy this file into your own project. */
import { createHash, createHmac, randomBytes } from 'node:crypto';

/** What `api-key create` printed. */
export interface SigningKey {
  keyId: string;
  secret: string;
  /** Host of the gateway's PUBLIC_URL, if you reach it by another name. Default: the host of the URL. */
  authority?: string;
}

export interface RequestToSign extends SigningKey {
  /** As sent, in upper case */
  method: string;
  /** Absolute, with its query. A fragment is neither sent nor signed. */
  url: string | URL;
  /** Exactly the bytes that are sent. Text is UTF-8. */
  body?: string | Uint8Array;
  /** Type of the body. Default: `application/json` */
  contentType?: string;
  /** Time of the signature, which is valid for 300 s */
  now?: Date;
  /** 22 to 128 characters of `A-Za-z0-9+/=_.~-`, never used before with this key. Default: random */
  nonce?: string;
}

/**
 * The headers to send with the request: `signature-input`, `signature`, and with a body `content-type` and
 * `content-digest`. They work once: sign again before you repeat a request.
 * @throws {TypeError} if the secret is none of an API key, for example because a variable is empty
 */
export function signRequest(request: RequestToSign): Record<string, string> {
  if (!request.secret.startsWith('aks_')) throw new TypeError('secret must be the secret of an API key, aks_…');
  const { fields, params, base } = prepare(request);
  const mac = createHmac('sha256', request.secret).update(base).digest('base64');
  return { ...fields, 'signature-input': `sig1=${params}`, signature: `sig1=:${mac}:` };
}

/** The text that `signRequest` signs, to compare with another signer's. Give both `now` and `nonce`. */
export function signatureBase(request: RequestToSign): string {
  return prepare(request).base;
}

/**
 * A `fetch` that signs, for HTTP and GraphQL clients: `const fetch = signedFetch({ keyId, secret })`. With a body, pass a
 * `content-type` as you would to `fetch`. A redirect rejects, since a signature is for one address.
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

/** RFC 9421 section 2.5, with the components and parameters that the gateway requires, and RFC 9530. */
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
