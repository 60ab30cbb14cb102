/** RFC 9421 sections 2 and 3.3.3: the signature base of a request, and its HMAC. */
import { createHmac } from 'node:crypto';
import { onlyFieldValue } from './http-fields.js';

/** A request before any parsing. */
export interface RequestFacts {
  method: string;
  /** `@authority`: of the gateway's own requests the host of PUBLIC_URL, whatever `Host` a proxy sends */
  authority: string;
  /** Path and query as sent */
  target: string;
  /** Alternating names and values, as in Node, duplicates included */
  rawHeaders: readonly string[];
  /** Raw bytes, before any inflating. Undefined: only the head is known, as when a proxy asks about a request */
  body: Uint8Array | undefined;
}

/**
 * RFC 9421 section 2.5.
 * @param components names of fields and derived components, without parameters
 * @param signatureParams value of `@signature-params`
 * @returns the name of a component that has no value, several, or one that is not printable ASCII, if there is one
 */
export function buildSignatureBase(
  components: readonly string[],
  signatureParams: string,
  request: RequestFacts,
): string | { without: string } {
  const derived = derivedComponents(request);
  const lines: string[] = [];
  for (const name of components) {
    const value = name.startsWith('@') ? derived[name] : onlyFieldValue(request.rawHeaders, name);
    if (value === undefined || !PRINTABLE.test(value)) return { without: name };
    lines.push(`"${name}": ${value}`);
  }
  return [...lines, `"@signature-params": ${signatureParams}`].join('\n');
}

/** ASCII without control characters or outer space, which Node has stripped (RFC 9421 section 2.1). */
const PRINTABLE = /^[!-~](?:[ -~]*[!-~])?$/;

/** Origin or absolute form (RFC 9112 section 3.2); captures path and query as sent. */
const TARGET = /^(?:https?:\/\/[^/?#]*)?(\/[^?#]*)?(\?[^#]*)?$/i;

/** The components of RFC 9421 section 2.2 that the profile uses. */
function derivedComponents({ method, authority, target }: RequestFacts): Readonly<Record<string, string | undefined>> {
  const [whole, path = '/', query = '?'] = TARGET.exec(target) ?? [];
  return {
    '@method': method,
    '@authority': authority,
    ...(whole !== undefined && { '@path': path, '@query': query }),
  };
}

/** `hmac-sha256` of RFC 9421 section 3.3.3. @param secret bytes or ASCII text */
export function hmacSha256(secret: string | Uint8Array, base: string): Buffer {
  return createHmac('sha256', secret).update(base, 'latin1').digest();
}
