/** Reading and checking the environment. (Interface 2) */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Config, ConfigError, readConfig, variables } from '../../src/config/config.js';
import { NOTICE_KINDS } from '../../src/domain/notices.js';
import { run } from '../support/gateway/cli.js';

type Environment = Record<string, string>;

/** The faults found, whole. */
function messagesOf(env: Environment): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.faults).toHaveLength(error.message.split('\n').length);
    return error.message.split('\n');
  }
}

/** The faults found, by variable. */
const faultsOf = (env: Environment): string[] =>
  messagesOf(env).map((message) => message.slice(0, message.indexOf(':')));

const DATABASE_URL = 'postgresql://u:p@db/auth';
const FORWARD_AUTH = { FORWARD_AUTH_PROXIES: '10.0.0.7', FORWARD_AUTH_ORIGINS: 'https://app.example.com' };

const roleFolder = mkdtempSync(join(tmpdir(), 'roles-'));
afterAll(() => rmSync(roleFolder, { recursive: true }));

let roleFiles = 0;

/** A file for ROLE_SCOPES_FILE. @returns its path */
function roleFile(text: string): string {
  roleFiles += 1;
  const path = join(roleFolder, `${roleFiles}.json`);
  writeFileSync(path, text);
  return path;
}
const REDIS = { kind: 'single', hosts: [{ host: 'cache', port: 6379 }], tls: false, credentials: {}, db: 0 };

/** Every variable: its place in the configuration, its default, and values with their results. */
const VARIABLES: Array<
  [name: string, of: (config: Config) => unknown, unset: unknown, values: Array<[string, unknown]>]
> = [
  [
    'LISTEN_HOST',
    (config) => config.host,
    '127.0.0.1',
    [
      ['::1', '::1'],
      ['gateway', 'gateway'],
    ],
  ],
  [
    'PORT',
    (config) => config.port,
    3000,
    [
      ['1', 1],
      ['65535', 65_535],
    ],
  ],
  ['METRICS_PORT', (config) => config.metricsPort, undefined, [['9464', 9464]]],
  ['METRICS_HOST', (config) => config.metricsHost, '127.0.0.1', [['::1', '::1']]],
  [
    'PUBLIC_URL',
    (config) => config.publicUrl,
    'http://localhost:3000',
    [['https://Auth.Example.com/', 'https://auth.example.com']],
  ],
  ['DATA_DIR', (config) => config.dataDir, `${process.cwd()}/data`, [['/srv/data', '/srv/data']]],
  [
    'DATABASE_URL',
    (config) => config.databaseUrl,
    undefined,
    [
      ['postgres://u:p@db/auth', 'postgres://u:p@db/auth'],
      [DATABASE_URL, DATABASE_URL],
      ['embedded', undefined],
    ],
  ],
  [
    'DATABASE_POOLER',
    (config) => config.databasePooler,
    'none',
    [
      ['none', 'none'],
      ['transaction', 'transaction'],
    ],
  ],
  [
    'REDIS_URL',
    (config) => config.redis,
    undefined,
    [
      ['redis://cache', REDIS],
      ['valkeys://cache:6380', { ...REDIS, hosts: [{ host: 'cache', port: 6380 }], tls: true }],
    ],
  ],
  [
    'KEYRING_FILE',
    (config) => config.keyringFile,
    `${process.cwd()}/data/keyring.json`,
    [['/run/keyring', '/run/keyring']],
  ],
  [
    'ACCESS_TOKEN_TTL_SECONDS',
    (config) => config.accessTokenSeconds,
    900,
    [
      ['1', 1],
      ['31536000', 31_536_000],
    ],
  ],
  ['REFRESH_TOKEN_TTL_SECONDS', (config) => config.refreshTokenSeconds, 1_209_600, [['2', 2]]],
  ['JWT_AUDIENCE', (config) => config.jwtAudience, 'http://localhost:3000', [['urn:api', 'urn:api']]],
  [
    'LOGIN_MAX_FAILURES',
    (config) => config.login.maxFailures,
    5,
    [
      ['1', 1],
      ['1000000', 1_000_000],
    ],
  ],
  ['KNOWN_DEVICES', (config) => (config.knownDevices ? 'on' : 'off'), 'off', [['on', 'on']]],
  ['LOGIN_LOCKOUT_SECONDS', (config) => config.login.lockoutSeconds, 900, [['4', 4]]],
  [
    'LOGIN_RATE_LIMIT',
    (config) => config.login.rateLimit,
    5,
    [
      ['1', 1],
      ['1000000', 1_000_000],
    ],
  ],
  ['LOGIN_RATE_WINDOW_SECONDS', (config) => config.login.rateWindowSeconds, 900, [['6', 6]]],
  ['SESSION_RATE_LIMIT', (config) => config.sessionRateLimit, undefined, [['60', 60]]],
  ['REFRESH_RATE_LIMIT', (config) => config.refreshRateLimit, 60, [['1000', 1000]]],
  ['REUSE_PORT', (config) => config.reusePort, false, [['true', true]]],
  ['REFRESH_RETRY', (config) => config.refreshRetry, false, [['true', true]]],
  ['BREACHED_PASSWORDS', (config) => config.breachedPasswords, undefined, [['/srv/pwned', '/srv/pwned']]],
  [
    'SET_PASSWORD_URL',
    (config) => config.setPasswordUrl,
    'http://localhost:3000/set-password',
    [['https://app.example.com/account/password?lang=en', 'https://app.example.com/account/password?lang=en']],
  ],
  [
    'APP_URL',
    (config) => config.appUrl,
    undefined,
    [
      ['https://app.example.com', 'https://app.example.com'],
      ['http://localhost:5173/?a=@#/login', 'http://localhost:5173/?a=@#/login'],
    ],
  ],
  [
    'INVITATION_TTL_SECONDS',
    (config) => config.invitationSeconds,
    259_200,
    [
      ['60', 60],
      ['31536000', 31_536_000],
    ],
  ],
  [
    'RESET_TTL_SECONDS',
    (config) => config.resetSeconds,
    1_800,
    [
      ['60', 60],
      ['31536000', 31_536_000],
    ],
  ],
  ['COOKIE_SECURE', (config) => config.cookie.secure, false, [['true', true]]],
  [
    'COOKIE_SAMESITE',
    (config) => config.cookie.sameSite,
    'strict',
    [
      ['Lax', 'lax'],
      ['strict', 'strict'],
    ],
  ],
  ['COOKIE_DOMAIN', (config) => config.cookie.domain, undefined, [['localhost', 'localhost']]],
  [
    'TRUST_PROXY',
    (config) => config.trustProxy,
    [],
    [['10.0.0.0/8, ::1/128,192.0.2.1', ['10.0.0.0/8', '::1/128', '192.0.2.1']]],
  ],
  [
    'CORS_ORIGINS',
    (config) => config.corsOrigins,
    [],
    [['https://App.example.com, http://localhost:5173', ['https://app.example.com', 'http://localhost:5173']]],
  ],
  [
    'CONFIRM_SECONDS',
    (config) => config.confirmSeconds,
    7_200,
    [
      ['0', 0],
      ['31536000', 31_536_000],
    ],
  ],
  [
    'SECOND_FACTOR_ROLES',
    (config) => config.secondFactorRoles,
    [],
    [
      ['admin', ['admin']],
      ['Admin, analyst,viewer', ['admin', 'analyst', 'viewer']],
    ],
  ],
  ['WEBAUTHN_RP_ID', (config) => config.webauthn.rpId, 'localhost', [['LocalHost', 'localhost']]],
  [
    'FORWARD_AUTH_PROXIES',
    (config) => config.forwardAuth?.proxies ?? [],
    [],
    [['10.0.0.7, 192.168.0.0/16,fd00::/64', ['10.0.0.7', '192.168.0.0/16', 'fd00::/64']]],
  ],
  [
    'FORWARD_AUTH_ORIGINS',
    (config) => config.forwardAuth?.origins ?? [],
    [],
    [
      ['https://App.example.com:443/, http://10.0.0.9:8080', ['https://app.example.com', 'http://10.0.0.9:8080']],
      ['http://app.example.com:80', ['http://app.example.com']],
    ],
  ],
  [
    'ROLE_SCOPES_FILE',
    (config) => (Object.values(config.roleScopes).flat().length > 0 ? config.roleScopes : undefined),
    undefined,
    [
      [roleFile('{"analyst": ["invoices:read"]}'), { viewer: [], analyst: ['invoices:read'], admin: [] }],
      [
        roleFile('{"admin": ["a:b", "c.d:e_f"], "viewer": ["a:b"], "analyst": []}\n'),
        { viewer: ['a:b'], analyst: [], admin: ['a:b', 'c.d:e_f'] },
      ],
    ],
  ],
  ['ARGON2_MEMORY_KIB', (config) => config.argon2.memoryKib, 19_456, [['65536', 65_536]]],
  ['ARGON2_PASSES', (config) => config.argon2.passes, 2, [['3', 3]]],
  ['ARGON2_LANES', (config) => config.argon2.lanes, 1, [['4', 4]]],
  [
    'KEEP_ALIVE_SECONDS',
    (config) => config.keepAliveSeconds,
    620,
    [
      ['1', 1],
      ['86400', 86_400],
    ],
  ],
  [
    'SHUTDOWN_DELAY_SECONDS',
    (config) => config.shutdownDelaySeconds,
    0,
    [
      ['0', 0],
      ['300', 300],
    ],
  ],
  ['AUDIT_RETENTION_DAYS', (config) => config.auditRetentionDays, 365, [['30', 30]]],
  [
    'WEBHOOK_HOSTS',
    (config) => config.webhookHosts,
    undefined,
    [['hooks.example.com, Hooks.example.com:8443', ['hooks.example.com:443', 'hooks.example.com:8443']]],
  ],
  [
    'MAIL',
    (config) => config.mail.kind,
    'off',
    [
      ['log', 'log'],
      ['/var/mail/ada', 'off'], // a login shell's own variable
    ],
  ],
  [
    'SMTP_URL',
    (config) => config.mail.smtp,
    undefined,
    [['smtps://a:b@mail.example.com', 'smtps://a:b@mail.example.com']],
  ],
  ['MAIL_FROM', (config) => config.mail.from, undefined, [['Auth <a@example.com>', 'Auth <a@example.com>']]],
  ['MAIL_TEMPLATES', (config) => config.mail.templates, undefined, [['texts', resolve('texts')]]],
  ['MAIL_NOTICES', (config) => config.mail.notices, [...NOTICE_KINDS], [['token_theft', ['token_theft']]]],
  ['PRODUCT_NAME', (config) => config.productName, 'localhost:3000', [['Example', 'Example']]],
  ['LOG_LEVEL', (config) => config.logLevel, 'info', [['WARN', 'warn']]],
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    (config) => config.tracing?.url,
    undefined,
    [
      ['http://collector:4318', 'http://collector:4318/v1/traces'],
      ['https://otlp.example.com/otlp/', 'https://otlp.example.com/otlp/v1/traces'],
    ],
  ],
  [
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    (config) => config.tracing?.url,
    undefined,
    [['http://[::1]:4318/custom', 'http://[::1]:4318/custom']],
  ],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', (config) => config.tracing?.protocol, undefined, [['http/json', 'http/json']]],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', (config) => config.tracing?.protocol, undefined, [['HTTP/JSON', 'http/json']]],
  [
    'OTEL_EXPORTER_OTLP_HEADERS',
    (config) => config.tracing?.headers,
    undefined,
    [
      ['api-key=abc', { 'api-key': 'abc' }],
      ['Authorization=Basic%20eDp5Cg==, X-Scope = a=b ,', { Authorization: 'Basic eDp5Cg==', 'X-Scope': 'a=b' }],
    ],
  ],
  ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', (config) => config.tracing?.headers, undefined, [['a=', { a: '' }]]],
  ['OTEL_SERVICE_NAME', (config) => config.tracing?.resource['service.name'], undefined, [['sign-in', 'sign-in']]],
  [
    'OTEL_RESOURCE_ATTRIBUTES',
    ({ tracing }) => tracing && [tracing.resource['service.name'], tracing.resource['deployment.environment.name']],
    undefined,
    [
      ['deployment.environment.name=a%2Cb', ['auth-gateway', 'a,b']],
      ['service.name=x,deployment.environment.name=y', ['x', 'y']],
    ],
  ],
  [
    'OTEL_TRACES_SAMPLER',
    (config) => config.tracing?.sampler,
    undefined,
    [['parentbased_traceidratio', 'parentbased_traceidratio']],
  ],
  [
    'OTEL_TRACES_SAMPLER_ARG',
    (config) => config.tracing?.ratio,
    undefined,
    [
      ['0', 0],
      ['0.01', 0.01],
      ['.5', 0.5],
      ['1.0', 1],
    ],
  ],
  ['OTEL_BSP_MAX_QUEUE_SIZE', (config) => config.tracing?.queue.maxQueueSize, undefined, [['100', 100]]],
  ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', (config) => config.tracing?.queue.maxExportBatchSize, undefined, [['7', 7]]],
  ['OTEL_BSP_SCHEDULE_DELAY', (config) => config.tracing?.queue.scheduledDelayMillis, undefined, [['100', 100]]],
  ['OTEL_BSP_EXPORT_TIMEOUT', (config) => config.tracing?.queue.exportTimeoutMillis, undefined, [['100', 100]]],
  [
    'OTEL_SDK_DISABLED',
    (config) => config.tracing?.ratio,
    undefined,
    [
      ['False', 1],
      ['TRUE', undefined],
    ],
  ],
  ['ACCOUNT', (config) => (config.account ? 'on' : 'off'), 'on', [['off', 'off']]],
  ['CONSOLE', (config) => (config.console ? 'on' : 'off'), 'on', [['off', 'off']]],
  [
    'TRUSTED_DOCUMENTS',
    (config) => config.trustedDocuments.files,
    [],
    [['a.json, /b.json', [resolve('a.json'), '/b.json']]],
  ],
  [
    'TRUSTED_DOCUMENTS_ONLY',
    (config) => config.trustedDocuments.only,
    'off',
    [
      ['user', 'user'],
      ['ALL', 'all'],
    ],
  ],
  ['GRAPHQL_EXPLORER', (config) => config.graphql.explorer, true, [['false', false]]],
  ['GRAPHQL_INTROSPECTION', (config) => config.graphql.introspection, true, [['false', false]]],
];

test.each(VARIABLES)('Interface 2: %s: its default, and what is made of its values', (name, of, unset, values) => {
  expect(of(readConfig({}))).toEqual(unset);
  expect(of(readConfig({ [name]: '' }))).toEqual(unset);
  for (const [text, value] of values) {
    const rest: Environment = {
      ...(name === 'DATABASE_URL' ? {} : { DATABASE_URL }),
      ...(name.startsWith('FORWARD_AUTH_') ? FORWARD_AUTH : {}), // neither of the two stands alone
      ...(/^OTEL_(?!.*_ENDPOINT)/.test(name) ? { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' } : {}),
    };
    expect(of(readConfig({ ...rest, [name]: text }))).toEqual(value);
  }
});

test('Interface 2: what else follows from the port and the public URL', () => {
  const config = readConfig({ PORT: '8081' });
  expect([config.publicUrl, config.publicAuthority, config.jwtAudience]).toEqual([
    'http://localhost:8081',
    'localhost:8081',
    'http://localhost:8081',
  ]);
  const elsewhere = readConfig({ PUBLIC_URL: 'https://x.io:444', DATA_DIR: '/srv', DATABASE_URL });
  expect([elsewhere.publicAuthority, elsewhere.jwtAudience, elsewhere.keyringFile]).toEqual([
    'x.io:444',
    'https://x.io:444',
    '/srv/keyring.json',
  ]);
});

test('Interface 2: the table above has each variable that is read', () => {
  const found = variables().map(({ name }) => name);
  expect(found.toSorted()).toEqual([...VARIABLES.map(([name]) => name), 'NODE_ENV'].toSorted());
});

test('Interface 2: HOST, which shells export, has no effect', () => {
  expect(readConfig({ HOST: 'x86_64-conda-linux-gnu' })).toEqual(readConfig({}));
  expect(readConfig({ HOST: 'not a host', LISTEN_HOST: '::' }).host).toBe('::');
});

test.each<[string, string[]]>([
  ['PORT', ['0', '65536', '-1', '3000.5', '1e3', ' 80', 'http']],
  ['METRICS_PORT', ['0', '65536', 'x', '3000']], // the last is PORT
  ['METRICS_HOST', ['not a host', '1.2.3.4:80']],
  ['LISTEN_HOST', ['not a host', '1.2.3.4:80', 'http://x', '999.1.1.1:', 'a..b', '-x']],
  [
    'PUBLIC_URL',
    [
      'auth.example.com',
      'ftp://x.io',
      'https://x.io/path',
      'https://x.io?q',
      'https://u:p@x.io',
      'x',
      'https://*.x.io',
    ],
  ],
  ['DATABASE_URL', ['mysql://x', 'localhost', 'postgresql', 'Embedded', 'none']],
  ['DATABASE_POOLER', ['session', 'pgbouncer', 'true']],
  ['REDIS_URL', ['http://x', 'localhost:6379', 'embedded']],
  ['ACCESS_TOKEN_TTL_SECONDS', ['0', '-5', '31536001', '15m']],
  ['REFRESH_TOKEN_TTL_SECONDS', ['0', '1.5', '99999999999']],
  ['LOGIN_MAX_FAILURES', ['0', '1000001', 'five']],
  ['KNOWN_DEVICES', ['true', 'yes', '1']],
  ['LOGIN_LOCKOUT_SECONDS', ['0', '-1']],
  ['LOGIN_RATE_LIMIT', ['0', '1000001']],
  ['LOGIN_RATE_WINDOW_SECONDS', ['0', 'x']],
  ['SESSION_RATE_LIMIT', ['0', '1000001']],
  ['REFRESH_RATE_LIMIT', ['0', '1000001']],
  ['REUSE_PORT', ['yes', '1', 'TRUE']],
  ['REFRESH_RETRY', ['yes', '1', 'TRUE']],
  [
    'SET_PASSWORD_URL',
    [
      '/set-password',
      'ftp://app.example.com/',
      'https://app.example.com/#token',
      'https://ada@app.example.com/',
      'https://*.example.com/',
    ],
  ],
  [
    'APP_URL',
    [
      ...['app.example.com', '/', 'javascript:alert(1)', 'ftp://app.example.com/', 'https://ada:x@app.example.com/'],
      ...['https://*.example.com/', 'https://app.example.com/a b', 'https://app.example.com/\n', 'https://"x".io'],
    ],
  ],
  ['INVITATION_TTL_SECONDS', ['0', '59', '31536001', '72h']],
  ['RESET_TTL_SECONDS', ['0', '59', '31536001', '30m']],
  ['COOKIE_SECURE', ['yes', '1', 'TRUE']],
  ['COOKIE_SAMESITE', ['loose', 'none']],
  ['COOKIE_DOMAIN', ['x; Secure', 'a b', 'https://x.io', 'x,y', 'example.com']],
  ['TRUST_PROXY', ['1.2.3', '0177.0.0.1', '10.0.0.0/33', '10/8', '::1/129', '10.0.0.0/8,x', 'constructor', ',']],
  ['CORS_ORIGINS', ['https://x.io/path', 'x.io', 'https://x.io,,https://y.io', 'https://.x.io', 'https://a..io']],
  ['CORS_ORIGINS', ['https://(a|b).io', 'https://{a,b}.io', 'https://a%2a.io', 'https://$x.io', "https://'x'.io"]],
  ['CONFIRM_SECONDS', ['-1', '31536001', '2h', 'off']],
  ['SECOND_FACTOR_ROLES', ['none', 'all', 'admin,', 'admin;analyst', 'constructor']],
  [
    'WEBAUTHN_RP_ID',
    ['127.0.0.1', '::1', '[::1]', 'http://localhost', 'localhost:3000', '.localhost', 'example.com', '*'],
  ],
  ['ARGON2_MEMORY_KIB', ['19455', '0']],
  ['ARGON2_PASSES', ['1', '0']],
  ['ARGON2_LANES', ['0', '65']],
  ['KEEP_ALIVE_SECONDS', ['0', '86401', '10m']],
  ['SHUTDOWN_DELAY_SECONDS', ['-1', '301', '5s']],
  ['AUDIT_RETENTION_DAYS', ['0', 'forever']],
  ['LOG_LEVEL', ['verbose', '30']],
  ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].map((name): [string, string[]] => [
    name,
    [
      'collector:4318',
      'collector',
      'grpc://collector:4317',
      'http://',
      'http://u:p@c',
      'http://c/?key=1',
      'http://c/#x',
    ],
  ]),
  ['OTEL_EXPORTER_OTLP_PROTOCOL', ['grpc', 'http', 'json', 'http/xml']],
  ['OTEL_EXPORTER_OTLP_HEADERS', ['key', '=x', 'a b=c', 'a=%', 'a=1,b', 'a=%0Ab', 'a:b=c', 'a=\u20ac', 'a=%00']],
  ['OTEL_RESOURCE_ATTRIBUTES', ['service.name', 'a=%zz', '=']],
  ['OTEL_TRACES_SAMPLER', ['jaeger_remote', 'on', 'always', 'constructor']],
  ['OTEL_TRACES_SAMPLER_ARG', ['1.1', '-0.1', '1%', 'NaN', '0x1', '1e-2', '.']],
  ['OTEL_BSP_MAX_QUEUE_SIZE', ['0', '-1', 'x']],
  ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', ['0', '2049']], // the last is more than the queue holds
  ['OTEL_BSP_SCHEDULE_DELAY', ['0', '5s']],
  ['OTEL_BSP_EXPORT_TIMEOUT', ['0', '30s']],
  ['OTEL_SDK_DISABLED', ['yes', '1']],
  ['CONSOLE', ['true', 'yes', '/dev/console']],
  ['GRAPHQL_EXPLORER', ['on']],
  ['GRAPHQL_INTROSPECTION', ['on']],
])('Interface 2: refuses a wrong %s: %j', (variable, values) => {
  for (const value of values) expect([value, faultsOf({ [variable]: value })]).toEqual([value, [variable]]);
});

test.each(['*', ' * ', 'https://x.io, *', 'https://*.x.io', 'https://*', 'https://x.io:*', '"*"'])(
  'Interface 2: CORS_ORIGINS with a wildcard is refused, and what to write is said: %s',
  async (value) => {
    expect(messagesOf({ CORS_ORIGINS: value })).toEqual([
      'CORS_ORIGINS: has a *: name each origin, such as https://app.example.com',
    ]);
  },
);

test.each(['null', 'https://x.io,Null'])('Interface 2: CORS_ORIGINS with null is refused: %s', (value) => {
  expect(messagesOf({ CORS_ORIGINS: value })).toEqual([
    expect.stringMatching(/^CORS_ORIGINS: has null, the origin of/),
  ]);
});

test('Interface 2: origins that browsers are at are taken, whatever their host looks like', () => {
  const origins = ['https://[::1]:8443', 'http://192.0.2.1', 'https://a_b.example', 'https://app.example.com.'];
  expect(readConfig({ CORS_ORIGINS: origins.join() }).corsOrigins).toEqual(origins);
  expect(readConfig({ CORS_ORIGINS: 'https://bücher.example' }).corsOrigins).toEqual(['https://xn--bcher-kva.example']);
});

test('Interface 25: no value of OpenTelemetry is repeated by its fault, since it may be a key', () => {
  const env = { OTEL_EXPORTER_OTLP_HEADERS: 'secret', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c?secret' };
  expect(faultsOf(env).sort()).toEqual(Object.keys(env).sort());
  expect(() => readConfig(env)).toThrow(expect.not.stringContaining('secret'));
});

test('Interface 25: of two endpoints that of traces counts, and of headers each', () => {
  const { tracing } = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all:4318',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:4318/v1/traces',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=1',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'b=2',
    OTEL_SERVICE_NAME: 'mine',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=others',
    OTEL_BSP_MAX_QUEUE_SIZE: '100',
  });
  expect(tracing).toMatchObject({
    url: 'http://traces:4318/v1/traces',
    protocol: 'http/json',
    headers: { a: '1', b: '2' },
    resource: { 'service.name': 'mine' },
    queue: { maxQueueSize: 100, maxExportBatchSize: 100 },
  });
});

test.each([
  ...['OTEL_METRICS_EXPORTER', 'OTEL_TRACES_EXPORTER', 'OTEL_LOGS_EXPORTER', 'OTEL_PROPAGATORS', 'OTEL_LOG_LEVEL'],
  ...['OTEL_BLRP_SCHEDULE_DELAY', 'OTEL_BLRP_MAX_QUEUE_SIZE', 'OTEL_METRIC_EXPORT_INTERVAL'],
  ...['OTEL_EXPORTER_OTLP_TIMEOUT', 'OTEL_EXPORTER_OTLP_COMPRESSION', 'OTEL_EXPORTER_OTLP_CERTIFICATE'],
  ...['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', 'OTEL_NODE_RESOURCE_DETECTORS'],
])('Interface 25: %s, which is of other signals or of the exporter alone, is no slip', (name) => {
  expect(readConfig({ [name]: 'x' }).warnings).toEqual([]);
});

test('Interface 25: a slip in a name of OpenTelemetry is noticed', () => {
  const { warnings } = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINTS: 'http://collector:4318',
    OTEL_TRACE_SAMPLER: 'always_on',
  });
  expect(warnings.map(({ remedy }) => remedy.slice(0, 52))).toEqual([
    'did you mean OTEL_EXPORTER_OTLP_ENDPOINT? Rename it,',
    'did you mean OTEL_TRACES_SAMPLER? Rename it, or remo',
  ]);
});

test('Interface 2: every fault is reported at once, and no value is repeated', () => {
  const env = { PORT: 'secret-1', LOGIN_MAX_FAILURES: 'secret-2', TRUST_PROXY: 'secret-3', DATABASE_URL: 'secret-4' };
  expect(faultsOf(env).sort()).toEqual(Object.keys(env).sort());
  expect(() => readConfig(env)).toThrow(expect.not.stringContaining('secret'));
});

test('Interface 2: COOKIE_SECURE: follows PUBLIC_URL, and http on another host needs a decision', () => {
  expect(readConfig({ DATABASE_URL, PUBLIC_URL: 'https://x.io' }).cookie.secure).toBe(true);
  for (const local of ['http://localhost:3000', 'http://127.0.0.2', 'http://[::1]:3000', 'http://auth.localhost']) {
    expect(readConfig({ PUBLIC_URL: local }).cookie.secure).toBe(false);
  }
  for (const remote of ['http://auth.example.com', 'http://192.168.1.1', 'http://localhost.evil.net']) {
    expect(faultsOf({ DATABASE_URL, PUBLIC_URL: remote })).toEqual(['COOKIE_SECURE']);
    expect(readConfig({ DATABASE_URL, PUBLIC_URL: remote, COOKIE_SECURE: 'false' }).cookie.secure).toBe(false);
  }
});

test.each<[string, string | undefined, string[]]>([
  ['https://x.io', undefined, []],
  ['https://x.io', 'false', ['COOKIE_SAMESITE']],
  ['http://x.io', 'true', ['COOKIE_SAMESITE']],
  ['http://x.io', 'false', ['COOKIE_SAMESITE']],
  ['http://x.io', undefined, ['COOKIE_SECURE', 'COOKIE_SAMESITE']],
  ['http://localhost:3000', undefined, ['COOKIE_SAMESITE']],
  ['http://localhost:3000', 'true', []], // browsers take it for secure
  ['http://127.0.0.1:3000', 'true', []],
  ['http://auth.localhost', 'true', []],
])('Interface 2: COOKIE_SAMESITE=none if browsers drop the cookie: %s, COOKIE_SECURE %s', (url, secure, faults) => {
  const env = { DATABASE_URL, COOKIE_SAMESITE: 'none', PUBLIC_URL: url };
  expect(faultsOf(secure === undefined ? env : { ...env, COOKIE_SECURE: secure })).toEqual(faults);
});

test.each<[string, string, boolean]>([
  ['https://auth.example.com', 'auth.example.com', true],
  ['https://auth.example.com', 'Example.COM', true],
  ['https://auth.example.com', '.example.com', true],
  ['https://AUTH.example.com:8443', 'auth.example.com', true],
  ['https://auth.example.com', 'www.example.com', false],
  ['https://auth.example.com', 'example.org', false],
  ['https://auth.example.com', 'ample.com', false],
  ['https://auth.example.com', 'x.auth.example.com', false],
  ['https://auth.example.com', 'com', false],
  ['https://example.com', 'auth.example.com', false],
  ['https://localhost', 'localhost', true],
  ['https://auth.localhost', 'localhost', false],
  ['https://127.0.0.1', '127.0.0.1', true],
  ['https://127.0.0.1', '0.0.1', false],
  ['https://127.0.0.1', 'localhost', false],
  ['https://[::1]', 'localhost', false],
])('Interface 2: COOKIE_DOMAIN has to cover the host of PUBLIC_URL: %s and %s: %s', (url, domain, covers) => {
  const env = { DATABASE_URL, PUBLIC_URL: url, COOKIE_DOMAIN: domain };
  expect(faultsOf(env)).toEqual(covers ? [] : ['COOKIE_DOMAIN']);
});

test.each<[string, string, boolean]>([
  ['https://auth.example.com', 'auth.example.com', true],
  ['https://auth.example.com', 'Example.COM', true],
  ['https://AUTH.example.com:8443', 'auth.example.com', true],
  ['https://auth.example.com', 'www.example.com', false],
  ['https://auth.example.com', 'ample.com', false],
  ['https://auth.example.com', 'x.auth.example.com', false],
  ['https://auth.example.com', 'com', false],
  ['https://localhost', 'localhost', true],
  ['https://auth.localhost', 'localhost', false],
  ['https://127.0.0.1', '127.0.0.1', false],
  ['https://127.0.0.1', '0.0.1', false],
])('Interface 20: WEBAUTHN_RP_ID has to cover the host of PUBLIC_URL: %s and %s: %s', (url, domain, covers) => {
  const env = { DATABASE_URL, PUBLIC_URL: url, WEBAUTHN_RP_ID: domain };
  expect([...new Set(faultsOf(env))]).toEqual(covers ? [] : ['WEBAUTHN_RP_ID']);
});

test('Interface 20: passkeys are for the host of PUBLIC_URL, and used by its pages and those of CORS_ORIGINS', () => {
  const env = { DATABASE_URL, PUBLIC_URL: 'https://Auth.example.com:8443' };
  expect(readConfig(env).webauthn).toEqual({ rpId: 'auth.example.com', origins: ['https://auth.example.com:8443'] });
  const CORS_ORIGINS = 'https://app.example.com, https://auth.example.com:8443';
  expect(readConfig({ ...env, CORS_ORIGINS, WEBAUTHN_RP_ID: 'example.com' }).webauthn).toEqual({
    rpId: 'example.com',
    origins: ['https://auth.example.com:8443', 'https://app.example.com'],
  });
});

test('Interface 2: the start is refused, exit 78, and every fault of several variables together is named', async () => {
  const base = { DATABASE_URL: 'postgresql://127.0.0.1:1/none', KEYRING_FILE: '/nowhere/keyring.json' }; // starts nothing
  const env = {
    COOKIE_DOMAIN: 'example.org',
    COOKIE_SAMESITE: 'none',
    CORS_ORIGINS: '*',
    FORWARD_AUTH_PROXIES: '10.0.0.7',
    ROLE_SCOPES_FILE: roleFile('{"viewer": ["users:read"]}'),
  };
  const { code, stdout, stderr } = await run(['start'], { env: { ...base, ...env } });
  expect(code).toBe(78);
  const named = ['COOKIE_DOMAIN', 'COOKIE_SAMESITE', 'CORS_ORIGINS', 'FORWARD_AUTH_ORIGINS', 'ROLE_SCOPES_FILE'];
  for (const variable of named) expect(stdout + stderr).toContain(`${variable}: `);
});

test.each<[string, Environment, boolean]>([
  ['nothing is set', {}, true],
  ['NODE_ENV is another', { NODE_ENV: 'test' }, true],
  ['the public URL is of this machine', { PUBLIC_URL: 'https://[::1]:8443' }, true],
  ['NODE_ENV is production', { NODE_ENV: 'production' }, false],
  ['the public URL is of another', { PUBLIC_URL: 'https://auth.example.com' }, false],
  [
    'the public URL is of another, whatever NODE_ENV says',
    { PUBLIC_URL: 'https://x.io', NODE_ENV: 'development' },
    false,
  ],
])('Interface 2: development: if %s: %j: %j', (_where, env, isDevelopment) => {
  const { console, graphql } = readConfig({ DATABASE_URL, ...env });
  expect(console).toBe(isDevelopment);
  for (const CONSOLE of ['on', 'off']) {
    expect(readConfig({ DATABASE_URL, ...env, CONSOLE }).console).toBe(CONSOLE === 'on');
  }
  expect(graphql).toEqual({ explorer: isDevelopment, introspection: isDevelopment });
  for (const GRAPHQL_EXPLORER of ['true', 'false']) {
    const set = readConfig({ DATABASE_URL, ...env, GRAPHQL_EXPLORER }).graphql;
    expect(set).toEqual({ explorer: GRAPHQL_EXPLORER === 'true', introspection: isDevelopment });
  }
  for (const GRAPHQL_INTROSPECTION of ['true', 'false']) {
    const set = readConfig({ DATABASE_URL, ...env, GRAPHQL_INTROSPECTION }).graphql;
    expect(set).toEqual({ explorer: isDevelopment, introspection: GRAPHQL_INTROSPECTION === 'true' });
  }
  // The embedded database is given unasked in development alone.
  expect(readConfig({ ...env, DATABASE_URL: 'embedded' }).databaseUrl).toBeUndefined();
  const messages = messagesOf(env);
  if (isDevelopment) return void expect(messages).toEqual([]);
  expect(messages).toEqual([
    expect.stringMatching(/^DATABASE_URL: .*DATABASE_URL=postgresql:\/\/.*DATABASE_URL=embedded$/),
  ]);
});

test('Interface 1 and 2: the gateway and every command refuse production without DATABASE_URL, and make no data folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'config-'));
  const env = { NODE_ENV: 'production', DATA_DIR: join(folder, 'data') };
  try {
    for (const args of [['start'], ['user', 'list']]) {
      const ran = await run(args, { env });
      expect([ran.code, ran.stdout, ran.stderr]).toEqual([78, '', expect.stringContaining('DATABASE_URL=embedded')]);
    }
    expect(existsSync(env.DATA_DIR)).toBe(false);
  } finally {
    await rm(folder, { recursive: true });
  }
});

const PROXY_ADVICE: Array<[words: string[], advice: string]> = [
  [['loopback', 'Loopback'], 'TRUST_PROXY: must list networks: write TRUST_PROXY=127.0.0.1/32,::1/128'],
  [['linklocal'], 'TRUST_PROXY: must list networks: write TRUST_PROXY=169.254.0.0/16,fe80::/10'],
  [
    ['uniquelocal'],
    'TRUST_PROXY: must list networks: write TRUST_PROXY=10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7',
  ],
  [['true', '1', '2', 'yes', 'YES', 'on', '*', 'all'], 'must list the addresses from which your proxies connect'],
  [['false', 'no', '0', 'none'], 'must be unset'],
  [['proxy.internal', '1010101010/x'], 'must be a list of CIDRs such as 10.0.0.0/8,::1/128'],
];

test.each(PROXY_ADVICE)('Interface 2: TRUST_PROXY=%j is answered with what to write', (words, advice) => {
  for (const word of words) {
    expect([word, messagesOf({ TRUST_PROXY: word })]).toEqual([word, [expect.stringContaining(advice)]]);
  }
  const [line] = /(?<=TRUST_PROXY=)[\d./:a-f,]+/.exec(advice) ?? [];
  if (line !== undefined) expect(readConfig({ TRUST_PROXY: line }).trustProxy).toEqual(line.split(','));
});

describe('Interface 18: forward authentication', () => {
  test('it is off unless both variables are set; one alone is refused, and what to set is said', () => {
    const empty = { FORWARD_AUTH_PROXIES: '', FORWARD_AUTH_ORIGINS: '' };
    for (const env of [{}, empty]) expect(readConfig(env).forwardAuth).toBeUndefined();
    for (const missing of ['FORWARD_AUTH_PROXIES', 'FORWARD_AUTH_ORIGINS'] as const) {
      const given = missing === 'FORWARD_AUTH_PROXIES' ? 'FORWARD_AUTH_ORIGINS' : 'FORWARD_AUTH_PROXIES';
      for (const env of [{ [given]: FORWARD_AUTH[given] }, { ...FORWARD_AUTH, [missing]: '' }]) {
        expect(messagesOf(env)).toEqual([
          expect.stringMatching(
            `^${missing}: must be set too, because ${given} is; set ${missing} to the .+, or unset`,
          ),
        ]);
      }
    }
    // A wrong value is there all the same.
    expect(faultsOf({ ...FORWARD_AUTH, FORWARD_AUTH_ORIGINS: 'x' })).toEqual(['FORWARD_AUTH_ORIGINS']);
  });

  test.each([
    ...['0.0.0.0/0', '0.0.0.0/00', '10.0.0.7/0', '::/0', 'fd00::/0', '::ffff:0:0/96', '::ffff:0.0.0.0/96'],
    ...['::ffff:10.0.0.7/90', '10.0.0.7,::/0', '*', 'all', 'true', '1'],
  ])('FORWARD_AUTH_PROXIES must not be everybody: %s', (value) => {
    expect(messagesOf({ ...FORWARD_AUTH, FORWARD_AUTH_PROXIES: value })).toEqual([
      expect.stringMatching(/^FORWARD_AUTH_PROXIES: must not be everybody: list .*FORWARD_AUTH_PROXIES=10\.0\.0\.7/),
    ]);
  });

  test('FORWARD_AUTH_PROXIES: words of other programs are answered with what to write', () => {
    const messageOf = (value: string) => messagesOf({ ...FORWARD_AUTH, FORWARD_AUTH_PROXIES: value });
    const networks = 'FORWARD_AUTH_PROXIES=127.0.0.1/32,::1/128';
    expect(messageOf('loopback')).toEqual([`FORWARD_AUTH_PROXIES: must list networks: write ${networks}`]);
    expect(messageOf('none')).toEqual([expect.stringMatching(/: must be unset, and FORWARD_AUTH_ORIGINS too/)]);
    for (const value of ['proxy.internal', '10.0.0.0/33', '10/8', '010.0.0.1', '10.0.0.7,', 'fe80::1%eth0.1']) {
      expect([value, messageOf(value)]).toEqual([
        value,
        ['FORWARD_AUTH_PROXIES: must be a list of CIDRs such as 10.0.0.7/32,fd00::/64'],
      ]);
    }
  });

  test.each([
    ...['https://app.example.com/path', 'https://app.example.com?q', 'https://u:p@app.example.com', 'app.example.com'],
    ...['wss://app.example.com', 'null', 'https://app.example.com,,https://b.example.com', 'https://.example.com'],
  ])('FORWARD_AUTH_ORIGINS must be origins: %s', (value) => {
    expect(messagesOf({ ...FORWARD_AUTH, FORWARD_AUTH_ORIGINS: value })).toEqual([
      expect.stringMatching(/^FORWARD_AUTH_ORIGINS: must be an origin such as https:/),
    ]);
  });

  test.each(['*', 'https://*.example.com', 'https://a.example.com, https://app.example.com:*'])(
    'FORWARD_AUTH_ORIGINS with a wildcard is refused: %s',
    (value) => {
      const message = 'FORWARD_AUTH_ORIGINS: has a *: name each origin, such as https://app.example.com';
      expect(messagesOf({ ...FORWARD_AUTH, FORWARD_AUTH_ORIGINS: value })).toEqual([message]);
    },
  );
});

/** What is wrong with a file for ROLE_SCOPES_FILE, and what is said of it */
const ROLE_FAULTS: Array<[string, text: string, message: string]> = [
  ['it is empty', '', 'that is not JSON, such as {"analyst": ["invoices:read"]}'],
  ['it is no JSON', '{secret: x}', 'that is not JSON, such as {"analyst": ["invoices:read"]}'],
  ...['[]', 'null', '"secret"', '{"secret": []}', '{"Analyst": []}', '{"__proto__": []}'].map(
    (text): [string, string, string] => [
      `it is ${text}`,
      text,
      'that has something else than viewer, analyst and admin with their scopes, such as {"analyst": ["invoices:read"]}',
    ],
  ),
  ['scopes are a text', '{"analyst": "secret:read"}', 'in which the scopes of analyst must be a list'],
  ['scopes are null', '{"viewer": null}', 'in which the scopes of viewer must be a list'],
  ['a scope is a number', '{"viewer": [1]}', 'in which the scopes of viewer must be texts'],
  ...['secret', 'Secret:read', 'secret:', 'secret:read ', 'secret:*', ''].map((scope): [string, string, string] => [
    `a scope is "${scope}"`,
    JSON.stringify({ admin: ['a:b', scope] }),
    'in which the scopes of admin must look like invoices:read, in lower case',
  ]),
  ...[
    'users:read',
    'users:write',
    'sessions:read',
    'sessions:write',
    'audit:read',
    'keys:read',
    'keys:write',
    'webhooks:read',
    'webhooks:write',
    'gateway:read',
    'tokens:introspect',
  ].map((scope): [string, string, string] => [
    `a scope is the gateway's ${scope}`,
    JSON.stringify({ viewer: ['secret:read', scope] }),
    'in which the scopes of viewer include one of the gateway itself: those come with the role, so remove it',
  ]),
  ['a scope is repeated', '{"admin": ["secret:b", "secret:b"]}', 'in which the scopes of admin are not all different'],
  [
    'there are 51 scopes',
    JSON.stringify({ analyst: Array.from({ length: 51 }, (_, i) => `secret:n${i}`) }),
    'in which the scopes of analyst are more than 50',
  ],
];

describe('Interface 2: ROLE_SCOPES_FILE', () => {
  test.each(ROLE_FAULTS)('%s', (_what, text, message) => {
    const messages = messagesOf({ ROLE_SCOPES_FILE: roleFile(text) });
    expect(messages).toEqual([`ROLE_SCOPES_FILE: names a file ${message}`]);
    expect(messages[0]).not.toMatch(/secret/i);
  });

  test('it is missing, or a folder', () => {
    const missing = join(roleFolder, 'secret.json');
    expect(messagesOf({ ROLE_SCOPES_FILE: missing })).toEqual([
      'ROLE_SCOPES_FILE: names a file that cannot be read (ENOENT)',
    ]);
    expect(messagesOf({ ROLE_SCOPES_FILE: roleFolder })).toEqual([
      'ROLE_SCOPES_FILE: names a file that cannot be read (EISDIR)',
    ]);
  });

  test('fifty scopes are taken, and each role may be left out', () => {
    const fifty = Array.from({ length: 50 }, (_, i) => `a:n${i}`);
    const path = roleFile(JSON.stringify({ viewer: fifty }));
    expect(readConfig({ ROLE_SCOPES_FILE: path }).roleScopes).toEqual({ viewer: fifty, analyst: [], admin: [] });
    const nothing = readConfig({ ROLE_SCOPES_FILE: roleFile('\uFEFF{}') }).roleScopes; // with a byte order mark
    expect(nothing).toEqual(readConfig({}).roleScopes);
  });
});

describe('Interface 2: DATABASE_URL and REDIS_URL from files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'config-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function file(text: string): Promise<string> {
    const path = join(folder, 'url');
    await writeFile(path, text);
    return path;
  }

  test.each(['', '\n', '\r\n', '\n\n'])('the text of the file counts, without newlines at its end: %j', async (end) => {
    for (const start of ['', '\uFEFF']) {
      const production = { NODE_ENV: 'production', DATABASE_URL_FILE: await file(`${start}${DATABASE_URL}${end}`) };
      expect(readConfig(production)).toMatchObject({ databaseUrl: DATABASE_URL, warnings: [] });
      const redis = { REDIS_URL_FILE: await file(`${start}redis://cache${end}`) };
      expect(readConfig(redis)).toMatchObject({ redis: REDIS, warnings: [] });
    }
  });

  test.each<[string, (path: string) => Environment, string]>([
    [
      'both',
      (path) => ({ DATABASE_URL, DATABASE_URL_FILE: path }),
      'DATABASE_URL_FILE: cannot be set together with DATABASE_URL',
    ],
    [
      'both',
      (path) => ({ REDIS_URL: 'redis://x', REDIS_URL_FILE: path }),
      'REDIS_URL_FILE: cannot be set together with REDIS_URL',
    ],
    [
      'a missing file',
      (path) => ({ DATABASE_URL_FILE: `${path}-2` }),
      'DATABASE_URL_FILE: names a file that cannot be read (ENOENT)',
    ],
    ['a folder', () => ({ REDIS_URL_FILE: tmpdir() }), 'REDIS_URL_FILE: names a file that cannot be read (EISDIR)'],
    [
      'another text',
      (path) => ({ DATABASE_URL_FILE: path }),
      expect.stringMatching(/^DATABASE_URL_FILE: must be one line: .+ or the word embedded \(in a password, .+%25\)$/),
    ],
    [
      'another text',
      (path) => ({ REDIS_URL_FILE: path }),
      expect.stringMatching(/^REDIS_URL_FILE: must be one line: a URL such as /),
    ],
  ])('a fault: %s', async (_name, env, message) => {
    const path = await file('secret-text');
    for (const NODE_ENV of ['development', 'production']) {
      const more: Environment = 'REDIS_URL_FILE' in env(path) ? { DATABASE_URL } : {};
      expect(messagesOf({ NODE_ENV, ...more, ...env(path) })).toEqual([message]);
    }
  });

  test('a second line is a fault: it would be a part of the name of the database, which commands print', async () => {
    expect(faultsOf({ DATABASE_URL_FILE: await file(`${DATABASE_URL}\nsecret-text`) })).toEqual(['DATABASE_URL_FILE']);
    expect(faultsOf({ REDIS_URL_FILE: await file('redis://cache\nsecret-text') })).toEqual(['REDIS_URL_FILE']);
  });

  test('an empty file is a fault, and never the embedded database', async () => {
    expect(faultsOf({ DATABASE_URL_FILE: await file('\n') })).toEqual(['DATABASE_URL_FILE']);
  });
});

/** What shells, continuous integration and hosting platforms export, and what other programs read. */
const OF_OTHERS =
  `HOST HOSTNAME HOSTTYPE MACHTYPE OSTYPE SHELL SHLVL USER LOGNAME HOME PATH PWD OLDPWD LANG LC_ALL TERM TZ TMPDIR
  EDITOR PAGER DISPLAY MAIL COLUMNS LINES XDG_DATA_DIRS XDG_DATA_HOME XDG_RUNTIME_DIR SSH_AUTH_SOCK GNOME_KEYRING_CONTROL
  PORTS NODE_OPTIONS NODE_PATH NODE_VERSION NODE_EXTRA_CA_CERTS NPM_TOKEN npm_config_cache npm_lifecycle_event INIT_CWD
  UV_THREADPOOL_SIZE CI DEBUG NO_COLOR FORCE_COLOR GITHUB_ACTIONS GITHUB_TOKEN GITLAB_CI RUNNER_OS BUILD_ID JENKINS_URL DYNO
  HEROKU_APP_NAME REDIS_TLS_URL DATABASE_POOL_URL DATABASE_HOST DATABASE_PORT DATABASE_USER DATABASE_NAME DATABASE_PASSWORD
  REDIS_HOST REDIS_PORT REDIS_PASSWORD PGHOST PGPORT PGUSER PGPASSWORD POSTGRES_URL POSTGRES_PASSWORD PUBLIC_DOMAIN PUBLIC_IP
  RAILWAY_PUBLIC_DOMAIN RENDER_EXTERNAL_URL FLY_APP_NAME VERCEL_URL K_SERVICE KUBERNETES_PORT KUBERNETES_SERVICE_HOST
  GATEWAY_PORT GATEWAY_SERVICE_HOST REDIS_SERVICE_HOST LISTEN_FDS LISTEN_PID INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET
  WEBSITE_HOSTNAME AWS_REGION DOTNET_ROOT JAVA_HOME VIRTUAL_ENV CONDA_PREFIX http_proxy HTTPS_PROXY NO_PROXY _`.split(
    /\s+/,
  );

test('Interface 2: what others export is not warned about', () => {
  const env = { ...Object.fromEntries(OF_OTHERS.map((name) => [name, 'x'])), MAIL: '/var/mail/ada' };
  expect(readConfig(env).warnings).toEqual([]);
});

function misspelt(name: string, meant: string) {
  const remedy = `did you mean ${meant}? Rename it, or remove it`;
  return { check: 'configuration', reason: `${name}: unknown variable`, remedy };
}

test.each([
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['TRUST_PROXIES', 'TRUST_PROXY'],
  ['TRUSTED_PROXY', 'TRUST_PROXY'],
  ['LOGIN_RATE_LIMITS', 'LOGIN_RATE_LIMIT'],
  ['COOKIE_SAME_SITE', 'COOKIE_SAMESITE'],
  ['GRAPHQL_EXPLORE', 'GRAPHQL_EXPLORER'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['REDIS_URL_FILES', 'REDIS_URL_FILE'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['ARGON2_MEMORY_KB', 'ARGON2_MEMORY_KIB'],
  ['PUBLIC_URI', 'PUBLIC_URL'],
  ['REUSEPORT', 'REUSE_PORT'],
  ['FORWARD_AUTH_PROXY', 'FORWARD_AUTH_PROXIES'],
  ['FORWARD_AUTH_ORIGIN', 'FORWARD_AUTH_ORIGINS'],
  ['ROLE_SCOPE_FILE', 'ROLE_SCOPES_FILE'],
])('Interface 2: %s is warned about: %s was meant', (name, meant) => {
  expect(readConfig({ [name]: 'secret' }).warnings).toEqual([misspelt(name, meant)]);
  expect(readConfig({ [name]: '' }).warnings).toEqual([]);
});

test.each(VARIABLES.map(([name]) => name).filter((name) => !['MAIL', 'PORT'].includes(name)))(
  'Interface 2: every slip of a letter in %s is warned about',
  (name) => {
    const without = (i: number): string => name.slice(0, i) + name.slice(i + 1);
    const slips = [`${name}S`, ...Array.from(name, (_, i) => without(i)), name.replace('_', '')];
    const known = new Set(VARIABLES.map(([variable]) => variable));
    for (const slip of slips.filter((text) => !known.has(text))) {
      const [line, ...others] = readConfig({ [slip]: 'x' }).warnings;
      expect([slip, line, others]).toEqual([slip, misspelt(slip, name), []]);
    }
  },
);

test.each(VARIABLES.map(([name]) => name).filter((name) => !/^(DATABASE|REDIS|SMTP)_URL$/.test(name)))(
  'Interface 2: %s is not read from a file, and a file for it is warned about',
  (name) => {
    expect(readConfig({ [`${name}_FILE`]: '/run/secrets/x' }).warnings).toEqual([
      {
        check: 'configuration',
        reason: `${name}_FILE: no effect, because only DATABASE_URL_FILE, SMTP_URL_FILE and REDIS_URL_FILE name files`,
        remedy: `remove it, and set ${name} itself`,
      },
    ]);
    expect(readConfig({ [`${name}_FILE`]: '' }).warnings).toEqual([]);
  },
);

test('Interface 2: https without TRUST_PROXY is warned about, since TLS ends at a proxy', () => {
  const warningsOf = (env: Environment) => readConfig({ DATABASE_URL, ...env }).warnings;
  const https = { PUBLIC_URL: 'https://auth.example.com' };
  const reason = expect.stringMatching(/^PUBLIC_URL is https and TRUST_PROXY is unset: /);
  expect(warningsOf(https)).toEqual([
    { check: 'proxy_unknown', reason, remedy: expect.stringContaining('set TRUST_PROXY') },
  ]);
  expect(warningsOf({ ...https, TRUST_PROXY: '10.0.0.7/32' })).toEqual([]);
  expect(warningsOf({ PUBLIC_URL: 'http://auth.example.com', COOKIE_SECURE: 'false' })).toEqual([]);
});

test('Interface 2: development that other machines can reach is warned about', () => {
  const warned = [
    {
      check: 'listen_host',
      reason: 'LISTEN_HOST lets other machines in, but by its PUBLIC_URL this is development, explorer included',
      remedy: 'set PUBLIC_URL to the public origin, or unset LISTEN_HOST',
    },
  ];
  for (const LISTEN_HOST of ['0.0.0.0', '::', '192.0.2.1'])
    expect(readConfig({ LISTEN_HOST }).warnings).toEqual(warned);
  for (const LISTEN_HOST of ['127.0.0.2', '::1', 'localhost']) expect(readConfig({ LISTEN_HOST }).warnings).toEqual([]);
  const proxied = { PUBLIC_URL: 'https://auth.example.com', TRUST_PROXY: '10.0.0.7/32' };
  const production = { LISTEN_HOST: '0.0.0.0', ...proxied, DATABASE_URL };
  expect(readConfig(production).warnings).toEqual([]);
  expect(readConfig({ LISTEN_HOST: '0.0.0.0', NODE_ENV: 'production', DATABASE_URL }).warnings).toEqual([]);
});

test('Interface 2: the start warns once, and never repeats a value', async () => {
  const env = { DATABASE_URL: 'postgresql://127.0.0.1:1/none', KEYRING_FILE: '/nowhere/keyring.json' };
  const { code, stdout, stderr } = await run(['start'], { env: { ...env, CORS_ORIGIN: 'https://secret.example' } });
  expect(code).toBe(78); // for want of a keyring
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg);
  expect(lines).toEqual(['CORS_ORIGIN: unknown variable; did you mean CORS_ORIGINS? Rename it, or remove it']);
  expect(stdout + stderr).not.toContain('secret');
});
