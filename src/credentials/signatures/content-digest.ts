/** RFC 9530: Content-Digest, over the raw bytes of the body. */
import { hash } from 'node:crypto';
import { readDictionary } from './http-fields.js';

/** The active algorithms of RFC 9530 section 5, and their names in Node. */
const ALGORITHMS = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
]);

/**
 * Compares every sha-256 and sha-512 digest of the field with the body; other algorithms are ignored.
 * @param body raw bytes, before any parsing or inflating; undefined if another program has the body and compares it
 * @returns `malformed` if the field is not a dictionary of byte sequences, or has neither algorithm
 */
export function checkContentDigest(field: string, body: Uint8Array | undefined): 'matches' | 'differs' | 'malformed' {
  const dictionary = readDictionary(field);
  if (dictionary === undefined) return 'malformed';

  let compared = 0;
  let equal = 0;
  for (const [name, [digest]] of dictionary) {
    if (!(digest instanceof ArrayBuffer)) return 'malformed';
    const algorithm = ALGORITHMS.get(name);
    if (algorithm === undefined) continue;
    compared += 1;
    // Not in constant time: the sender of the body can compute its digest.
    if (body === undefined || hash(algorithm, body, 'buffer').equals(Buffer.from(digest))) equal += 1;
  }
  if (compared === 0) return 'malformed';
  return equal === compared ? 'matches' : 'differs';
}
