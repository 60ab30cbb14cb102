/** CONTRACT 2: the environment. */
import { ConfigError, readConfig } from '../src/config.js';

/** The faults found, by variable. */
function faultsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).toBe(error.faults.join('\n'));
    return error.faults.map((fault) => fault.slice(0, fault.indexOf(':')));
  }
}

test('2 the defaults, all of them', () => {
  const cwd = process.cwd();
  expect(readConfig({})).toEqual({
    host: '127.0.0.1',
    port: 3000,
    metricsHost: '127.0.0.1',
    metricsPort: undefined,
    publicUrl: 'http://localhost:3000',
    publicAuthority: 'localhost:3000',
    dataDir: `${cwd}/data`,
    databaseUrl: undefined,
    redisUrl: undefined,
    keyringFile: `${cwd}/data/keyring.json`,
    accessTokenSeconds: 900,
    refreshTokenSeconds: 1_209_600,
    jwtAudience: 'http://localhost:3000',
    login: { maxFailures: 5, lockoutSeconds: 900, rateLimit: 5, rateWindowSeconds: 900 },
    cookie: { secure: false, sameSite: 'strict', domain: undefined },
    trustProxy: [],
    corsOrigins: [],
    argon2: { memoryKib: 19_456, passes: 2, lanes: 1 },
    auditRetentionDays: 365,
    logLevel: 'info',
    graphql: { explorer: true, introspection: true },
  });
});

test('2 every variable is read', () => {
  const config = readConfig({
    HOST: '::1',
    PORT: '8080',
    METRICS_HOST: '::1',
    METRICS_PORT: '9464',
    PUBLIC_URL: 'https://Auth.Example.com/',
    DATA_DIR: '/srv/data',
    DATABASE_URL: 'postgres://u:p@db/auth',
    REDIS_URL: 'valkeys://cache:6380',
    ACCESS_TOKEN_TTL_SECONDS: '1',
    REFRESH_TOKEN_TTL_SECONDS: '2',
    JWT_AUDIENCE: 'urn:api',
    LOGIN_MAX_FAILURES: '3',
    LOGIN_LOCKOUT_SECONDS: '4',
    LOGIN_RATE_LIMIT: '1000000',
    LOGIN_RATE_WINDOW_SECONDS: '6',
    COOKIE_SAMESITE: 'Lax',
    COOKIE_DOMAIN: 'example.com',
    TRUST_PROXY: '10.0.0.0/8, ::1/128,192.0.2.1',
    CORS_ORIGINS: 'https://App.example.com, http://localhost:5173',
    ARGON2_MEMORY_KIB: '65536',
    ARGON2_PASSES: '3',
    ARGON2_LANES: '4',
    AUDIT_RETENTION_DAYS: '30',
    LOG_LEVEL: 'WARN',
    NODE_ENV: 'production',
  });
  expect(config).toEqual({
    host: '::1',
    port: 8080,
    metricsHost: '::1',
    metricsPort: 9464,
    publicUrl: 'https://auth.example.com',
    publicAuthority: 'auth.example.com',
    dataDir: '/srv/data',
    databaseUrl: 'postgres://u:p@db/auth',
    redisUrl: 'valkeys://cache:6380',
    keyringFile: '/srv/data/keyring.json',
    accessTokenSeconds: 1,
    refreshTokenSeconds: 2,
    jwtAudience: 'urn:api',
    login: { maxFailures: 3, lockoutSeconds: 4, rateLimit: 1_000_000, rateWindowSeconds: 6 },
    cookie: { secure: true, sameSite: 'lax', domain: 'example.com' },
    trustProxy: ['10.0.0.0/8', '::1/128', '192.0.2.1'],
    corsOrigins: ['https://app.example.com', 'http://localhost:5173'],
    argon2: { memoryKib: 65_536, passes: 3, lanes: 4 },
    auditRetentionDays: 30,
    logLevel: 'warn',
    graphql: { explorer: false, introspection: false },
  });
});

test('2 an empty variable counts as unset, and the public URL follows the port', () => {
  expect(readConfig({ PORT: '', HOST: '', LOGIN_MAX_FAILURES: '' })).toEqual(readConfig({}));
  expect(readConfig({ PORT: '8081' }).publicUrl).toBe('http://localhost:8081');
});

test.each<[string, string[]]>([
  ['PORT', ['0', '65536', '-1', '3000.5', '1e3', ' 80', 'http']],
  ['METRICS_PORT', ['0', '65536', 'x', '3000']], // the last is PORT
  ['METRICS_HOST', ['not a host', '1.2.3.4:80']],
  ['HOST', ['not a host', '1.2.3.4:80', 'http://x', '999.1.1.1:', 'a..b', '-x']],
  ['PUBLIC_URL', ['auth.example.com', 'ftp://x.io', 'https://x.io/path', 'https://x.io?q', 'https://u:p@x.io', 'x']],
  ['DATABASE_URL', ['mysql://x', 'localhost', 'postgresql']],
  ['REDIS_URL', ['http://x', 'localhost:6379']],
  ['ACCESS_TOKEN_TTL_SECONDS', ['0', '-5', '31536001', '15m']],
  ['REFRESH_TOKEN_TTL_SECONDS', ['0', '1.5', '99999999999']],
  ['LOGIN_MAX_FAILURES', ['0', '1000001', 'five']],
  ['LOGIN_LOCKOUT_SECONDS', ['0', '-1']],
  ['LOGIN_RATE_LIMIT', ['0', '1000001']],
  ['LOGIN_RATE_WINDOW_SECONDS', ['0', 'x']],
  ['COOKIE_SECURE', ['yes', '1', 'TRUE']],
  ['COOKIE_SAMESITE', ['loose', 'none']],
  ['COOKIE_DOMAIN', ['x; Secure', 'a b', 'https://x.io', 'x,y']],
  [
    'TRUST_PROXY',
    ['1', '10', 'true', 'loopback', '1.2.3', '0177.0.0.1', '10.0.0.0/33', '10/8', '::1/129', '10.0.0.0/8,x'],
  ],
  ['CORS_ORIGINS', ['*', 'https://x.io/path', 'x.io', 'https://x.io,,https://y.io', 'null']],
  ['ARGON2_MEMORY_KIB', ['19455', '0']],
  ['ARGON2_PASSES', ['1', '0']],
  ['ARGON2_LANES', ['0', '65']],
  ['AUDIT_RETENTION_DAYS', ['0', 'forever']],
  ['LOG_LEVEL', ['verbose', '30']],
  ['GRAPHQL_INTROSPECTION', ['on']],
])('2 refuses a wrong %s: %j', (variable, values) => {
  for (const value of values) expect([value, faultsOf({ [variable]: value })]).toEqual([value, [variable]]);
});

test('2 every fault is reported at once, and no value is repeated', () => {
  const env = { PORT: 'secret-1', LOGIN_MAX_FAILURES: 'secret-2', TRUST_PROXY: 'secret-3', DATABASE_URL: 'secret-4' };
  expect(faultsOf(env).sort()).toEqual(Object.keys(env).sort());
  expect(() => readConfig(env)).toThrow(expect.not.stringContaining('secret'));
});

test('2 COOKIE_SECURE: follows PUBLIC_URL, and http on another host needs a decision', () => {
  expect(readConfig({ PUBLIC_URL: 'https://x.io' }).cookie.secure).toBe(true);
  for (const local of ['http://localhost:3000', 'http://127.0.0.2', 'http://[::1]:3000', 'http://auth.localhost']) {
    expect(readConfig({ PUBLIC_URL: local }).cookie.secure).toBe(false);
  }
  for (const remote of ['http://auth.example.com', 'http://192.168.1.1', 'http://localhost.evil.net']) {
    expect(faultsOf({ PUBLIC_URL: remote })).toEqual(['COOKIE_SECURE']);
    expect(readConfig({ PUBLIC_URL: remote, COOKIE_SECURE: 'false' }).cookie.secure).toBe(false);
  }
  expect(faultsOf({ COOKIE_SAMESITE: 'none', PUBLIC_URL: 'https://x.io', COOKIE_SECURE: 'false' })).toEqual([
    'COOKIE_SAMESITE',
  ]);
});
