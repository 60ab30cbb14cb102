/** Interface 2: the environment, read and checked once. Nothing else reads it. */
import { resolve } from 'node:path';
import * as z from 'zod';
import { LOG_LEVELS } from '../platform/logger.js';
import { createReader, type Environment } from './environment.js';
import { redisUrl } from './redis-url.js';
import {
  corsOrigin,
  coversHost,
  databaseUrl,
  domainName,
  hostOrAddress,
  httpOrigin,
  isLoopback,
  listOf,
  OWASP,
  oneOf,
  proxyCidr,
  trueOrFalse,
  wholeNumber,
} from './values.js';

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

const YEAR_SECONDS = 31_536_000;

/**
 * Reads the configuration of Interface 2. An empty variable counts as unset.
 * @throws {ConfigError} with every fault at once
 */
export function readConfig(env: Environment) {
  const { read, readOrFile, isGiven, fault, faults, misspelt } = createReader(env);

  const port = read('PORT', wholeNumber(1, 65_535), 3000);
  const metricsPort = read('METRICS_PORT', wholeNumber(1, 65_535), undefined);
  const publicUrl = read('PUBLIC_URL', httpOrigin, new URL(`http://localhost:${port}`));
  const dataDir = resolve(read('DATA_DIR', z.string(), './data'));
  const https = publicUrl.protocol === 'https:';
  const secure = read('COOKIE_SECURE', trueOrFalse, https);
  const sameSite = read('COOKIE_SAMESITE', oneOf('strict', 'lax', 'none'), 'strict');
  const cookieDomain = read('COOKIE_DOMAIN', domainName, undefined);
  const isHere = isLoopback(publicUrl.hostname);
  const isDevelopment = read('NODE_ENV', z.string(), '') !== 'production' && isHere;
  const database = readOrFile('DATABASE_URL', databaseUrl, 'embedded');

  if (!https && !isGiven('COOKIE_SECURE') && !isHere) {
    fault('COOKIE_SECURE', 'must be set, because PUBLIC_URL is http on a host other than this machine');
  }
  if (metricsPort === port) fault('METRICS_PORT', 'must be another than PORT');
  // Browsers take http on their own machine for secure; elsewhere they drop a Secure cookie that comes by http.
  if (sameSite === 'none' && !https && !isHere) {
    fault('COOKIE_SAMESITE', 'none needs a PUBLIC_URL with https, or browsers drop the cookie');
  } else if (sameSite === 'none' && !secure) {
    fault('COOKIE_SAMESITE', 'none needs COOKIE_SECURE=true, or browsers drop the cookie');
  }
  if (cookieDomain !== undefined && !coversHost(cookieDomain, publicUrl.hostname)) {
    fault('COOKIE_DOMAIN', 'must be the host of PUBLIC_URL or a domain above it, or browsers drop the cookie');
  }
  if (!isDevelopment && !isGiven('DATABASE_URL', 'DATABASE_URL_FILE')) {
    fault(
      'DATABASE_URL',
      'must be set in production, which is where NODE_ENV is production or PUBLIC_URL is of another host: ' +
        'DATABASE_URL=postgresql://… for a database of your own, or DATABASE_URL=embedded',
    );
  }

  const host = read('LISTEN_HOST', hostOrAddress, '127.0.0.1');
  const isOpen = isDevelopment && !isLoopback(host);
  const open = 'LISTEN_HOST lets other machines in, and PUBLIC_URL says development, with explorer: set PUBLIC_URL';

  const trustProxy = read('TRUST_PROXY', listOf(proxyCidr), []);
  const isProxyUnknown = https && trustProxy.length === 0;
  const unknownProxy =
    'PUBLIC_URL is https and TRUST_PROXY is unset: whoever comes by the proxy that ends TLS has its address, and all ' +
    'share one login limit. Set TRUST_PROXY to the address that it connects from';

  const config = {
    /** Where errors may say what is wrong with the configuration */
    isDevelopment,
    host,
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
    databaseUrl: database === 'embedded' ? undefined : database,
    databasePooler: read('DATABASE_POOLER', oneOf('none', 'transaction'), 'none'),
    /** Undefined: rate limits live in PostgreSQL. */
    redis: readOrFile('REDIS_URL', redisUrl, undefined),
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
    /** Refreshes a minute of one session */
    refreshRateLimit: read('REFRESH_RATE_LIMIT', wholeNumber(1, 1_000_000), 60),
    /** Interface 12: a refresh may prove that it is a retry */
    refreshRetry: read('REFRESH_RETRY', trueOrFalse, false),
    cookie: { secure, sameSite, domain: cookieDomain },
    /** CIDRs of proxies whose X-Forwarded-For is believed */
    trustProxy,
    /** Exact origins that may call with credentials */
    corsOrigins: read('CORS_ORIGINS', listOf(corsOrigin), []).map((url) => url.origin),
    argon2: {
      memoryKib: read('ARGON2_MEMORY_KIB', wholeNumber(19_456, 4_194_304, OWASP), 19_456),
      passes: read('ARGON2_PASSES', wholeNumber(2, 100, OWASP), 2),
      lanes: read('ARGON2_LANES', wholeNumber(1, 64, OWASP), 1),
    },
    /** Processes that share the port */
    workers: read('WORKERS', wholeNumber(1, 64), 1),
    /** How long it answers as not ready before it takes no more connections */
    shutdownDelaySeconds: read('SHUTDOWN_DELAY_SECONDS', wholeNumber(0, 300), 0),
    auditRetentionDays: read('AUDIT_RETENTION_DAYS', wholeNumber(1, 36_500), 365),
    logLevel: read('LOG_LEVEL', oneOf(...LOG_LEVELS), 'info'),
    graphql: {
      explorer: read('GRAPHQL_EXPLORER', trueOrFalse, isDevelopment),
      introspection: read('GRAPHQL_INTROSPECTION', trueOrFalse, isDevelopment),
    },
  };
  if (faults.length > 0) throw new ConfigError(faults);
  const slips = misspelt(); // now that every variable has been asked for
  return {
    ...config,
    /** Variables that have no effect, and were probably meant to: a sentence each */
    slips,
    /** What the log is to say at the start */
    warnings: [...slips, ...(isOpen ? [open] : []), ...(isProxyUnknown ? [unknownProxy] : [])],
  };
}
