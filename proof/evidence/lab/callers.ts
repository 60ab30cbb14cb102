/** Callers of `/graphql`, as they present themselves (Interface 6). */
import { type SignedRequest, signerOf } from '../../../test/support/independent/signer.js';
import { type Answer, ask } from './browser.js';
import { type Gateways, PUBLIC_URL } from './gateways.js';

const QUERY = JSON.stringify({ query: '{ caller { callerType } }' });

export interface ApiKey {
  key_id: string;
  secret: string;
}

/** @param rateLimit requests a minute */
export function createApiKey({ cli }: Gateways, rateLimit: number): Promise<ApiKey> {
  const limit = ['--rate-limit', String(rateLimit)];
  return cli<ApiKey>('api-key', 'create', '--service', 'evidence', '--scope', 'a:b', ...limit);
}

/** @returns the value of `X-Internal-Key` */
export async function createCronKey({ cli }: Gateways): Promise<string> {
  const words = ['cron-key', 'create', '--service', 'evidence', '--scope', 'a:b'];
  return (await cli<{ header_value: string }>(...words)).header_value;
}

/** Signs who is calling, at this moment; with a fresh nonce, unless `changes` has one. */
export function signAs({ key_id: keyId, secret }: ApiKey, changes: { nonce?: string } = {}): SignedRequest {
  const nowSeconds = Math.floor(Date.now() / 1000);
  return signerOf({ keyId, secret, authority: new URL(PUBLIC_URL).host, nowSeconds })({ body: QUERY, ...changes });
}

export function sendSigned(url: string, { target, headers, body }: SignedRequest): Promise<Answer> {
  return ask(url, target, { headers, body: new Uint8Array(body) });
}

/** Asks who is calling, by other credentials than a signature. */
export function askAs(url: string, credentials: Record<string, string>): Promise<Answer> {
  return ask(url, '/graphql', { headers: { 'content-type': 'application/json', ...credentials }, body: QUERY });
}

/** @param token an access token */
export function mutate(url: string, token: string, query: string, input: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return ask(url, '/graphql', { headers, body: JSON.stringify({ query, variables: { input } }) });
}
