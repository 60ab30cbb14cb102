/** RFC 9421 as `client/src/sign.ts` does it in Node, by WebCrypto: signs `POST /graphql` with an API key. */
const PATH = '/graphql';

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const base64 = (bytes: ArrayBuffer): string => btoa(String.fromCharCode(...new Uint8Array(bytes)));

/**
 * @param body as sent, of type `application/json`
 * @returns headers that work once
 * @throws {TypeError} if the secret is none of an API key
 * @throws {Error} if the page is neither https nor localhost, where browsers have no WebCrypto
 */
export async function signatureHeaders(
  keyId: string,
  secret: string,
  body: string,
  authority: string,
): Promise<Record<string, string>> {
  if (!secret.startsWith('aks_')) throw new TypeError('The secret of an API key begins with aks_.');
  const subtle: SubtleCrypto | undefined = crypto.subtle;
  if (subtle === undefined) throw new Error('The browser signs only on pages of https or localhost.');
  const digest = `sha-256=:${base64(await subtle.digest('SHA-256', bytesOf(body)))}:`;
  const covered: Record<string, string> = {
    '@method': 'POST',
    '@authority': authority,
    '@path': PATH,
    '@query': '?',
    'content-type': 'application/json',
    'content-digest': digest,
  };
  const names = Object.keys(covered).map((name) => `"${name}"`);
  const created = Math.floor(Date.now() / 1000);
  const nonce = crypto.randomUUID();
  const params = `(${names.join(' ')});created=${created};nonce="${nonce}";keyid="${keyId}";tag="auth-gateway"`;
  const lines = Object.entries(covered).map(([name, value]) => `"${name}": ${value}`);
  const base = [...lines, `"@signature-params": ${params}`].join('\n');
  const key = await subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const mac = base64(await subtle.sign('HMAC', key, bytesOf(base)));
  return { 'content-digest': digest, 'signature-input': `sig1=${params}`, signature: `sig1=:${mac}:` };
}
