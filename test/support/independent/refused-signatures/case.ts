/** The form of a request that must be refused, for the verifier alone and for a whole gateway. */
import { changed, type Sign, type SignedRequest } from '../signer.js';

export type Reason =
  | 'signature_expired'
  | 'insufficient_coverage'
  | 'content_digest_mismatch'
  | 'malformed_signature'
  | 'invalid_signature';

/**
 * @param sign signs correctly with a live key, except for what it is given
 * @param now seconds since the epoch
 * @param other signs with another live key
 */
export type Make = (sign: Sign, now: number, other: Sign) => SignedRequest;

/** `early` marks a request that a gateway turns away before it looks at credentials: by route, JSON or Content-Type. */
export type RefusedCase = readonly [name: string, reason: Reason, make: Make, early?: 'early'];

/** `Signature-Input` changed after signing. */
export function withInput(request: SignedRequest, change: (text: string) => string): SignedRequest {
  return changed(request, 'signature-input', change);
}

/** `Signature` changed after signing. */
export function withSignature(request: SignedRequest, change: (text: string) => string): SignedRequest {
  return changed(request, 'signature', change);
}
