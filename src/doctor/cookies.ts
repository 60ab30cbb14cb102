/** Interface 2 and 9, `doctor`: the cookie beside PUBLIC_URL and CORS_ORIGINS, as browsers take it (RFC 6265bis). */
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
      `CORS_ORIGINS has ${foreign.join()}, of another site than PUBLIC_URL: with COOKIE_SAMESITE=${cookie.sameSite} no ` +
      'browser sends the cookie from there';
    const none = isHttps
      ? 'set COOKIE_SAMESITE=none; or '
      : 'set PUBLIC_URL to an https origin, and COOKIE_SAMESITE=none; or ';
    // Never beside COOKIE_DOMAIN: the cookie of many hosts would go with the requests of every site.
    const cure = domain === undefined ? none : '';
    found.push(fault('cookie', seen, `${cure}serve that page from the site of PUBLIC_URL, by the same scheme`));
  }
  if (cookie.sameSite === 'none' && foreign.length === 0) {
    const seen =
      'COOKIE_SAMESITE is none, and no origin of CORS_ORIGINS is of another site: less safe, and for nothing';
    found.push(warning('cookie', seen, 'unset COOKIE_SAMESITE: strict by default'));
  }
  if (isHttps && !cookie.secure) {
    const seen = 'PUBLIC_URL is https, and with COOKIE_SECURE=false browsers send the cookie by http too';
    found.push(warning('cookie', seen, 'unset COOKIE_SECURE'));
  }
  if (!isHttps && cookie.secure && !isLoopback(hostname)) {
    const seen =
      'PUBLIC_URL is http, and with COOKIE_SECURE=true browsers drop the cookie: no session outlives 15 minutes';
    found.push(fault('cookie', seen, 'set PUBLIC_URL to an https origin, with a proxy that ends TLS'));
  }
  if (!isHttps && !cookie.secure && !isLoopback(hostname)) {
    const seen = 'PUBLIC_URL is http on another machine: passwords, tokens and the cookie can be read on the way';
    found.push(
      warning('cookie', seen, 'set PUBLIC_URL to an https origin, with a proxy that ends TLS, and unset COOKIE_SECURE'),
    );
  }
  const isSuffix = domain !== undefined && domain === getPublicSuffix(domain, LIKE_BROWSERS);
  if (isSuffix && domain !== hostname) {
    const seen = `COOKIE_DOMAIN is ${domain}, under which anybody may have a name: browsers drop the cookie`;
    found.push(fault('cookie', seen, 'unset COOKIE_DOMAIN'));
  } else if (domain !== undefined && !isSuffix && isIP(domain) === 0 && !isLoopback(domain)) {
    const seen =
      `COOKIE_DOMAIN is ${domain}: browsers send the refresh token to every host below it, and each of these hosts can ` +
      'put a cookie of its own in front';
    found.push(
      warning(
        'cookie',
        seen,
        'unset COOKIE_DOMAIN, unless several hosts really need the cookie; everybody then logs in once more',
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
  const what = `${seen}, in production: whatever runs on a visitor's own machine may call with the visitor's cookie`;
  return [warning('cors_origins', what, `take ${local.join()} out of CORS_ORIGINS`)];
}

/** Names such as github.io are public suffixes to browsers, too. */
const LIKE_BROWSERS = { allowPrivateDomains: true };

/** Scheme and registrable domain, or the host where it has none. */
function siteOf(origin: string): string {
  const { protocol, hostname } = new URL(origin);
  return `${protocol}//${getDomain(hostname, LIKE_BROWSERS) ?? hostname}`;
}
