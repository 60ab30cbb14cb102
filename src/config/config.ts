/** Reads and checks the environment, once. (Interface 2) */
import { resolve } from 'node:path';
import * as z from 'zod';
import { NOTICE_KINDS } from '../domain/notices.js';
import { ROLES } from '../domain/roles.js';
import { type Explanation, explanationText } from '../platform/explained.js';
import { LOG_LEVELS } from '../platform/logger.js';
import { type DatabaseUrl, parseDatabaseUrl } from './database-url.js';
import { type ConfigFault, createReader, type Environment, type Variable } from './environment.js';
import { redisUrl } from './redis-url.js';
import { NO_ROLE_SCOPES, roleScopesFile } from './role-scopes.js';
import { readTracing } from './tracing.js';
import {
  appUrl,
  authority,
  corsOrigin,
  coversHost,
  databaseUrl,
  domainName,
  hostOrAddress,
  httpOrigin,
  isLoopback,
  jsonFile,
  LEAST_ARGON2,
  listOf,
  listOrNone,
  mailbox,
  mailKind,
  OWASP,
  oneOf,
  pageUrl,
  productName,
  proxyCidr,
  relyingPartyId,
  serviceOrigin,
  serviceProxyCidr,
  smtpUrl,
  trueOrFalse,
  wholeNumber,
} from './values.js';

export type Config = ReturnType<typeof readConfig>;

export interface Argon2Parameters {
  memoryKib: number;
  passes: number;
  lanes: number;
}

/** Every fault of the environment; the message has one line for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly faults: ConfigFault[]) {
    super(faults.map((fault) => `${fault.variable}: ${explanationText(fault)}`).join('\n'));
  }
}

/** The configuration works, but probably not as intended. */
export interface ConfigWarning extends Explanation {
  /** The check of `doctor` that reports it */
  check: 'configuration' | 'listen_host' | 'proxy_unknown';
  remedy: string;
}

const DAY_SECONDS = 86_400;
const YEAR_SECONDS = 31_536_000;

/** Where the gateway itself serves the page of password links. */
export const SET_PASSWORD_PATH = '/set-password';
/** Where it serves what people do with their own account. */
export const ACCOUNT_PATH = '/account';

/** Every variable, with its default in development. */
export function variables(): Variable[] {
  const reader = createReader({});
  readConfig({}, reader);
  return reader.variables;
}

/** @throws {ConfigError} with every fault at once */
export function readConfig(env: Environment, reader = createReader(env)) {
  const { read, readOrFile, isGiven, fault, faults } = reader;

  const port = read('PORT', wholeNumber(1, 65_535), 3000);
  const metricsPort = read('METRICS_PORT', wholeNumber(1, 65_535), undefined);
  const publicUrl = read('PUBLIC_URL', httpOrigin, new URL(`http://localhost:${port}`));
  const dataDir = read('DATA_DIR', z.string(), './data');
  const https = publicUrl.protocol === 'https:';
  const secure = read('COOKIE_SECURE', trueOrFalse, https);
  const sameSite = read('COOKIE_SAMESITE', oneOf('strict', 'lax', 'none'), 'strict');
  const cookieDomain = read('COOKIE_DOMAIN', domainName, undefined);
  const isHere = isLoopback(publicUrl.hostname);
  const isDevelopment = read('NODE_ENV', z.string(), undefined) !== 'production' && isHere;
  const database = readOrFile('DATABASE_URL', databaseUrl, 'embedded');
  const { isPooled, ignored = [] }: Partial<DatabaseUrl> = database === 'embedded' ? {} : parseDatabaseUrl(database);

  if (!https && !isGiven('COOKIE_SECURE') && !isHere) {
    const remedy = 'set PUBLIC_URL to an https origin; for plain http, set COOKIE_SECURE=false';
    fault('COOKIE_SECURE', 'must be set, because PUBLIC_URL is http on another machine', remedy);
  }
  if (metricsPort === port) fault('METRICS_PORT', 'must differ from PORT');
  // Browsers treat http on their own machine as secure. From other hosts they drop a Secure cookie that comes by http.
  if (sameSite === 'none' && !https && !isHere) {
    fault('COOKIE_SAMESITE', 'none needs an https PUBLIC_URL, or browsers drop the cookie');
  } else if (sameSite === 'none' && !secure) {
    fault('COOKIE_SAMESITE', 'none needs COOKIE_SECURE=true, or browsers drop the cookie');
  }
  if (cookieDomain !== undefined && !coversHost(cookieDomain, publicUrl.hostname)) {
    fault('COOKIE_DOMAIN', 'must be the host of PUBLIC_URL or a domain above it, or browsers drop the cookie');
  }
  // WebAuthn Level 3 section 5.1.3: browsers refuse any other, and no passkey would work.
  const rpId = read('WEBAUTHN_RP_ID', relyingPartyId, publicUrl.hostname);
  if (isGiven('WEBAUTHN_RP_ID') && !coversHost(rpId, publicUrl.hostname)) {
    const remedy = 'set it to one of these, or unset it';
    fault(
      'WEBAUTHN_RP_ID',
      'must be the host of PUBLIC_URL or a domain above it, or browsers make no passkeys',
      remedy,
    );
  }
  if (!isDevelopment && !isGiven('DATABASE_URL', 'DATABASE_URL_FILE')) {
    fault(
      'DATABASE_URL',
      'must be set in production (NODE_ENV is production, or PUBLIC_URL is on another host)',
      'set DATABASE_URL=postgresql://USER:PASSWORD@HOST/DATABASE, or DATABASE_URL=embedded',
    );
  }

  const host = read('LISTEN_HOST', hostOrAddress, '127.0.0.1');
  const trustProxy = read('TRUST_PROXY', listOf(proxyCidr), []);
  const warnings: ConfigWarning[] = [];
  if (isDevelopment && !isLoopback(host)) {
    const reason = 'LISTEN_HOST lets other machines in, but by its PUBLIC_URL this is development, explorer included';
    warnings.push({
      check: 'listen_host',
      reason,
      remedy: 'set PUBLIC_URL to the public origin, or unset LISTEN_HOST',
    });
  }
  if (https && trustProxy.length === 0) {
    const reason =
      'PUBLIC_URL is https and TRUST_PROXY is unset: everyone behind the proxy that ends TLS has its address, and shares ' +
      'one login limit';
    warnings.push({
      check: 'proxy_unknown',
      reason,
      remedy: 'set TRUST_PROXY to the address that the proxy connects from',
    });
  }

  const forwardAuth = {
    proxies: read('FORWARD_AUTH_PROXIES', listOf(serviceProxyCidr), []),
    origins: read('FORWARD_AUTH_ORIGINS', listOf(serviceOrigin), []).map((url) => url.origin),
  };
  for (const [given, missing, what] of [
    ['FORWARD_AUTH_PROXIES', 'FORWARD_AUTH_ORIGINS', 'the origins of the services behind these proxies'],
    ['FORWARD_AUTH_ORIGINS', 'FORWARD_AUTH_PROXIES', 'the addresses from which the proxies of these services connect'],
  ] as const) {
    if (!isGiven(given) || isGiven(missing)) continue;
    fault(missing, `must be set too, because ${given} is`, `set ${missing} to ${what}, or unset ${given}`);
  }

  const mailSetting = read('MAIL', mailKind, 'off');
  const smtp = readOrFile('SMTP_URL', smtpUrl, undefined);
  const mailFrom = read('MAIL_FROM', mailbox, undefined);
  const mailTemplates = read('MAIL_TEMPLATES', z.string(), undefined);
  if (mailSetting === 'smtp') {
    if (smtp === undefined && !isGiven('SMTP_URL', 'SMTP_URL_FILE')) {
      fault('SMTP_URL', 'must be set, because MAIL is smtp', 'set SMTP_URL=smtps://USER:PASSWORD@HOST');
    }
    if (mailFrom === undefined && !isGiven('MAIL_FROM')) {
      fault('MAIL_FROM', 'must be set, because MAIL is smtp', 'set MAIL_FROM to the address that mail comes from');
    }
  }
  if (mailSetting === 'log' && !isDevelopment) {
    const remedy = 'set MAIL=smtp and SMTP_URL, or MAIL=off';
    fault('MAIL', 'log prints secret links to the terminal, so it is for development alone', remedy);
  }

  const corsOrigins = read('CORS_ORIGINS', listOf(corsOrigin), []).map((url) => url.origin);
  const breachedPasswords = read('BREACHED_PASSWORDS', z.string(), undefined);
  const config = {
    /** True if errors may say what is wrong with the configuration */
    isDevelopment,
    host,
    port,
    metricsHost: read('METRICS_HOST', hostOrAddress, '127.0.0.1'),
    /** Undefined: `/metrics` is on the public port. */
    metricsPort,
    /** Issuer of every token, without a trailing slash */
    publicUrl: publicUrl.origin,
    /** `@authority` of signatures, with the port unless it is the scheme's default */
    publicAuthority: publicUrl.host,
    /** Interface 21: what people know it by */
    productName: read('PRODUCT_NAME', productName, publicUrl.host),
    dataDir: resolve(dataDir),
    /** Undefined: the embedded PostgreSQL in `dataDir` is used. */
    databaseUrl: database === 'embedded' ? undefined : database,
    databasePooler: read('DATABASE_POOLER', oneOf('none', 'transaction'), isPooled ? 'transaction' : 'none'),
    /** Lines for the log of a start: what is given and changes nothing */
    ignored: ignored.map((line) => `DATABASE_URL: ${line}`),
    /** Undefined: PostgreSQL counts for the rate limits. */
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
    /** Interface 16: whether a login is remembered by its device, which then has its own lock */
    knownDevices: read('KNOWN_DEVICES', oneOf('off', 'on'), 'off') === 'on',
    /** Requests a minute to refresh and logout per client address; undefined: no limit */
    sessionRateLimit: read('SESSION_RATE_LIMIT', wholeNumber(1, 1_000_000), undefined),
    /** Refreshes a minute of one session */
    refreshRateLimit: read('REFRESH_RATE_LIMIT', wholeNumber(1, 1_000_000), 60),
    /** Interface 12: whether a refresh may prove that it is a retry */
    refreshRetry: read('REFRESH_RETRY', trueOrFalse, false),
    /** Interface 15: the page of password links, which have the token behind `#` */
    setPasswordUrl: read('SET_PASSWORD_URL', pageUrl, `${publicUrl.origin}${SET_PASSWORD_PATH}`),
    /** Where people go once they have a password; undefined: no page and no mail says */
    appUrl: read('APP_URL', appUrl, undefined),
    invitationSeconds: read('INVITATION_TTL_SECONDS', wholeNumber(60, YEAR_SECONDS), 259_200),
    resetSeconds: read('RESET_TTL_SECONDS', wholeNumber(60, YEAR_SECONDS), 1_800),
    /** Interface 15: a folder of ranges or one sorted file. Undefined: only the shipped list is compared. */
    breachedPasswords: breachedPasswords && resolve(breachedPasswords),
    cookie: { secure, sameSite, domain: cookieDomain },
    /** CIDRs of the proxies whose X-Forwarded-For is trusted */
    trustProxy,
    /** Exact origins that may call with credentials */
    corsOrigins,
    /** Interface 20: how recent the proof must be with which a user makes a change; 0: any */
    confirmSeconds: read('CONFIRM_SECONDS', wholeNumber(0, YEAR_SECONDS), 7_200),
    /** Interface 20: roles whose users have scopes only after a second factor */
    secondFactorRoles: read('SECOND_FACTOR_ROLES', listOf(oneOf(...ROLES)), []),
    /** Interface 20: the domain that passkeys are for, and the origins of the pages that may use them */
    webauthn: { rpId, origins: [...new Set([publicUrl.origin, ...corsOrigins])] },
    /** Interface 18: CIDRs of the peers that may ask, and exact origins of the services behind them. Undefined: off */
    forwardAuth: forwardAuth.proxies.length > 0 ? forwardAuth : undefined,
    /** Interface 17: `host:port` of the receivers that webhooks may have. Undefined: no webhooks */
    webhookHosts: read('WEBHOOK_HOSTS', listOf(authority), undefined),
    /** Interface 17. `smtp` has the URL and the sender; `templates` is a folder with texts that replace ours */
    mail: {
      kind: mailSetting,
      smtp,
      from: mailFrom,
      templates: mailTemplates && resolve(mailTemplates),
      /** Interface 21: kinds of notices that are sent */
      notices: read('MAIL_NOTICES', listOrNone(NOTICE_KINDS), [...NOTICE_KINDS]),
    },
    /** Interface 6: scopes of each role for the services behind the gateway */
    roleScopes: read('ROLE_SCOPES_FILE', roleScopesFile, undefined) ?? NO_ROLE_SCOPES,
    argon2: {
      memoryKib: read(
        'ARGON2_MEMORY_KIB',
        wholeNumber(LEAST_ARGON2.memoryKib, 4_194_304, OWASP),
        LEAST_ARGON2.memoryKib,
      ),
      passes: read('ARGON2_PASSES', wholeNumber(LEAST_ARGON2.passes, 100, OWASP), LEAST_ARGON2.passes),
      lanes: read('ARGON2_LANES', wholeNumber(LEAST_ARGON2.lanes, 64, OWASP), LEAST_ARGON2.lanes),
    },
    /** Several instances listen on the port, and the kernel spreads connections over them */
    reusePort: read('REUSE_PORT', trueOrFalse, false),
    /** How long a connection may idle between two requests: longer than the 600 s of Google's load balancers */
    keepAliveSeconds: read('KEEP_ALIVE_SECONDS', wholeNumber(1, DAY_SECONDS), 620),
    /** How long it reports that it is not ready before it refuses connections */
    shutdownDelaySeconds: read('SHUTDOWN_DELAY_SECONDS', wholeNumber(0, 300), 0),
    auditRetentionDays: read('AUDIT_RETENTION_DAYS', wholeNumber(1, 36_500), 365),
    logLevel: read('LOG_LEVEL', oneOf(...LOG_LEVELS), 'info'),
    /** Interface 25. Undefined: off */
    tracing: readTracing(reader),
    /** Interface 21: whether people change their own account here */
    account: read('ACCOUNT', oneOf('on', 'off'), isDevelopment ? 'on' : 'off') === 'on',
    /** Interface 19: whether the console is served */
    console: read('CONSOLE', oneOf('on', 'off'), isDevelopment ? 'on' : 'off') === 'on',
    graphql: {
      explorer: read('GRAPHQL_EXPLORER', trueOrFalse, isDevelopment),
      introspection: read('GRAPHQL_INTROSPECTION', trueOrFalse, isDevelopment),
    },
    /** Interface 24. `only`: of which callers no other document runs */
    trustedDocuments: {
      files: read('TRUSTED_DOCUMENTS', listOf(jsonFile), []).map((path) => resolve(path)),
      only: read('TRUSTED_DOCUMENTS_ONLY', oneOf('off', 'user', 'all'), 'off'),
    },
  };
  if (faults.length > 0) throw new ConfigError(faults);
  const misspelt = reader.findMisspelt().map((slip) => ({ check: 'configuration' as const, ...slip }));
  return { ...config, warnings: [...misspelt, ...warnings], settings: reader.settings() };
}
