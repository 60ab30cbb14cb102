/** RFC 9530: Content-Digest, over the bytes of the body as sent. */
import { createHash } from 'node:crypto';
import { readDictionary } from './http-fields.js';

/** Names of RFC 9530 section 5 that are still active, and what Node calls them. */
const ALGORITHMS = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
]);

/**
 * Compares every sha-256 and sha-512 digest of the field with the body; digests by other algorithms are passed over.
 * @param body raw bytes, before any parsing or inflating
 * @returns `malformed` where the field is no dictionary of byte sequences, or has neither of the two
 */
export function checkContentDigest(field: string, body: Uint8Array): 'matches' | 'differs' | 'malformed' {
  const dictionary = readDictionary(field);
  if (dictionary === undefined) return 'malformed';

  let compared = 0;
  let equal = 0;
  for (const [name, [digest]] of dictionary) {
    if (!(digest instanceof ArrayBuffer)) return 'malformed';
    const algorithm = ALGORITHMS.get(name);
    if (algorithm === undefined) continue;
    compared += 1;
    // Not in constant time: whoever sends the body can work out its digest.
    if (createHash(algorithm).update(body).digest().equals(Buffer.from(digest))) equal += 1;
  }
  if (compared === 0) return 'malformed';
  return equal === compared ? 'matches' : 'differs';
}
