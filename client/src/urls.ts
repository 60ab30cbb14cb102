/** The URLs of a client's options. (Interface 13) */
import { attempt } from './environment.js';

/** True for `/`, which needs the origin of a page. */
export const isRelative = (url: string | URL): boolean => `${url}`.startsWith('/');

/**
 * @param origin of the page
 * @throws {TypeError} unless it is a URL of http or https; `localhost:3000` has the scheme `localhost`
 */
export function parseUrl(url: string | URL, origin?: string): URL {
  const parsed = attempt(() => new URL(url, isRelative(url) ? origin : undefined));
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed;
  throw new TypeError(`Not a URL of http or https: ${url}`);
}
