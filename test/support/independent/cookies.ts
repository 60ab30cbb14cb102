/** Set-Cookie as a browser reads it (RFC 6265 section 5.2), independently of `src`. */
import type { Answer } from '../gateway/gateway.js';

export interface SetCookie {
  name: string;
  value: string;
  /** Attributes under their lower-case names; true for those without a value. */
  attributes: Record<string, string | true>;
}

/** Every cookie of an answer. */
export function setCookiesOf({ cookies }: Answer): SetCookie[] {
  return cookies.map(parse);
}

/** The one `refresh_token` cookie of an answer. */
export function refreshCookieOf(answer: Answer): SetCookie | undefined {
  const [cookie, ...others] = setCookiesOf(answer);
  if (others.length > 0) throw new Error('more than one Set-Cookie');
  return cookie;
}

function parse(field: string): SetCookie {
  const [pair = '', ...rest] = field.split(/;\s*/);
  const equals = pair.indexOf('=');
  const attributes = rest.map((part): [string, string | true] => {
    const at = part.indexOf('=');
    return at === -1 ? [part.toLowerCase(), true] : [part.slice(0, at).toLowerCase(), part.slice(at + 1)];
  });
  return { name: pair.slice(0, equals), value: pair.slice(equals + 1), attributes: Object.fromEntries(attributes) };
}

/** What the answer does to the browser's cookie, in the words of Spec 7. */
export function cookieAction(answer: Answer): 'unchanged' | 'cleared' | 'set' {
  const cookie = refreshCookieOf(answer);
  if (cookie === undefined) return 'unchanged';
  const expired = Number(cookie.attributes['max-age']) <= 0;
  if (expired !== (cookie.value === '')) throw new Error('neither set nor cleared');
  return expired ? 'cleared' : 'set';
}
