/** `doctor`: variables that are valid, but unwise, whether browsers send the cookie, and the limits of logins. (Interface 2 and 9) */
import { isIP } from 'node:net';
import { getDomain, getPublicSuffix } from 'tldts';
import { judgeOf, type LoginLimit, readLoginLimit } from '../admin/login-limit.js';
import type { Config, ConfigWarning } from '../config/config.js';
import { isLoopback } from '../config/values.js';
import { numberOf } from '../platform/number-of.js';
import type { LoginPolicy } from '../rate-limits/login-policy.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

/** Shows the warnings that the start has logged for one check, or that there are none. */
function logged(check: ConfigWarning['check'], fine: (config: Config) => string) {
  return ({ config }: Surroundings): Finding[] => {
    const found = config.warnings.filter((one) => one.check === check);
    return found.length > 0
      ? found.map(({ reason, remedy }) => warning(check, reason, remedy))
      : [ok(check, fine(config))];
  };
}

export const checkConfiguration = logged('configuration', () => 'every variable is valid, and none is misspelt');

export const checkListenHost = logged(
  'listen_host',
  ({ host, publicUrl }) => `LISTEN_HOST is ${host}, and PUBLIC_URL is ${publicUrl}`,
);

export const checkUnknownProxy = logged(
  'proxy_unknown',
  ({ publicUrl, trustProxy }) => `PUBLIC_URL is ${publicUrl}, and TRUST_PROXY is ${trustProxy.join() || 'unset'}`,
);

/** A stolen access token stays valid until it expires, whatever is done: seconds. */
const LONG_ACCESS_SECONDS = 3_600;

export function checkLifetimes({ config: { accessTokenSeconds, refreshTokenSeconds } }: Surroundings): Finding[] {
  const seen = `access tokens are valid for ${accessTokenSeconds} s, unused sessions for ${refreshTokenSeconds} s`;
  if (refreshTokenSeconds < accessTokenSeconds) {
    const what = `${seen}: a session ends before its first refresh is due`;
    return [fault('token_lifetimes', what, 'unset ACCESS_TOKEN_TTL_SECONDS and REFRESH_TOKEN_TTL_SECONDS')];
  }
  if (accessTokenSeconds <= LONG_ACCESS_SECONDS) return [ok('token_lifetimes', seen)];
  const what = `${seen}, and an access token cannot be revoked`;
  return [warning('token_lifetimes', what, 'unset ACCESS_TOKEN_TTL_SECONDS; clients refresh by themselves')];
}

const TOO_QUIET = ['silent', 'fatal', 'error'];

export function checkLogLevel({ config: { logLevel } }: Surroundings): Finding[] {
  const seen = `LOG_LEVEL is ${logLevel}`;
  if (!TOO_QUIET.includes(logLevel)) return [ok('log_level', seen)];
  return [warning('log_level', `${seen}: neither warnings nor requests are logged`, 'set LOG_LEVEL=info')];
}

/** A network larger than the largest private one cannot be only proxies: bits of its prefix. */
const LEAST_BITS = { ipv4: 8, ipv6: 7 };

export function checkTrustedProxies({ config: { trustProxy } }: Surroundings): Finding[] {
  const wide = trustProxy.filter((cidr) => {
    const [address = '', prefix] = cidr.split('/');
    return prefix !== undefined && Number(prefix) < LEAST_BITS[address.includes(':') ? 'ipv6' : 'ipv4'];
  });
  if (trustProxy.length === 0) return [ok('trust_proxy', 'TRUST_PROXY is unset')];
  if (wide.length === 0) {
    return [ok('trust_proxy', `X-Forwarded-For is trusted from ${numberOf(trustProxy.length, 'network')}`)];
  }
  const seen = `TRUST_PROXY has ${wide.join()}: nearly anyone can forge an address by X-Forwarded-For, and is never limited`;
  return [fault('trust_proxy', seen, 'set TRUST_PROXY to the addresses of your proxies only')];
}

/** Whether browsers accept and send the cookie, given PUBLIC_URL and CORS_ORIGINS (RFC 6265bis). */
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

/** Limits from here on are for trying things out. */
const LOOSE = { rateLimit: 1_000, maxFailures: 100 };

export async function checkLoginLimits({ config, isGateway }: Surroundings): Promise<Finding[]> {
  const limit = isGateway ? undefined : await readLoginLimit(config);
  const seen = describe(config, limit);
  const { rateLimit } = limit ?? config.login;
  const loose = [
    ...(rateLimit >= LOOSE.rateLimit ? ['LOGIN_RATE_LIMIT'] : []),
    ...(config.login.maxFailures >= LOOSE.maxFailures ? ['LOGIN_MAX_FAILURES'] : []),
  ];
  const found: Finding[] = [];
  if (limit !== undefined && !isSame(limit, config.login)) {
    const own = `here LOGIN_RATE_LIMIT is ${config.login.rateLimit}, and LOGIN_RATE_WINDOW_SECONDS ${config.login.rateWindowSeconds}`;
    const remedy = 'run doctor with the variables of that gateway, since other findings depend on them too';
    found.push(warning('login_limits', `${seen}; ${own}`, remedy));
  }
  if (loose.length > 0 && !config.isDevelopment) {
    found.push(warning('login_limits', `${seen}: passwords can be guessed`, `unset ${loose.join(' and ')}`));
  }
  return found.length > 0 ? found : [ok('login_limits', seen)];
}

function isSame(one: LoginPolicy, other: LoginPolicy): boolean {
  return one.rateLimit === other.rateLimit && one.rateWindowSeconds === other.rateWindowSeconds;
}

/** @param limit undefined in the gateway itself */
function describe({ knownDevices, login }: Config, limit: LoginLimit | undefined): string {
  const { rateLimit, rateWindowSeconds } = limit ?? login;
  const ofAddress = `an address, such as that of a whole office, may log in ${rateLimit} times in ${rateWindowSeconds} s`;
  const whom = knownDevices
    ? 'for strangers alone (KNOWN_DEVICES=on)'
    : 'for its owner too, so anybody can lock it (KNOWN_DEVICES=on is recommended)';
  const ofAccount = `${login.maxFailures} wrong passwords lock an account for ${login.lockoutSeconds} s, ${whom}`;
  if (limit === undefined) return `${ofAddress} (LOGIN_RATE_LIMIT), and ${ofAccount}`;
  return `by ${judgeOf(limit)}, ${ofAddress}; by this shell's LOGIN_MAX_FAILURES, ${ofAccount}`;
}
