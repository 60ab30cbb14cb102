/** Interface 2 and 9, `doctor`: whether browsers accept and send the cookie, given PUBLIC_URL and CORS_ORIGINS (RFC 6265bis). */
import { isIP } from 'node:net';
import { getDomain, getPublicSuffix } from 'tldts';
import { isLoopback } from '../config/values.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

export function checkCookie({ config }: Surroundings): Finding[] {
  const { cookie, publicUrl, corsOrigins } = config;
  const { hostname } = new URL(publicUrl);
  const isHttps = publicUrl.startsWith('https:');
  const foreign = corsOrigins.filter((origin) => siteOf(origin) !== siteOf(publicUrl));
  const domain = cookie.domain?.replace(/^\./, '').toLowerCase();
  const found: Finding[] = [];
  if (cookie.sameSite !== 'none' && foreign.length > 0) {
    const seen =
      `CORS_ORIGINS has ${foreign.join()}, which is not of the site of PUBLIC_URL: with COOKIE_SAMESITE=${cookie.sameSite} ` +
      'browsers do not send the cookie from there';
    const none = isHttps
      ? 'set COOKIE_SAMESITE=none; or '
      : 'set PUBLIC_URL to an https origin, and COOKIE_SAMESITE=none; or ';
    // Never with COOKIE_DOMAIN: every site could send requests with the cookie of many hosts.
    const advice = domain === undefined ? none : '';
    found.push(fault('cookie', seen, `${advice}serve that page from the site of PUBLIC_URL, by the same scheme`));
  }
  if (cookie.sameSite === 'none' && foreign.length === 0) {
    const seen = 'COOKIE_SAMESITE is none, which is less safe, and no origin in CORS_ORIGINS needs it';
    found.push(warning('cookie', seen, 'unset COOKIE_SAMESITE'));
  }
  if (isHttps && !cookie.secure) {
    const seen = 'PUBLIC_URL is https, but with COOKIE_SECURE=false browsers send the cookie by http too';
    found.push(warning('cookie', seen, 'unset COOKIE_SECURE'));
  }
  if (!isHttps && cookie.secure && !isLoopback(hostname)) {
    const seen =
      'PUBLIC_URL is http, and with COOKIE_SECURE=true browsers drop the cookie: sessions end with the first access token';
    found.push(fault('cookie', seen, 'set PUBLIC_URL to an https origin, with a proxy that ends TLS'));
  }
  if (!isHttps && !cookie.secure && !isLoopback(hostname)) {
    const seen = 'PUBLIC_URL is http on another machine: passwords, tokens and the cookie can be read on the network';
    found.push(
      warning('cookie', seen, 'set PUBLIC_URL to an https origin, with a proxy that ends TLS, and unset COOKIE_SECURE'),
    );
  }
  const isSuffix = domain !== undefined && domain === getPublicSuffix(domain, LIKE_BROWSERS);
  if (isSuffix && domain !== hostname) {
    const seen = `COOKIE_DOMAIN is ${domain}, a public suffix, under which anyone may have a name: browsers drop the cookie`;
    found.push(fault('cookie', seen, 'unset COOKIE_DOMAIN'));
  } else if (domain !== undefined && !isSuffix && isIP(domain) === 0 && !isLoopback(domain)) {
    const seen =
      `COOKIE_DOMAIN is ${domain}: browsers send the refresh token to every host below it, and each of these hosts can ` +
      'set a cookie that takes precedence';
    found.push(
      warning(
        'cookie',
        seen,
        'unset COOKIE_DOMAIN, unless several hosts really need the cookie; then everyone has to log in once more',
      ),
    );
  }
  if (found.length > 0) return found;
  return [ok('cookie', `SameSite=${cookie.sameSite}, ${cookie.secure ? 'Secure' : 'not Secure'}, for ${publicUrl}`)];
}

export function checkCorsOrigins({ config: { corsOrigins, isDevelopment } }: Surroundings): Finding[] {
  const local = corsOrigins.filter((origin) => isLoopback(new URL(origin).hostname));
  const seen = `CORS_ORIGINS is ${corsOrigins.join() || 'unset'}`;
  if (local.length === 0 || isDevelopment) return [ok('cors_origins', seen)];
  const what = `${seen}, in production: any program on a visitor's own machine may call with the visitor's cookie`;
  return [warning('cors_origins', what, `remove ${local.join()} from CORS_ORIGINS`)];
}

/** Browsers also treat names such as github.io as public suffixes. */
const LIKE_BROWSERS = { allowPrivateDomains: true };

/** Scheme and registrable domain, or the host if it has none. */
function siteOf(origin: string): string {
  const { protocol, hostname } = new URL(origin);
  return `${protocol}//${getDomain(hostname, LIKE_BROWSERS) ?? hostname}`;
}
