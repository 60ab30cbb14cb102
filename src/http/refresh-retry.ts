/** The request field `Refresh-Retry`, a dictionary of byte sequences. (Interface 12, RFC 9651 sections 3.2 and 3.3.5) */
import { hash } from 'node:crypto';
import type { Request } from 'express';
import { type Dictionary, parseDictionary } from 'structured-headers';
import type { RetryKeys } from '../auth/retries.js';
import type { Config } from '../config/config.js';
import { fieldValues } from '../credentials/signatures/http-fields.js';

const KEY_BYTES = 32;
/** Three times the length of both members; a longer field is ignored. */
const CHARACTERS = 512;

/** Reads only the hashes of the keys, which are secrets. Undefined without `this`, or if REFRESH_RETRY is off. Other members are ignored. */
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

/** Null if the member is not a key. */
function sha256OfKey(dictionary: Dictionary, name: string): Uint8Array | null {
  const [value] = dictionary.get(name) ?? [];
  if (!(value instanceof ArrayBuffer) || value.byteLength !== KEY_BYTES) return null;
  return hash('sha256', new Uint8Array(value), 'buffer');
}
