/** The media types of JSON. (Interface 5 and 7) */
import { MIMEType } from 'node:util';
import { remembering } from './remembering.js';

/** Clients write it in few ways. */
const MAX_REMEMBERED = 100;

const known = remembering<boolean>(MAX_REMEMBERED);

/** True for `application/json`. JSON is in UTF-8 (RFC 8259 section 8.1): a charset that is named has to be that. */
export function isJsonType(contentType = ''): boolean {
  return known(contentType, () => isJson(contentType));
}

function isJson(contentType: string): boolean {
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === 'application/json' && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    return false; // it is no media type
  }
}
