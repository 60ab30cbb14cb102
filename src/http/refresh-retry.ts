/** Interface 12: the request field `Refresh-Retry`, a dictionary of byte sequences (RFC 9651 sections 3.2 and 3.3.5). */
import { hash } from 'node:crypto';
import type { Request } from 'express';
import { type Dictionary, parseDictionary } from 'structured-headers';
import type { RetryKeys } from '../auth/retries.js';
import type { Config } from '../config/config.js';
import { fieldValues } from '../credentials/signatures/http-fields.js';

const KEY_BYTES = 32;
/** Room for both members three times over; what is longer is not read. */
const CHARACTERS = 512;

/**
 * What reads the keys of a request: their hashes alone, since a key is a secret. It gives undefined where there is no
 * `this`; where REFRESH_RETRY is off, always. What else the field holds is passed over.
 */
export function retryKeysReader({ refreshRetry }: Config): (req: Request) => RetryKeys | undefined {
  if (!refreshRetry) return () => undefined;
  return ({ rawHeaders }) => {
    const text = fieldValues(rawHeaders, 'refresh-retry').join(', ');
    if (text === '' || text.length > CHARACTERS) return undefined;
    const dictionary = readDictionary(text);
    const current = sha256OfKey(dictionary, 'this');
    return current === null ? undefined : { current, previous: sha256OfKey(dictionary, 'previous') };
  };
}

function readDictionary(text: string): Dictionary {
  try {
    return parseDictionary(text);
  } catch {
    return new Map();
  }
}

/** Null for a member that is no key. */
function sha256OfKey(dictionary: Dictionary, name: string): Uint8Array | null {
  const [value] = dictionary.get(name) ?? [];
  if (!(value instanceof ArrayBuffer) || value.byteLength !== KEY_BYTES) return null;
  return hash('sha256', new Uint8Array(value), 'buffer');
}
