/** Whether a body is the one that was signed, according to the claims of the assertion. */
import { createHash } from 'node:crypto';
import type { JWTPayload } from 'jose';

/** @param bytes as they arrived, before anything inflates or parses them */
export function isSignedBody(claims: JWTPayload, bytes: Uint8Array): boolean {
  if (claims['body'] === '-') return true; // nobody has signed it: a user or a cron job calls
  if (claims['body'] === 'none') return bytes.length === 0;
  const digests = [...String(claims['content_digest']).matchAll(/(?:^|, )sha-(256|512)=:([\w+/=]*):/g)];
  const isRight = ([, bits, digest]: string[]) => createHash(`sha${bits}`).update(bytes).digest('base64') === digest;
  return claims['body'] === 'digest' && digests.length > 0 && digests.every(isRight);
}
