/** The media types of JSON. (Interface 5 and 7) */
import { MIMEType } from 'node:util';

/** True for `application/json`. JSON is in UTF-8 (RFC 8259 section 8.1): a charset that is named has to be that. */
export function isJsonType(contentType = ''): boolean {
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === 'application/json' && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    return false; // it is no media type
  }
}
