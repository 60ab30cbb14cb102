/** The verifier as a gateway uses it, but for the nonces: `accepted`, or the reason why not. */
import {
  macMatches,
  readRequestSignature,
  type SignatureRefusal,
} from '../../../src/credentials/signatures/request-signature.js';
import type { RequestFacts } from '../../../src/credentials/signatures/signature-base.js';
import type { SignedRequest } from './signer.js';

export const AUTHORITY = 'localhost:3000';
export const NOW_SECONDS = 1_700_000_000;
export const KEYS = new Map([
  ['ak_0000000000', 'aks_0000000000'],
  ['ak_1111111111', 'aks_1111111111'],
]);

export function factsOf({ method, target, headers, body }: SignedRequest): RequestFacts {
  return { method, target, authority: AUTHORITY, rawHeaders: headers.flat(), body };
}

export function verify(
  facts: RequestFacts,
  nowSeconds = NOW_SECONDS,
): { verdict: 'accepted' | SignatureRefusal; detail: string } {
  const read = readRequestSignature(facts, new Date(nowSeconds * 1000));
  if (read.kind === 'refused') return { verdict: read.reason, detail: read.detail };
  const secret = KEYS.get(read.keyId);
  const matches = macMatches(read, [secret ?? 'placeholder', 'aks_of_nobody']);
  return { verdict: matches && secret !== undefined ? 'accepted' : 'invalid_signature', detail: '' };
}
