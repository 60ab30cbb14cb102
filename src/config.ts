/** CONTRACT 2: the environment, read and checked once. Nothing else reads it. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { LOG_LEVELS } from './platform/logger.js';

export type Config = ReturnType<typeof readConfig>;

export interface Argon2Parameters {
  memoryKib: number;
  passes: number;
  lanes: number;
}

/** Every fault found in the environment, one clear line each; values are never repeated. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
  }
}

type Environment = Record<string, string | undefined>;

const YEAR_SECONDS = 31_536_000;

/**
 * Reads the configuration of CONTRACT 2. An empty variable counts as unset.
 * @throws {ConfigError} with every fault at once
 */
export function readConfig(env: Environment) {
  const faults: string[] = [];
  const fault = (variable: string, message: string): void => void faults.push(`${variable}: ${message}`);

  /** The variable's value by `schema`, else the fallback; a fault also yields the fallback, to go on looking. */
  const read = <T>(variable: string, schema: z.ZodType<T, string>, fallback: T): T => {
    const text = env[variable];
    if (text === undefined || text === '') return fallback;
    const parsed = schema.safeParse(text);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) fault(variable, issue.message);
    return fallback;
  };

  const port = read('PORT', wholeNumber(1, 65_535), 3000);
  const metricsPort = read('METRICS_PORT', wholeNumber(1, 65_535), undefined);
  const publicUrl = read('PUBLIC_URL', httpOrigin, new URL(`http://localhost:${port}`));
  const dataDir = resolve(read('DATA_DIR', z.string(), './data'));
  const https = publicUrl.protocol === 'https:';
  const secure = read('COOKIE_SECURE', trueOrFalse, https);
  const sameSite = read('COOKIE_SAMESITE', oneOf('strict', 'lax', 'none'), 'strict');
  const production = env['NODE_ENV'] === 'production';

  if (!https && !env['COOKIE_SECURE'] && !isLoopback(publicUrl)) {
    fault('COOKIE_SECURE', 'must be set, because PUBLIC_URL is http on a host other than this machine');
  }
  if (metricsPort === port) fault('METRICS_PORT', 'must be another than PORT');
  if (sameSite === 'none' && !secure) {
    fault('COOKIE_SAMESITE', 'none needs COOKIE_SECURE, or browsers drop the cookie');
  }

  const config = {
    host: read('HOST', hostOrAddress, '127.0.0.1'),
    port,
    metricsHost: read('METRICS_HOST', hostOrAddress, '127.0.0.1'),
    /** Undefined: `/metrics` is on the public port. */
    metricsPort,
    /** Issuer of every token; without a slash at its end */
    publicUrl: publicUrl.origin,
    /** `@authority` of signatures: with the port where it is not the scheme's own */
    publicAuthority: publicUrl.host,
    dataDir,
    /** Undefined: PostgreSQL is embedded in `dataDir`. */
    databaseUrl: read('DATABASE_URL', urlOf('postgres:', 'postgresql:'), undefined),
    /** Undefined: rate limits live in PostgreSQL. */
    redisUrl: read('REDIS_URL', urlOf('redis:', 'rediss:', 'valkey:', 'valkeys:'), undefined),
    keyringFile: resolve(read('KEYRING_FILE', z.string(), `${dataDir}/keyring.json`)),
    accessTokenSeconds: read('ACCESS_TOKEN_TTL_SECONDS', wholeNumber(1, YEAR_SECONDS), 900),
    refreshTokenSeconds: read('REFRESH_TOKEN_TTL_SECONDS', wholeNumber(1, YEAR_SECONDS), 1_209_600),
    jwtAudience: read('JWT_AUDIENCE', z.string(), publicUrl.origin),
    login: {
      maxFailures: read('LOGIN_MAX_FAILURES', wholeNumber(1, 1_000_000), 5),
      lockoutSeconds: read('LOGIN_LOCKOUT_SECONDS', wholeNumber(1, YEAR_SECONDS), 900),
      rateLimit: read('LOGIN_RATE_LIMIT', wholeNumber(1, 1_000_000), 5),
      rateWindowSeconds: read('LOGIN_RATE_WINDOW_SECONDS', wholeNumber(1, YEAR_SECONDS), 900),
    },
    /** Requests a minute to refresh and logout per client address; undefined: no limit */
    sessionRateLimit: read('SESSION_RATE_LIMIT', wholeNumber(1, 1_000_000), undefined),
    cookie: { secure, sameSite, domain: read('COOKIE_DOMAIN', domainName, undefined) },
    /** CIDRs of proxies whose X-Forwarded-For is believed */
    trustProxy: read('TRUST_PROXY', listOf(cidr), []),
    /** Exact origins that may call with credentials */
    corsOrigins: read('CORS_ORIGINS', listOf(httpOrigin), []).map((url) => url.origin),
    argon2: {
      memoryKib: read('ARGON2_MEMORY_KIB', wholeNumber(19_456, 4_194_304, OWASP), 19_456),
      passes: read('ARGON2_PASSES', wholeNumber(2, 100, OWASP), 2),
      lanes: read('ARGON2_LANES', wholeNumber(1, 64, OWASP), 1),
    },
    auditRetentionDays: read('AUDIT_RETENTION_DAYS', wholeNumber(1, 36_500), 365),
    logLevel: read('LOG_LEVEL', oneOf(...LOG_LEVELS), 'info'),
    /** Both are for development */
    graphql: { explorer: !production, introspection: read('GRAPHQL_INTROSPECTION', trueOrFalse, !production) },
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

const OWASP = ' (the OWASP minimum is m=19456, t=2, p=1)';

function wholeNumber(least: number, most: number, why = ''): z.ZodType<number, string> {
  const message = `must be a whole number from ${least} to ${most}${why}`;
  return z
    .string()
    .regex(/^\d{1,10}$/, message)
    .transform(Number)
    .refine((number) => number >= least && number <= most, message);
}

const trueOrFalse = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

function oneOf<const T extends string>(...names: T[]): z.ZodType<T, string> {
  return z
    .string()
    .transform((text) => names.find((name) => name === text.toLowerCase()))
    .refine((name) => name !== undefined, `must be one of ${names.join(', ')}`);
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

const httpOrigin = z
  .string()
  .transform(parseUrl)
  .refine(
    (url): url is URL =>
      url !== undefined &&
      /^https?:$/.test(url.protocol) &&
      `${url.username}${url.password}${url.search}${url.hash}` === '' &&
      url.pathname === '/',
    'must be an origin such as https://auth.example.com, without path, query or credentials',
  );

function urlOf(...protocols: string[]): z.ZodType<string, string> {
  return z
    .string()
    .refine(
      (text) => protocols.includes(parseUrl(text)?.protocol ?? ''),
      `must be a URL that starts with ${protocols.join('// or ')}//`,
    );
}

const DOMAIN = /^\.?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const domainName = z.string().regex(DOMAIN, 'must be a domain name');
const hostOrAddress = z
  .string()
  .refine((text) => isIP(text) !== 0 || DOMAIN.test(text), 'must be an IP address or a host name');

const cidr = z.string().refine(isCidr, 'must be a list of CIDRs such as 10.0.0.0/8,::1/128');

/** An address or a network in its usual form; the old short and octal forms of IPv4 (`10`, `0177.0.0.1`) are none. */
function isCidr(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && Number(prefix) <= bits;
}

function listOf<T>(item: z.ZodType<T, string>): z.ZodType<T[], string> {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item));
}

function isLoopback(url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback';
}
