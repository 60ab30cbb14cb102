/** An independent signer (RFC 9421, RFC 9530), by string concatenation: shares no code with src, and can sign wrongly. */
import { createHash, createHmac, randomBytes } from 'node:crypto';

export interface SignedRequest {
  method: string;
  /** Path and query */
  target: string;
  /** Name and value of each line, in order */
  headers: [name: string, value: string][];
  body: Buffer;
  /** The text that was signed */
  base: string;
}

export interface Signing {
  keyId: string;
  secret: string | Buffer;
  /** Host of the gateway's PUBLIC_URL */
  authority: string;
  /** When it is signed: seconds since the epoch */
  nowSeconds: number;
  method: string;
  target: string;
  body: string | Buffer;
  contentType: string;
  /** Raw value of the field, over any bytes */
  contentDigest: string;
  nonce: string;
  label: string;
  /** Raw text of each covered component, such as `"@method"` or `"@method";req` */
  components: string[];
  /** Raw text of parameters, such as `{ created: '"abc"' }`; null leaves one out, a new name adds one. */
  parameters: Record<string, string | null>;
  /** Raw text after the last parameter */
  afterParameters: string;
  mac: (base: string, secret: string | Buffer) => Buffer;
}

export type Key = Pick<Signing, 'keyId' | 'secret' | 'authority' | 'nowSeconds'>;
export type Sign = (changes?: Partial<Signing>) => SignedRequest;

/** The request that every case starts from. */
export const QUERY = '{"query":"{ caller { callerType } }"}';

export function freshNonce(): string {
  return randomBytes(16).toString('hex');
}

/** Signs a well-formed `POST /graphql`, but for what `changes` says. */
export function signerOf(key: Key): Sign {
  return (changes = {}) => signByHand({ ...key, ...changes });
}

export function sha256Digest(body: string | Buffer): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}

export function sha512Digest(body: string | Buffer): string {
  return `sha-512=:${createHash('sha512').update(body).digest('base64')}:`;
}

export function hmacSha256(base: string, secret: string | Buffer): Buffer {
  return createHmac('sha256', secret).update(base).digest();
}

/** The components that the profile asks for. */
export function neededComponents(withBody: boolean): string[] {
  const always = ['"@method"', '"@authority"', '"@path"', '"@query"'];
  return withBody ? [...always, '"content-type"', '"content-digest"'] : always;
}

export function signByHand(signing: Key & Partial<Signing>): SignedRequest {
  const { keyId, secret, authority, nowSeconds, method = 'POST', target = '/graphql', label = 'sig1' } = signing;
  const body = Buffer.from(signing.body ?? QUERY);
  const headers: SignedRequest['headers'] = [];
  if (body.length > 0) {
    headers.push(['Content-Type', signing.contentType ?? 'application/json']);
    headers.push(['Content-Digest', signing.contentDigest ?? sha256Digest(body)]);
  }

  const parameters: Record<string, string | null> = {
    created: `${nowSeconds}`,
    nonce: `"${signing.nonce ?? freshNonce()}"`,
    keyid: `"${keyId}"`,
    tag: '"auth-gateway"',
    ...signing.parameters,
  };
  const components = signing.components ?? neededComponents(body.length > 0);
  let params = `(${components.join(' ')})`;
  for (const [name, text] of Object.entries(parameters)) if (text !== null) params += `;${name}=${text}`;
  params += signing.afterParameters ?? '';

  const [path = '', query] = target.split(/\?(.*)/s);
  const values: Record<string, string> = {
    '"@method"': method,
    '"@authority"': authority,
    '"@path"': path,
    '"@query"': query === undefined ? '?' : `?${query}`,
    ...Object.fromEntries(headers.map(([name, value]) => [`"${name.toLowerCase()}"`, value])),
  };
  let base = '';
  for (const component of components) base += `${component}: ${values[component] ?? ''}\n`;
  base += `"@signature-params": ${params}`;

  const mac = (signing.mac ?? hmacSha256)(base, secret).toString('base64');
  headers.push(['Signature-Input', `${label}=${params}`], ['Signature', `${label}=:${mac}:`]);
  return { method, target, headers, body, base };
}

/** One header changed: every line of that name. */
export function changed(request: SignedRequest, name: string, change: (value: string) => string): SignedRequest {
  const headers = request.headers.map(([each, value]): [string, string] => [
    each,
    each.toLowerCase() === name ? change(value) : value,
  ]);
  return { ...request, headers };
}

export function without(request: SignedRequest, name: string): SignedRequest {
  return { ...request, headers: request.headers.filter(([each]) => each.toLowerCase() !== name) };
}

/** One more header line, after the others. */
export function adding(request: SignedRequest, name: string, value: string): SignedRequest {
  return { ...request, headers: [...request.headers, [name, value]] };
}

export function headerOf(request: SignedRequest, name: string): string {
  return request.headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
}
