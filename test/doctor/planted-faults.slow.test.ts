/**
 * `doctor` finds each fault that is planted for real, and names a remedy; once that is carried out, the finding is
 * gone. All other findings stay well. (Interface 9)
 */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import pg from 'pg';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createUser, deleteUser } from '../../src/admin/user-changes.js';
import { createWebhook, deleteWebhook, pauseWebhook, resumeWebhook } from '../../src/admin/webhooks.js';
import { readConfig } from '../../src/config/config.js';
import { generateKeys, writeKeyringFile } from '../../src/credentials/keyring/keyring-file.js';
import { sealSecret } from '../../src/credentials/sealed-secret.js';
import { openDatabase } from '../../src/db/database.js';
import { MIGRATION_NAMES } from '../../src/db/migrate.js';
import { sweep } from '../../src/db/sweeper.js';
import { examineAtStart } from '../../src/doctor/examine.js';
import { FINDINGS, type FindingName, type PrintedFinding } from '../../src/doctor/finding.js';
import { expiringRows } from '../../src/start/compose.js';
import { type Receiver, startReceiver } from '../outbox/receiver.js';
import { askAs } from '../support/gateway/authz.js';
import { run, runHere } from '../support/gateway/cli.js';
import { runningClock } from '../support/gateway/clock.js';
import {
  badIn,
  type Certificates,
  certificatesIn,
  type Edge,
  type Env,
  look,
  ownAddress,
  ownKeyring,
  type Seen,
  startEdge,
  startForward,
  startSilentServer,
} from '../support/gateway/doctor.js';
import { withPasskey } from '../support/gateway/factors.js';
import { startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { redeem } from '../support/gateway/passwords.js';
import { login } from '../support/gateway/routes.js';
import { asRecord, documentsFile, sha256 } from '../support/gateway/trusted-documents.js';
import { startAnotherPostgres } from '../support/postgres/another-postgres.js';
import { bridgeTo } from '../support/postgres/bridge.js';
import { hasPgBouncer, startPgBouncer } from '../support/postgres/pgbouncer.js';
import { asSuperuser, createDatabase } from '../support/postgres/postgres.js';
import { canMount } from '../support/postgres/small-disk.js';
import { freePort, startRedis } from '../support/programs/redis.js';
import { withRedis } from '../support/programs/with-redis.js';
import { until } from '../support/until.js';

const isRequired = process.env['REQUIRE_PROGRAMS'] === '1';
const cleanUp = new AsyncDisposableStack();
const trusted = getCACertificates('default');

let gateway: TestGateway;
let keyring: Awaited<ReturnType<typeof ownKeyring>>;
let certificates: Certificates;
let edge: Edge;
/** Of production, behind a proxy that ends TLS; nothing is wrong with it */
let well: Env;

beforeAll(async () => {
  keyring = await ownKeyring();
  cleanUp.defer(keyring.remove);
  certificates = await certificatesIn(keyring.folder);
  const certificate = await certificates.make(365, 'DNS:localhost');
  setDefaultCACertificates([...trusted, certificate.cert]);
  cleanUp.defer(() => setDefaultCACertificates(trusted));
  edge = await startEdge(certificate);
  cleanUp.defer(edge.close);
  well = {
    NODE_ENV: 'production',
    PUBLIC_URL: `https://localhost:${edge.port}`,
    TRUST_PROXY: '127.0.0.1',
    METRICS_PORT: '9464',
    KEYRING_FILE: keyring.file,
    PORT: String(await freePort()), // where no gateway answers: that of the tests allows more logins
  };
  const env = Object.fromEntries(Object.entries(well).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  gateway = await startGateway({ env, clock: runningClock() });
  cleanUp.defer(gateway.close);
  edge.leadTo(gateway.url);
  well['DATABASE_URL'] = gateway.database.url;
  await gateway.user({ role: 'admin', email: 'root@example.com' });
  await gateway.rows('update users set password_chosen_by_user = true');
});
afterAll(() => cleanUp.disposeAsync());

const NAMES = Object.keys(FINDINGS) as FindingName[];
const planted = new Set<FindingName>();
afterAll(() => {
  if (planted.size < NAMES.length / 2) return; // with `-t` only some of the tests run
  const never: FindingName[] = ['database_version']; // no PostgreSQL before 14 is at hand
  expect(NAMES.filter((name) => !planted.has(name))).toEqual(never); // what has a name has been planted
});

/** Looks, and expects this finding alone. @returns it */
async function expectOne(
  severity: PrintedFinding['severity'],
  check: FindingName,
  remedy: string | RegExp,
  found: Promise<PrintedFinding[]>,
): Promise<PrintedFinding> {
  const bad = await badIn(found);
  expect(bad).toEqual([{ severity, check, seen: expect.any(String), remedy: expect.stringMatching(remedy) }]);
  planted.add(check);
  return bad[0] as PrintedFinding;
}

async function expectWell(env: Env = well, seen: Seen = {}): Promise<void> {
  expect(await badIn(look(env, seen))).toEqual([]);
}

test('where nothing is planted there is nothing to find, and what was looked at is told', async () => {
  await expectWell();
  const names = new Set((await look(well)).map(({ check }) => check));
  const elsewhere: FindingName[] = ['redis', 'redis_eviction', 'redis_tls', 'password_speed', 'disk'];
  expect(NAMES.filter((name) => !names.has(name))).toEqual(NAMES.filter((name) => elsewhere.includes(name)));
});

test('warning login_limits: the limit is that of the running gateway, and a shell with another is warned', async () => {
  const only = 'login_limits';
  const there = { ...well, PORT: new URL(gateway.url).port };
  const same = { ...there, LOGIN_RATE_LIMIT: String(gateway.config.login.rateLimit) };
  const loose = await expectOne('warning', only, 'unset LOGIN_RATE_LIMIT', look(same, { only }));
  const read = `by LOGIN_RATE_LIMIT=1000000 of the gateway at ${gateway.url}, an address, such as that of a whole office, `;
  expect(loose.seen).toContain(`${read}may log in 1000000 times in 900 s; by this shell's LOGIN_MAX_FAILURES, 5 wrong`);
  const differs = await expectOne(
    'warning',
    only,
    'variables of that gateway',
    look({ ...there, NODE_ENV: '' }, { only }),
  );
  expect(differs.seen).toMatch(/; here LOGIN_RATE_LIMIT is 5, and LOGIN_RATE_WINDOW_SECONDS 900$/);
  const [alone] = await look(well, { only });
  expect(alone?.seen).toContain(
    `by this shell's LOGIN_RATE_LIMIT=5, as no gateway answers at http://127.0.0.1:${well['PORT']}, `,
  );
});

/** The variables that plant it, and those that carry out the remedy; what is undefined is unset. */
type Setting = [severity: 'fault' | 'warning', check: FindingName, plant: Env, remedy: RegExp, cure: Env];

const FORWARD_AUTH = { FORWARD_AUTH_PROXIES: '127.0.0.1', FORWARD_AUTH_ORIGINS: 'https://app.example.com' };
/** Private networks of any size, and public ones that a company may have */
const NARROW =
  '10.0.0.0/8,172.16.0.0/12,100.64.0.0/10,127.0.0.0/8,fc00::/7,fe80::/10,203.0.0.0/16,2001:db8::/32,192.0.2.1';

const SETTINGS: Setting[] = [
  [
    'warning',
    'configuration',
    { CORS_ORIGIN: 'x' },
    /^did you mean CORS_ORIGINS\?/,
    { CORS_ORIGINS: 'https://localhost' },
  ],
  ['warning', 'configuration', { PORT_FILE: 'x' }, /remove/, {}],
  ['warning', 'login_limits', { LOGIN_RATE_LIMIT: '1000' }, /unset LOGIN_RATE_LIMIT/, {}],
  ['warning', 'login_limits', { LOGIN_MAX_FAILURES: '1000' }, /unset LOGIN_MAX_FAILURES/, {}],
  ['warning', 'token_lifetimes', { ACCESS_TOKEN_TTL_SECONDS: '86400' }, /unset ACCESS_TOKEN_TTL_SECONDS/, {}],
  ['fault', 'token_lifetimes', { REFRESH_TOKEN_TTL_SECONDS: '60' }, /unset .*REFRESH_TOKEN_TTL_SECONDS/, {}],
  ['warning', 'log_level', { LOG_LEVEL: 'error' }, /LOG_LEVEL=info/, { LOG_LEVEL: 'info' }],
  ['warning', 'proxy_unknown', { TRUST_PROXY: '' }, /set TRUST_PROXY/, { TRUST_PROXY: '127.0.0.1/32' }],
  ['fault', 'breached_passwords', { BREACHED_PASSWORDS: '/missing' }, /how to download them, or unset it/, {}],
  ['fault', 'trust_proxy', { TRUST_PROXY: '0.0.0.0/0,::/0' }, /your proxies only/, { TRUST_PROXY: '10.0.0.0/8' }],
  ['fault', 'trust_proxy', { TRUST_PROXY: '0.0.0.0/1,128.0.0.0/1' }, /your proxies only/, { TRUST_PROXY: '::1' }],
  [
    'fault',
    'cookie',
    { CORS_ORIGINS: 'https://app.example' },
    /SAMESITE=none/,
    { CORS_ORIGINS: 'https://app.example', COOKIE_SAMESITE: 'none' },
  ],
  ['warning', 'cookie', { COOKIE_SAMESITE: 'none' }, /unset COOKIE_SAMESITE/, {}],
  ['warning', 'cookie', { COOKIE_SECURE: 'false' }, /unset COOKIE_SECURE/, {}],
  ['warning', 'cors_origins', { CORS_ORIGINS: 'https://localhost:5173' }, /remove .*:5173 from/, {}],
  ...[
    ...['203.0.0.0/8', '0.0.0.0/1', '10.0.0.0/7', '172.16.0.0/11', '198.51.0.0/15', '::ffff:203.0.0.0/104'],
    ...['2001:db8::/31', '2000::/3', 'fc00::/6', '::/1'],
  ].map((proxies): Setting => {
    const cure = { ...FORWARD_AUTH, FORWARD_AUTH_PROXIES: NARROW };
    return [
      'warning',
      'forward_auth',
      { ...cure, FORWARD_AUTH_PROXIES: `10.0.0.7,${proxies}` },
      /^list the addr/,
      cure,
    ];
  }),
  [
    'warning',
    'forward_auth',
    { ...FORWARD_AUTH, FORWARD_AUTH_ORIGINS: 'https://app.example.com,http://b.example.com:8080' },
    /^let the proxy end TLS/,
    { ...FORWARD_AUTH, FORWARD_AUTH_ORIGINS: 'https://app.example.com,http://localhost:8080' },
  ],
];

test.each(SETTINGS)('%s %s: %p', async (severity, check, plant, remedy, cure) => {
  const only = check;
  await expectOne(severity, check, remedy, look({ ...well, ...plant }, { only }));
  await expectWell({ ...well, ...cure }, { only });
});

test('trusted_documents: a file that is refused, and documents that do not fit the schema', async () => {
  const only = 'trusted_documents';
  using file = documentsFile('{}');
  const env = { ...well, TRUSTED_DOCUMENTS: file.path, TRUSTED_DOCUMENTS_ONLY: 'user' };
  file.write(JSON.stringify({ [sha256('{ a }')]: '{ b }' }));
  await expectOne('fault', only, /^write it again by the tool/, look(env, { only }));
  file.write(
    asRecord('{ caller { callerType } }', 'query Gone { a }', ...[1, 2, 3, 4, 5].map((i) => `query More${i} { a }`)),
  );
  const found = await expectOne('warning', only, /^generate them again from the schema/, look(env, { only }));
  expect(found.seen).toContain(`: Gone of ${file.path}, More1 of ${file.path}, More2 of`);
  expect(found.seen).toMatch(/ and 1 more$/);
  file.write(asRecord('{ caller { callerType } }'));
  await expectWell(env, { only });
});

test('warning forward_auth: most questions come from peers that the running gateway does not list', async () => {
  const only = 'forward_auth';
  const startWith = (FORWARD_AUTH_PROXIES: string) =>
    startInstance(gateway.database, { env: { ...FORWARD_AUTH, FORWARD_AUTH_PROXIES } });
  /** With METRICS_PORT or without, as it is written down */
  const lookAt = ({ url }: { url: string }, metrics: 'PORT' | 'METRICS_PORT') => {
    const ports = { PORT: well['PORT'], METRICS_PORT: undefined, [metrics]: new URL(url).port };
    return look({ ...well, ...FORWARD_AUTH, ...ports }, { only });
  };
  const [unlisted, listed] = [await startWith('192.0.2.1'), await startWith('127.0.0.1')];
  try {
    expect((await lookAt(unlisted, 'PORT'))[0]?.seen).toMatch(/; none has asked since the start of the gateway$/);
    for (let i = 0; i < 9; i += 1) await askAs(unlisted, 'auth-request', 'caller=user'); // as often as doctor itself may
    const few = '; 0 questions since the start of the gateway, and 9 of other peers (peer_ip in the log)';
    expect((await lookAt(unlisted, 'PORT'))[0]).toMatchObject({ severity: 'ok', seen: expect.stringContaining(few) });
    await askAs(unlisted, 'ext-authz', 'caller=user');
    for (let i = 0; i < 4; i += 1) await askAs(listed, 'auth-request', 'caller=user');
    for (const metrics of ['PORT', 'METRICS_PORT'] as const) {
      const found = await expectOne('warning', only, /^look for peer_ip in the log/, lookAt(unlisted, metrics));
      expect(found.seen).toMatch(/^since the start of the gateway 10 of 10 questions of proxies came from peers that/);
      expect(await lookAt(listed, metrics)).toMatchObject([
        {
          severity: 'ok',
          seen: expect.stringMatching(
            /^1 network of proxies may ask, for 1 origin; 4 questions .*, and 0 of other peers/,
          ),
        },
      ]);
    }
    expect((await look({ ...well, ...FORWARD_AUTH }, { only }))[0]?.seen).toMatch(/which was not asked$/);
    expect((await lookAt(gateway, 'PORT'))[0]?.seen).toMatch(/which was not asked$/); // it is off there
  } finally {
    await unlisted.close();
    await listed.close();
  }
});

/** Browsers know these names; whether anybody answers there does not matter. */
test.each<[severity: 'fault' | 'warning', origin: string, plant: Env, remedy: RegExp]>([
  ['fault', 'https://auth.shop.co.uk', { COOKIE_DOMAIN: 'co.uk' }, /^unset COOKIE_DOMAIN/],
  ['warning', 'https://auth.example.com', { COOKIE_DOMAIN: 'example.com' }, /^unset COOKIE_DOMAIN/],
  ['warning', 'https://auth.example.com', { COOKIE_DOMAIN: '.Auth.example.com' }, /^unset COOKIE_DOMAIN/],
  ['fault', 'https://me.github.io', { CORS_ORIGINS: 'https://you.github.io' }, /COOKIE_SAMESITE=none/],
  ['fault', 'http://auth.example.com', { COOKIE_SECURE: 'true' }, /https origin/],
  ['warning', 'http://auth.example.com', { COOKIE_SECURE: 'false' }, /https origin/],
])('%s cookie: at %s %p', async (severity, PUBLIC_URL, plant, remedy) => {
  await expectOne(severity, 'cookie', remedy, look({ ...well, PUBLIC_URL, ...plant }, { only: 'cookie' }));
});

test('cookie: SameSite=none is never the remedy with a COOKIE_DOMAIN', async () => {
  const shared = { ...well, PUBLIC_URL: 'https://auth.example.com', COOKIE_DOMAIN: 'example.com' };
  for (const origin of ['https://app.example.org', 'http://app.example.com']) {
    const bad = await badIn(look({ ...shared, CORS_ORIGINS: origin }, { only: 'cookie' }));
    expect(bad.map(({ severity, remedy }) => [severity, remedy])).toEqual([
      ['fault', 'serve that page from the site of PUBLIC_URL, by the same scheme'],
      ['warning', expect.stringMatching(/^unset COOKIE_DOMAIN/)],
    ]);
  }
});

test.each([
  ['https://auth.example.com', ''],
  ['https://github.io', 'github.io'], // browsers keep it for that host alone
  ['https://127.0.0.1', '127.0.0.1'],
  ['https://192.0.2.1', '192.0.2.1'],
  ['https://localhost', 'localhost'],
])('cookie: at %s COOKIE_DOMAIN %p has no hosts of others below it', async (PUBLIC_URL, COOKIE_DOMAIN) => {
  await expectWell({ ...well, PUBLIC_URL, COOKIE_DOMAIN }, { only: 'cookie' });
});

test('warning listen_host: other machines are let into development', async () => {
  const env = { ...well, NODE_ENV: undefined, LISTEN_HOST: '0.0.0.0' };
  await expectOne('warning', 'listen_host', 'unset LISTEN_HOST', look(env));
  await expectWell({ ...env, LISTEN_HOST: undefined });
});

test('fault configuration: each fault of it is a finding, and the command exits with 1', async () => {
  const ran = await runHere(['doctor', '--json'], () => readConfig({ PORT: 'x', ARGON2_PASSES: '1' }));
  expect([ran.code, ran.stderr]).toEqual([1, '2 faults, 0 warnings, 0 ok\n']);
  expect(JSON.parse(ran.stdout)).toMatchObject([
    { severity: 'fault', check: 'configuration', remedy: expect.stringMatching(/^correct PORT or unset it;/) },
    { severity: 'fault', check: 'configuration', remedy: expect.stringMatching(/^correct ARGON2_PASSES or unset it;/) },
  ]);
});

test('fault configuration: what production requires is not to be unset', async () => {
  const ran = await runHere(['doctor'], () => readConfig({ NODE_ENV: 'production' }));
  expect([ran.code, ran.stderr]).toEqual([1, '1 fault, 0 warnings, 0 ok\n']);
  expect(ran.stdout).toContain(
    'remedy: set DATABASE_URL=postgresql://USER:PASSWORD@HOST/DATABASE, or DATABASE_URL=embedded; docs',
  );
});

describe('machine', () => {
  test('warning open_files: a real limit, which the command has', async () => {
    const env = { ...well, PATH: process.env['PATH'], NODE_OPTIONS: '--no-warnings' } as NodeJS.ProcessEnv;
    const words = `ulimit -n 512; exec ${process.execPath} dist/program/main.js doctor --json`;
    const ran = await promisify(execFile)('sh', ['-c', words], { env }).catch((refused) => refused); // a fault exits with 1
    const found = JSON.parse(ran.stdout) as PrintedFinding[];
    expect(found.find(({ check }) => check === 'open_files')).toMatchObject({ severity: 'warning' });
    await expectOne('warning', 'open_files', 'ulimit -n 65536', look(well, { machine: { openFiles: 1_024 } }));
    await expectWell(well, { machine: { openFiles: 65_536 } });
  });

  test('fault memory: less than the program and the passwords take', async () => {
    const machine = { memoryMib: 512, cores: 4 };
    const env = { ...well, ARGON2_MEMORY_KIB: '262144' };
    const { seen } = await expectOne('fault', 'memory', 'lower ARGON2_MEMORY_KIB', look(env, { machine }));
    expect(seen).toContain('4 passwords at once 1024');
    await expectWell({ ...env, ARGON2_MEMORY_KIB: '19456' }, { machine });
    const least = { ...env, ARGON2_MEMORY_KIB: '19456' };
    const small = { ...machine, memoryMib: 256 };
    const { remedy } = await expectOne('fault', 'memory', 'give it 326 MiB', look(least, { machine: small }));
    expect(remedy).toBe('give it 326 MiB of memory'); // the other half is at its minimum
    await expectWell(env, { machine: { ...machine, memoryMib: 1_280 } });
  });

  test('warning password_speed: slow parameters', async () => {
    const only = 'password_speed';
    await expectOne(
      'warning',
      only,
      'lower ARGON2_PASSES',
      look({ ...well, ARGON2_PASSES: '60', ARGON2_MEMORY_KIB: '32768' }, { only }),
    );
    const { remedy } = await expectOne(
      'warning',
      only,
      'lower ARGON2_PASSES',
      look({ ...well, ARGON2_PASSES: '100' }, { only }),
    );
    expect(remedy).not.toContain('ARGON2_MEMORY_KIB'); // which is at its minimum
    expect(await look(well, { only })).toMatchObject([{ check: only }]);
  });

  (canMount ? test : test.skip)('fault disk: the disk of the embedded database is nearly full', async () => {
    const disk = `${keyring.folder}/disk`;
    spawnSync('mkdir', [disk]);
    const mount = (size: string) => spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', disk]);
    const env = { ...well, DATABASE_URL: 'embedded', DATA_DIR: `${disk}/data` };
    mount('64m');
    try {
      await expectOne('fault', 'disk', 'free 1024 MiB or more on that disk', look(env, { only: 'disk' }));
      spawnSync('mount', ['-o', 'remount,size=512m', disk]);
      await expectOne('warning', 'disk', 'free 1024 MiB or more on that disk', look(env, { only: 'disk' }));
      spawnSync('mount', ['-o', 'remount,size=2g', disk]);
      await expectWell(env, { only: 'disk' });
    } finally {
      spawnSync('umount', [disk]);
    }
  });
});

describe('keyring', () => {
  /** Changes it, looks, and puts it back. */
  async function withKeyring(change: () => Promise<unknown>, work: () => Promise<unknown>): Promise<void> {
    const [before, publishedBefore] = [await readFile(keyring.file), await published()];
    try {
      await change();
      await work();
    } finally {
      await rm(keyring.file, { force: true });
      await writeFile(keyring.file, before, { mode: 0o600 });
      await chmod(keyring.folder, 0o700);
    }
    await until('the gateway has read it again', async () => (await published()) === publishedBefore);
    await expectWell();
  }
  const published = async () => (await gateway.send('GET', '/.well-known/jwks.json')).text;
  const carryOut = ({ remedy }: PrintedFinding): void => {
    expect(spawnSync('sh', ['-c', (remedy ?? '').replace(/^run: |, or for .*/g, '')]).status).toBe(0);
  };

  test('fault keyring: it is missing, and `keyring create` makes one', async () => {
    const missing = `${keyring.folder}/missing.json`;
    const env = { KEYRING_FILE: missing, DATABASE_URL: gateway.database.url };
    const ran = await run(['doctor', '--json'], { env });
    const found = (JSON.parse(ran.stdout) as PrintedFinding[]).find(({ check }) => check === 'keyring');
    expect(found).toMatchObject({ severity: 'fault', remedy: expect.stringContaining(`create --out ${missing}`) });
    const words = /run: auth-gateway (.+)/.exec(found?.remedy ?? '')?.[1]?.split(' ') ?? [];
    expect((await runHere(words, () => readConfig({}))).code).toBe(0);
    // It is another keyring than that of the gateway which answers.
    await expectOne('fault', 'public_url', 'copy the keyring', look({ ...well, KEYRING_FILE: missing }));
  });

  test.each<['fault' | 'warning', FindingName, string, () => string, string]>([
    ['fault', 'keyring', 'others may write it', () => keyring.file, 'o+w'],
    ['fault', 'keyring', 'others may write its folder', () => keyring.folder, 'o+w'],
    ['warning', 'keyring_readable', 'others may read it', () => keyring.file, 'o+r'],
  ])('%s %s: %s, and the chmod of the remedy helps', async (severity, check, _, path, mode) => {
    await withKeyring(
      async () => spawnSync('chmod', [mode, path()]),
      async () => {
        carryOut(await expectOne(severity, check, /^run: chmod o-[rw] /, look(well)));
        await expectWell();
      },
    );
  });

  test('fault keyring: it is no JSON, or no key may be used yet', async () => {
    await withKeyring(
      () => writeFile(keyring.file, '{'),
      () => expectOne('fault', 'keyring', 'a backup', look(well)),
    );
    const later = Math.floor(Date.now() / 1000) + 3_600;
    await withKeyring(
      async () => {
        await rename(keyring.file, `${keyring.file}.old`);
        await writeKeyringFile(keyring.file, await generateKeys('EdDSA', later), 'create');
      },
      async () => {
        const bad = await badIn(look(well, { only: 'keyring' }));
        expect(bad).toMatchObject([{ severity: 'fault', check: 'keyring', remedy: expect.stringMatching(/clock/) }]);
      },
    );
  });

  test('warning keyring_owner: a stranger may replace the keys', async () => {
    const { uid: ours = 0 } = { uid: process.getuid?.() };
    const machine = { uid: 4_711 };
    if (ours === 0) await chown(keyring.file, 4_712, 0);
    await expectOne('warning', 'keyring_owner', `run: chown 4711 ${keyring.file}`, look(well, { machine }));
    if (ours === 0) await chown(keyring.file, 4_711, 0);
    await expectWell(well, { machine: { uid: ours === 0 ? 4_711 : ours } });
    if (ours === 0) await chown(keyring.file, 0, 0);
  });

  test('warning keyring_rotation: keys of more than ninety days, which `keyring rotate` ends', async () => {
    await withKeyring(
      async () => {
        const then = Date.now() / 1000 - 101 * 86_400;
        await utimes(keyring.file, then, then);
      },
      async () => {
        const found = await expectOne('warning', 'keyring_rotation', 'run: auth-gateway keyring rotate', look(well));
        expect(found.seen).toMatch(/10[01] days/);
        const config = readConfig(well);
        expect((await runHere(['keyring', 'rotate'], () => config)).code).toBe(0);
        const [after] = (await look(well)).filter(({ check }) => check === 'keyring');
        expect(after?.seen).toMatch(/access: \S+ \(EdDSA\), then \S+ from \S+Z on, 2 in all/);
        expect((await badIn(look(well))).filter(({ check }) => check.startsWith('keyring'))).toEqual([]);
      },
    );
  });
});

/** A database of its own for what is wrong with one, and straight to it as its owner or the superuser. */
async function withDatabase(
  from: 'migrated' | 'empty',
  work: (env: Env, sql: (text: string, user?: string) => Promise<unknown>, name: string) => Promise<void>,
): Promise<void> {
  const database = await createDatabase(from);
  const sql = async (text: string, user?: string): Promise<unknown> => {
    const url = new URL(database.url);
    if (user !== undefined) url.username = user;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    return client.query(text).finally(() => client.end());
  };
  const env = { ...well, DATABASE_URL: database.url };
  try {
    if (from === 'migrated') await sql(ADMINISTRATOR);
    await work(env, sql, database.name);
  } finally {
    await database.drop();
  }
}
const ADMINISTRATOR = `insert into users (email, password_hash, role) values ('admin@example.com', '', 'admin')`;
/** As by a link. */
const CHANGED = 'update users set password_version = 1, password_chosen_by_user = true';

describe('database', () => {
  const only = 'database';

  test('fault database: nobody listens, or there is no such database', async () => {
    const port = await freePort();
    const refused = { ...well, DATABASE_URL: `postgresql://gateway:secret@127.0.0.1:${port}/gateway` };
    const found = await expectOne('fault', only, 'start PostgreSQL', look(refused));
    expect(found.seen).toContain('ECONNREFUSED');
    const missing = { ...well, DATABASE_URL: gateway.database.url.replace(gateway.database.name, 'missing') };
    await expectOne('fault', only, 'createdb NAME', look(missing));
  });

  test('fault database: it asks for a password, and DATABASE_URL has none', async () => {
    const other = await startAnotherPostgres();
    cleanUp.defer(other.stop);
    const url = new URL(other.url('postgres'));
    await other.asSuperuser(`alter role ${url.username} password 'secret'`);
    await other.asSuperuser(`do $$ begin
      execute format('copy (values (''local all postgres trust''), (''local all all scram-sha-256'')) to %L',
        current_setting('hba_file'));
      perform pg_reload_conf();
    end $$`);
    const env = { ...well, DATABASE_URL: url.href };
    await until('a password is asked for', async () => (await badIn(look(env, { only }))).length > 0);
    const found = await expectOne('fault', only, 'postgresql://USER:PASSWORD@', look(env));
    expect(found.seen).toMatch(/: the server requires a password, and DATABASE_URL has none$/);
    const listed = await runHere(['user', 'list'], () => readConfig(env));
    expect([listed.code, listed.stderr]).toEqual([
      1,
      expect.stringMatching(/^the database cannot be reached: the server requires a password, .+\n$/m),
    ]);
    url.password = 'secret';
    const names = (await look({ ...env, DATABASE_URL: url.href }, { only })).map(({ seen }) => seen);
    expect(names[0]).toMatch(/^connected to postgres as /);
  });

  test('fault database: TLS is asked for, and the server speaks none', async () => {
    const { port } = await bridge();
    const { username, pathname } = new URL(gateway.database.url);
    for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
      const DATABASE_URL = `postgresql://${username}@127.0.0.1:${port}${pathname}?sslmode=${mode}`;
      const found = await expectOne('fault', only, 'remove sslmode from DATABASE_URL', look({ ...well, DATABASE_URL }));
      expect(found.seen).toMatch(/: the server does not support TLS$/);
    }
    const DATABASE_URL = `postgresql://${username}@127.0.0.1:${port}${pathname}?sslmode=prefer`;
    const started = await run(['start'], {
      env: { ...process.env, ...well, DATABASE_URL } as Record<string, string>,
    });
    expect(started).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^the database cannot be reached: the server does not support TLS; .+\n$/),
    });
  });

  test('fault database: no embedded one was made, and none is made by looking', async () => {
    const env = { DATA_DIR: `${keyring.folder}/none`, KEYRING_FILE: keyring.file, PORT: String(await freePort()) };
    const ran = await run(['doctor', '--json'], { env });
    expect(ran.code).toBe(1);
    const bad = (JSON.parse(ran.stdout) as PrintedFinding[]).filter(({ severity }) => severity === 'fault');
    expect(bad).toMatchObject([{ check: only, remedy: expect.stringContaining('run: auth-gateway start') }]);
    expect(spawnSync('ls', [env.DATA_DIR]).status).not.toBe(0);
  });

  test('fault migrations: some are missing, and `migrate up` applies them', async () => {
    await withDatabase('empty', async (env, sql) => {
      await expectOne('fault', 'migrations', 'run: auth-gateway migrate up', look(env));
      expect((await runHere(['migrate', 'up'], () => readConfig(env))).code).toBe(0);
      const [bad] = await badIn(look(env));
      expect(bad).toMatchObject({ check: 'administrators', severity: 'fault' });
      const words = ['user', 'invite', 'you@example.com', '--role', 'admin'];
      await expectOne('fault', 'administrators', `run: auth-gateway ${words.join(' ')}`, look(env));
      expect((await runHere(words, () => readConfig(env))).code).toBe(0);
      await expectWell(env);
      await sql(`insert into mikro_orm_migrations (name, executed_at) values ('Migration21000101000001_new', now())`);
      await expectOne('warning', 'migrations', 'newer version here too', look(env));
      await sql(`update mikro_orm_migrations set name = name || '_breaking' where name like '%_new'`);
      await expectOne('fault', 'migrations', 'start that newer version', look(env));
    });
  });

  test('what a database may be set to, one after the other', async () => {
    await withDatabase('migrated', async (env, sql, name) => {
      const bad = await badIn(look(env));
      expect(bad.map(({ check, remedy }) => [check, remedy])).toEqual([
        ['first_administrator', 'run: auth-gateway user reset-link admin@example.com'],
        ['operator_passwords', expect.stringContaining('user reset-link EMAIL')],
      ]);
      planted.add('first_administrator');
      await expectWell({ ...env, NODE_ENV: undefined }); // in development that is as it should be
      await sql(CHANGED);
      await expectWell(env);

      await sql(`alter database ${name} set default_transaction_read_only = on`);
      const writes = await expectOne('fault', 'database_writes', 'set default_transaction_read_only = off', look(env));
      await asSuperuser(/alter role .+$/.exec(writes.remedy ?? '')?.[0] ?? '');
      await expectWell(env);
      await asSuperuser(`alter database ${name} reset default_transaction_read_only`);

      for (const [limit, severity] of [
        [10, 'fault'],
        [30, 'warning'],
      ] as const) {
        await asSuperuser(`alter database ${name} connection limit ${limit}`);
        const { remedy } = await expectOne(severity, 'database_connections', /^alter database/, look(env));
        await asSuperuser(remedy ?? '');
        await expectWell(env);
      }

      await sql('alter schema public owner to postgres', 'postgres');
      const rights = await expectOne('warning', 'database_rights', /^grant create on schema public/, look(env));
      await sql(rights.remedy ?? '', 'postgres');
      await expectWell(env);

      const durability = async (): Promise<PrintedFinding | undefined> =>
        (await look(env)).find(({ check }) => check === 'database_durability');
      expect(await durability()).toMatchObject({
        severity: 'fault',
        seen: expect.stringMatching(/^synchronous_commit is off/),
      });
      const [cure = ''] = (await durability())?.remedy?.split(';') ?? [];
      await sql(cure);
      expect(await durability()).toMatchObject({
        seen: expect.stringMatching(/^synchronous_commit is on, fsync is off/),
      });
      planted.add('database_durability');
    });
  });

  test('database_rights and database_durability: a role that owns nothing, with settings of its own', async () => {
    await withDatabase('migrated', async (env, sql, name) => {
      await sql(CHANGED);
      const role = `${name}_Role`;
      const url = new URL(env['DATABASE_URL'] ?? '');
      const owner = url.username;
      url.username = role;
      const as = { ...env, DATABASE_URL: url.href };
      await asSuperuser(`create role "${role}" login`);
      try {
        const none = await expectOne('fault', 'database_rights', `connect as ${owner}, or, as a superuser: `, look(as));
        expect(none.seen).toBe(`"${role}" may not use the tables: they belong to ${owner}`);
        const listed = await runHere(['user', 'list'], () => readConfig(as));
        expect(listed).toMatchObject({ code: 1, stderr: expect.stringContaining('may not do this (42501)') });

        await sql(`grant all on all tables in schema public to "${role}"; grant create on schema public to "${role}"`);
        const granted = await expectOne('warning', 'database_rights', 'alter default privileges', look(as));
        expect(granted.seen).toContain(`but "${role}" may not use the tables that this creates`);
        const pending = MIGRATION_NAMES.find((each) => each.endsWith('known_devices')); // alters a table
        await sql(`delete from mikro_orm_migrations where name = '${pending}'`);
        const migrated = await runHere(['migrate', 'up'], () => readConfig(as));
        expect(migrated).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('use the role that owns the tables'),
        });
        await sql(`insert into mikro_orm_migrations (name, executed_at) values ('${pending}', now())`);
        await sql(/: (alter .+)$/.exec(granted.remedy ?? '')?.[1] ?? '', 'postgres');
        await expectWell(as);
        await sql('create table tomorrow (id uuid)');
        await sql('insert into tomorrow select', role);

        await asSuperuser(`alter role "${role}" set synchronous_commit = off`);
        await asSuperuser(`alter database ${name} set synchronous_commit = off`);
        const durability = async () => (await look(as)).find(({ check }) => check === 'database_durability');
        await asSuperuser((await durability())?.remedy?.split(';')[0] ?? '');
        expect((await durability())?.seen).toMatch(/^synchronous_commit is on/);

        await asSuperuser(`alter role "${role}" set default_transaction_read_only = on`);
        const writes = await expectOne('fault', 'database_writes', 'as a superuser: alter role', look(as));
        await asSuperuser(/alter role .+$/.exec(writes.remedy ?? '')?.[0] ?? '');
        await expectWell(as);
      } finally {
        await sql(`drop owned by "${role}"`, 'postgres');
        await asSuperuser(`drop role "${role}"`);
      }
    });
  });

  test('fault keyring_database: API keys are sealed by another keyring, and get a new secret', async () => {
    await withDatabase('migrated', async (env, sql) => {
      const words = ['api-key', 'create', '--service', 's', '--scope', 'a:b', '--rate-limit', '1'];
      for (let made = 0; made < 6; made += 1) expect((await runHere(words, () => readConfig(env))).code).toBe(0);
      const file = `${keyring.folder}/another.json`;
      await writeKeyringFile(file, await generateKeys(), 'create');
      const another = { ...env, KEYRING_FILE: file };
      const only = 'keyring_database';
      const all = await expectOne('fault', only, 'the keyring there that was used', look(another, { only }));
      expect(all.seen).toMatch(/^6 API keys are sealed .+: (ak_\w+, ){5}…$/);
      const { log, lines } = captureLog();
      await examineAtStart(readConfig(another), env['DATABASE_URL'] ?? '', log, new AbortController().signal, []);
      expect(lines()).toContainEqual(expect.objectContaining({ level: 'error', check: only, seen: all.seen }));
      await sql(`update api_keys set revoked_at = now() where key_id > (select min(key_id) from api_keys)`);
      const one = await expectOne('fault', only, 'api-key rotate ID --overlap 0', look(another, { only }));
      const id = /^1 API key is sealed .+: (ak_\w+)$/.exec(one.seen)?.[1] ?? '';
      const rotate =
        /run: auth-gateway (.+)$/
          .exec(one.remedy ?? '')?.[1]
          ?.replace('ID', id)
          .split(' ') ?? [];
      expect(await runHere([...rotate, '--yes'], () => readConfig(another))).toMatchObject({ code: 0 });
      await expectWell(another, { only });
      await expectOne('fault', only, 'the keyring there that was used', look(env, { only }));
    });
  });

  test('fault keyring_database: webhooks are sealed by another keyring, and get a new secret', async () => {
    await withDatabase('migrated', async (env, sql) => {
      const hooks = { ...env, WEBHOOK_HOSTS: 'hooks.example.com' };
      const words = ['webhook', 'create', '--url', 'https://hooks.example.com/'];
      for (let made = 0; made < 2; made += 1) expect((await runHere(words, () => readConfig(hooks))).code).toBe(0);
      const file = `${keyring.folder}/of-webhooks.json`;
      await writeKeyringFile(file, await generateKeys(), 'create');
      const another = { ...env, KEYRING_FILE: file };
      const only = 'keyring_database';
      await expectWell(env, { only });
      const all = await expectOne('fault', only, 'the keyring there that was used', look(another, { only }));
      expect(all.seen).toMatch(
        /^2 webhooks are sealed .+, so that their events are not sent: ([0-9a-f-]{36}(, )?){2}$/,
      );
      await sql('delete from webhooks where id > (select id from webhooks order by id limit 1)');
      const one = await expectOne('fault', only, 'webhook rotate ID --overlap 0', look(another, { only }));
      const id = /^1 webhook is sealed .+: (\S+)$/.exec(one.seen)?.[1] ?? '';
      const rotate =
        /run: auth-gateway (.+)$/
          .exec(one.remedy ?? '')?.[1]
          ?.replace('ID', id)
          .split(' ') ?? [];
      expect(await runHere(rotate, () => readConfig(another))).toMatchObject({ code: 0 });
      await expectWell(another, { only });
    });
  });

  test('warning second_factors: of a role that needs one nobody has it, then some have not, then all have', async () => {
    const only = 'second_factors';
    const env = { ...well, SECOND_FACTOR_ROLES: 'admin,analyst' };
    await expectWell(well, { only });
    await expectWell({ ...env, SECOND_FACTOR_ROLES: 'analyst' }, { only });
    const nobody = await expectOne(
      'warning',
      only,
      /^log in and add one under My sessions of https/,
      look(env, { only }),
    );
    expect(nobody.seen).toMatch(/^no active administrator \(\d+\) has a second factor/);
    const { user } = await withPasskey(gateway, { role: 'admin' });
    try {
      const some = await expectOne('warning', only, /^ask them to add one under My sessions/, look(env, { only }));
      expect(some.seen).toMatch(/^(\d+) of \d+ active admins without a second factor, .+: [0-9a-f-]{36}/);
      expect(some.seen).not.toContain(user.id);
      await gateway.rows('update users set has_factors = true');
      await expectWell(env, { only });
    } finally {
      await gateway.rows('update users set has_factors = false');
      await deleteUser(gateway.app, COMMAND_LINE, user.id);
    }
  });

  test('fault keyring_database: secrets of authenticator apps are sealed by another keyring, and the factors are removed', async () => {
    await withDatabase('migrated', async (env, sql) => {
      const file = `${keyring.folder}/of-factors.json`;
      await writeKeyringFile(file, await generateKeys(), 'create');
      const another = { ...env, KEYRING_FILE: file };
      const only = 'keyring_database';
      const sealed = await sealSecret(gateway.app.keyring, 'x', 'x', new Date());
      await sql(`insert into factors (id, user_id, kind, name, created_at, sealed_secret)
        select gen_random_uuid(), id, 'totp', 'phone', now(), '${sealed}' from users`);
      await expectWell(env, { only });
      const one = await expectOne('fault', only, 'run: auth-gateway user reset-factors ID', look(another, { only }));
      expect(one.seen).toMatch(
        /^1 authenticator app is sealed .+ so that the codes of these users are refused: \S{36}$/,
      );
      await sql('delete from factors'); // as that command does
      await expectWell(another, { only });
    });
  });

  test('warning key_expiry: keys that expire within 14 days, which a rotation gives a later end', async () => {
    await withDatabase('migrated', async (env, sql) => {
      const only = 'key_expiry';
      const here = (words: string[]) => runHere(words, () => readConfig(env));
      const cron = ['cron-key', 'create', '--service', 's', '--scope', 'a:b'];
      for (const expires of ['15d', '2099-01-01T00:00:00Z']) await here([...cron, '--expires', expires]);
      await expectWell(env, { only });
      const api = ['api-key', 'create', '--service', 's', '--scope', 'a:b', '--rate-limit', '1'];
      for (const words of [
        [...cron, '--expires', '13d'],
        [...api, '--expires', '12d'],
        [...api, '--expires', '1h'],
        api,
      ])
        expect((await here(words)).code).toBe(0);
      await sql(`update api_keys set revoked_at = now() where expires_at < now() + interval '2 hours'`);
      const two = await expectOne('warning', only, 'if it is still needed', look(env, { only }));
      expect(two.seen).toMatch(/^2 keys will expire within 14 days; the first is ak_\w+, at 20\S+Z$/);
      for (let left = 2; left > 0; left -= 1) {
        const { remedy } = await expectOne('warning', only, 'rotate', look(env, { only }));
        const command = /run: auth-gateway (.+)$/.exec(remedy ?? '')?.[1]?.split(' ') ?? [];
        expect(await here(command)).toMatchObject({ code: 0 });
      }
      await expectWell(env, { only });
    });
  });

  test('fault database_encoding: not every text fits', async () => {
    const name = `${gateway.database.name}_ascii`;
    await asSuperuser(
      `create database ${name} encoding 'SQL_ASCII' locale 'C' locale_provider libc template template0`,
    );
    try {
      const env = { ...well, DATABASE_URL: gateway.database.url.replace(gateway.database.name, name) };
      const bad = await badIn(look(env, { only: 'database_durability' }));
      expect(bad.find(({ check }) => check === 'database_encoding')).toMatchObject({
        severity: 'fault',
        remedy: expect.stringContaining("encoding 'UTF8'"),
      });
      planted.add('database_encoding');
    } finally {
      await asSuperuser(`drop database ${name} with (force)`);
    }
  });

  /** The token of the link that the remedy makes. */
  async function carriedOut({ remedy }: PrintedFinding, email: string): Promise<string> {
    const words =
      /run: auth-gateway (.+)$/
        .exec(remedy ?? '')?.[1]
        ?.replace('EMAIL', email)
        .split(' ') ?? [];
    const ran = await runHere([...words, '--json'], () => readConfig(well));
    return JSON.parse(ran.stdout).link.split('#token=')[1];
  }

  test('warning operator_passwords: an operator has set a password, until its user chooses another', async () => {
    const { email } = await gateway.user();
    const found = await expectOne('warning', 'operator_passwords', 'user reset-link EMAIL', look(well));
    expect(found.seen).toMatch(/^1 active user with a password/);
    expect((await redeem(gateway, await carriedOut(found, email))).status).toBe(204);
    await expectWell();
  });

  test('warning users_without_password: a user has no password, and no link or an expired one', async () => {
    const email = 'without@example.com';
    const user = await createUser(gateway.app, COMMAND_LINE, { email, role: 'viewer' });
    const lacking = () => expectOne('warning', 'users_without_password', 'user reset-link EMAIL', look(well));
    await carriedOut(await lacking(), email);
    await expectWell();
    await gateway.rows(`update password_links set expires_at = now() - interval '1 s' where user_id = $1`, [user.id]);
    expect((await redeem(gateway, await carriedOut(await lacking(), email))).status).toBe(204);
    await expectWell();
    await gateway.rows('update users set password_hash = null where id = $1', [user.id]);
    await lacking();
    await gateway.rows('update users set is_active = false where id = $1', [user.id]);
    await expectWell();
  });

  test('warning expired_rows: nobody has swept for long', async () => {
    await withDatabase('migrated', async (env, sql) => {
      await sql(CHANGED);
      const then = `now() - interval '400 days'`;
      await sql(`insert into audit_events (event_type, ip_address, metadata, created_at)
        select 'login_success', '', '{}', ${then} from generate_series(1, 150)`);
      const { seen } = await expectOne('warning', 'expired_rows', 'keep a gateway running', look(env));
      expect(seen).toContain('; 150 events and 0 tokens');
      const config = readConfig(env);
      const db = await openDatabase(env['DATABASE_URL'] ?? '');
      for (let round = 0; round < 2; round += 1) await sweep(db, expiringRows(config), new Date());
      await db.close();
      await expectWell(env);
    });
  });

  (ownAddress() === undefined ? test.skip : test)('warning database_tls: over a network without TLS', async () => {
    const host = ownAddress() ?? '';
    const certificate = await certificates.make(30, 'DNS:localhost'); // the driver asks an address for that name
    const ca = `${keyring.folder}/database.pem`;
    await writeFile(ca, certificate.cert);
    await using plain = await startForward(host, (await bridge()).port);
    await using secret = await startForward(host, (await bridge(certificate)).port);
    const { username, pathname } = new URL(gateway.database.url);
    const env = (port: number, query: string): Env => ({
      ...well,
      DATABASE_URL: `postgresql://${username}@${host}:${port}${pathname}${query}`,
    });
    await expectOne('warning', 'database_tls', 'sslmode=verify-full', look(env(plain.port, '')));
    await expectOne('warning', 'database_tls', 'sslrootcert', look(env(secret.port, '?sslmode=no-verify')));
    await expectWell(env(secret.port, `?sslmode=verify-full&sslrootcert=${ca}`));
  });

  /** By TCP to the database, which listens on a socket. */
  async function bridge(certificate?: { key: string; cert: string }): Promise<{ port: number }> {
    const pair = certificate && { key: Buffer.from(certificate.key), cert: Buffer.from(certificate.cert) };
    const opened = await bridgeTo(gateway.database.url, pair);
    cleanUp.defer(opened.close);
    return opened;
  }
});

test.each([
  [30, 'warning', 'ahead of'],
  [-30, 'warning', 'behind'],
  [600, 'fault', 'ahead of'],
] as const)('the clock is %i s off: %s', async (seconds, severity, side) => {
  const clock = runningClock();
  clock.advance(seconds);
  const found = await expectOne(severity, 'clock', 'timedatectl set-ntp true', look(well, { clock }));
  expect(found.seen).toContain(side);
  const judged =
    'PUBLIC_URL agrees with the database, so unless they share a machine the clock of this host is wrong, seen from 3 sides';
  expect(found.seen).toContain(judged);
  clock.advance(-seconds);
  await expectWell(well, { clock });
});

test("fault clock: the database's clock is off, and what may be the clock here proves nothing", async () => {
  await withDatabase('migrated', async (env, sql) => {
    await sql(`create schema moved;
      create function moved.clock_timestamp() returns timestamptz language sql
        as $$ select pg_catalog.clock_timestamp() - interval '1 hour' $$;
      alter database "${new URL(env['DATABASE_URL'] ?? '').pathname.slice(1)}" set search_path = moved, pg_catalog, public`);
    const [found] = await badIn(look({ ...env, PUBLIC_URL: well['PUBLIC_URL'] }, { only: 'clock' }));
    expect(found).toMatchObject({ severity: 'fault', remedy: expect.stringContaining('compare with the instances') });
    expect(found?.seen).toMatch(/^the clock here is 3600\.\d\d s ahead of .*; either may be wrong, seen from 2 sides$/);
  });
});

(hasPgBouncer || isRequired ? describe : describe.skip)(
  'pooler (REQUIRE_PROGRAMS=1 makes its absence a failure)',
  () => {
    const IGNORED = 'statement_timeout,lock_timeout,idle_in_transaction_session_timeout,extra_float_digits';
    const POOLED = { DATABASE_POOLER: 'transaction' };

    test('fault and warning pooler: one that is not configured, or one that is configured and absent', async () => {
      for (const settings of [[], [`ignore_startup_parameters = ${IGNORED}`]]) {
        const bouncer = await startPgBouncer(gateway.database, 3, settings);
        const env = { ...well, DATABASE_URL: bouncer.url };
        await expectOne('fault', 'pooler', 'set DATABASE_POOLER=transaction', look(env));
        const names = (await badIn(look({ ...env, ...POOLED }))).map(({ check }) => check);
        expect(names).toEqual(['statement_timeout']);
        await bouncer.stop();
      }
      await expectOneOf('warning', 'pooler', 'set DATABASE_POOLER=none', look({ ...well, ...POOLED }));
      await expectWell();
    });

    test('warning statement_timeout: PostgreSQL has none, and the SQL of the remedy sets it', async () => {
      const env = async (): Promise<Env> => {
        const bouncer = await startPgBouncer(gateway.database, 3);
        cleanUp.defer(bouncer.stop);
        return { ...well, ...POOLED, DATABASE_URL: bouncer.url };
      };
      const { remedy } = await expectOne('warning', 'statement_timeout', /^alter role/, look(await env()));
      const [one = '', two = ''] = remedy?.split(';') ?? [];
      const role = /alter role (\S+)/.exec(one)?.[1];
      try {
        for (const sql of [one, two]) await asSuperuser(sql);
        await expectWell(await env());
      } finally {
        await asSuperuser(`alter role ${role} reset all`);
      }
    });
  },
);

/** The same among others that follow from it. */
async function expectOneOf(
  severity: PrintedFinding['severity'],
  check: FindingName,
  remedy: string,
  found: Promise<PrintedFinding[]>,
): Promise<void> {
  const bad = (await badIn(found)).filter((finding) => finding.check === check);
  expect(bad).toMatchObject([{ severity, remedy: expect.stringContaining(remedy) }]);
  planted.add(check);
}

withRedis('Redis', () => {
  test('fault clock: Redis is one more side; if it hangs, the difference is reported all the same', async () => {
    const clock = runningClock();
    clock.advance(600);
    const server = await startRedis();
    const look600 = () => badIn(look({ ...well, REDIS_URL: server.url }, { clock, only: 'clock' }));
    const wrong = 'so unless they share a machine the clock of this host is wrong, seen from';
    expect((await look600())[0]?.seen).toContain(`Redis and PUBLIC_URL agree with the database, ${wrong} 4 sides`);
    server.freeze();
    expect((await look600())[0]?.seen).toContain(`PUBLIC_URL agrees with the database, ${wrong} 3 sides`);
    server.thaw();
    await server.stop();
  });

  test('fault redis: it is away, or does not know the password', async () => {
    const server = await startRedis(['--requirepass', 'right'], { password: 'right' });
    const at = (password: string): Env => ({ ...well, REDIS_URL: `redis://:${password}@127.0.0.1:${server.port}` });
    const wrong = await expectOne('fault', 'redis', 'correct user and password in REDIS_URL', look(at('wrong')));
    expect(wrong.seen).toContain('WRONGPASS');
    await expectWell(at('right'));
    await server.stop();
    const away = await expectOne('fault', 'redis', 'start Redis', look(at('right')));
    expect(away.seen).toContain(`Redis at 127.0.0.1:${server.port} cannot be used (ECONNREFUSED)`);
  });

  test('what Redis may be set to, one after the other', async () => {
    const server = await startRedis(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru']);
    try {
      const env = { ...well, REDIS_URL: server.url };
      const { remedy } = await expectOne('warning', 'redis_eviction', 'maxmemory-policy noeviction', look(env));
      await server.command(/redis-cli (config set \S+ \S+)/.exec(remedy ?? '')?.[1] ?? '');
      await expectWell(env);
      await server.command('config set maxmemory 1');
      await expectOne('fault', 'redis', 'raise maxmemory', look(env));
      await server.command('config set maxmemory 100mb');
      await expectWell(env);
      const limited = new URL(server.url);
      [limited.username, limited.password] = ['limited', 'secret'];
      await server.command('acl setuser limited on >secret ~others:* +@all');
      const forbidden = await expectOne('fault', 'redis', 'ACL SETUSER', look({ ...well, REDIS_URL: limited.href }));
      expect(forbidden.seen).toMatch(/^Redis takes no writes: forbidden;/);
      await server.command('acl setuser limited ~* +@all');
      await expectWell({ ...well, REDIS_URL: limited.href });
      const tls = { ...well, REDIS_URL: server.url.replace('redis:', 'rediss:') };
      await expectOne('fault', 'redis', 'or use redis:// if it does not speak TLS', look(tls, { only: 'redis' }));
      await server.command(`replicaof 127.0.0.1 ${await freePort()}`);
      await expectOne('fault', 'redis', 'name the master', look(env));
      await server.command('replicaof no one');
      await expectWell(env);
    } finally {
      await server.stop();
    }
  });

  (ownAddress() === undefined ? test.skip : test)('warning redis_tls: over a network without TLS', async () => {
    const server = await startRedis();
    const host = ownAddress() ?? '';
    await using forward = await startForward(host, server.port);
    await expectOne(
      'warning',
      'redis_tls',
      'rediss://',
      look({ ...well, REDIS_URL: `redis://${host}:${forward.port}` }),
    );
    await expectWell({ ...well, REDIS_URL: server.url });
    await server.stop();
  });
});

describe('webhooks and mail', () => {
  const only = 'webhooks';
  let receiver: Receiver;
  /** Of development, where a receiver may be on this machine without TLS */
  let env: Env;
  beforeAll(async () => {
    receiver = await startReceiver();
    env = { ...well, NODE_ENV: undefined, WEBHOOK_HOSTS: receiver.authority };
  });
  afterAll(() => receiver.close());

  const startOutbox = () =>
    startInstance(gateway.database, {
      env: { WEBHOOK_HOSTS: receiver.authority },
      clock: runningClock(),
      outboxPollMs: 20,
    });
  /** An event, and nothing else that doctor looks at */
  const happen = () => login(gateway, 'nobody@example.com');
  const untilWell = () => until('it is well', async () => (await badIn(look(env, { only }))).length === 0);
  const seenNow = async (): Promise<string> => (await look(env, { only }))[0]?.seen ?? '';

  test('webhooks: off, not listed, not allowed, failing, behind, gone; of a URL only the host is printed', async () => {
    const where = `at ${receiver.authority}`;
    const seen: string[] = [];
    const expectFound = async (...[severity, remedy, around]: ['fault' | 'warning', string, Env]): Promise<string> => {
      const found = await expectOne(severity, only, remedy, look(around, { only }));
      seen.push(JSON.stringify(found));
      return found.seen;
    };
    expect((await look(well, { only }))[0]?.seen).toBe('webhooks are off, because WEBHOOK_HOSTS is unset');
    expect(await seenNow()).toBe('no webhook; WEBHOOK_HOSTS allows 1 host');
    const outbox = await startOutbox();
    const url = `http://${receiver.authority}/secret-path`;
    const { id } = (await createWebhook(outbox.app, COMMAND_LINE, { url })).webhook;
    try {
      await receiver.reached(1);
      await untilWell();
      expect(await seenNow()).toMatch(/^1 webhook; no event has waited longer than \d s, and none has failed$/);

      const cure = `add ${receiver.authority} to WEBHOOK_HOSTS of every instance; or if it is not wanted any more run: auth-gateway webhook delete ${id}`;
      const off = await expectFound('warning', cure, { ...env, WEBHOOK_HOSTS: undefined });
      expect(off).toBe(
        `webhooks are off, because WEBHOOK_HOSTS is unset: nothing is sent to 1 webhook: ${id} ${where}`,
      );
      const unlisted = await expectFound('fault', cure, { ...env, WEBHOOK_HOSTS: '127.0.0.1:1' });
      expect(unlisted).toBe(`WEBHOOK_HOSTS does not list a host: nothing is sent to 1 webhook: ${id} ${where}`);
      const plain = await expectFound('fault', `run: auth-gateway webhook delete ${id}`, {
        ...env,
        NODE_ENV: 'production',
      });
      expect(plain).toContain('(scheme_not_allowed): nothing is sent to 1 webhook');

      receiver.reply(() => ({ status: 500 }));
      await happen();
      await until('it has failed', async () => /failed event/.test(await seenNow()));
      const failing = await expectFound('warning', `run: auth-gateway webhook test ${id}`, env);
      expect(failing).toMatch(
        new RegExp(
          `^1 webhook behind: ${id} ${where} by \\d+ s, with 1 failed event, last attempt http_error \\(500\\)$`,
        ),
      );
      receiver.reply(() => ({ status: 204 }));
      await happen();
      await untilWell();

      await outbox.close(); // nobody delivers
      await happen();
      await gateway.rows(`update audit_events set written_at = written_at - interval '11 minutes'`);
      await gateway.rows(`update outbox_cursors set front_at = front_at - interval '11 minutes',
        settled_at = settled_at - interval '11 minutes'`);
      const behind = await expectFound('warning', 'see that a gateway is running', env);
      expect(behind).toMatch(/ by 6[67]\d s, with 0 failed events, last attempt delivered \(204\)$/);
    } finally {
      await outbox.close().catch(() => undefined);
    }
    const again = await startOutbox();
    try {
      await untilWell();
      receiver.reply(() => ({ status: 410 }));
      await happen();
      await until('it is paused', async () => /410/.test(await seenNow()));
      const gone = await expectFound('warning', `run: auth-gateway webhook resume ${id}`, env);
      expect(gone).toBe(`paused, because the receiver answered 410 Gone: nothing is sent to 1 webhook: ${id} ${where}`);
      receiver.reply(() => ({ status: 204 }));
      await resumeWebhook(again.app, COMMAND_LINE, id);
      await untilWell();
      await pauseWebhook(again.app, COMMAND_LINE, id);
      expect(await seenNow()).toMatch(/^1 webhook, 1 of them paused by an operator; no event/);
    } finally {
      await deleteWebhook(again.app, COMMAND_LINE, id);
      await again.close();
    }
    expect(seen.join()).not.toMatch(/secret-path|http:/);
  });

  test('warning webhooks: of many the first three are named', async () => {
    const outbox = await startInstance(gateway.database, { env: { WEBHOOK_HOSTS: receiver.authority } });
    const { url } = receiver;
    const made = [];
    for (let i = 0; i < 5; i += 1) made.push(await createWebhook(outbox.app, COMMAND_LINE, { url }));
    try {
      const found = await expectOne('warning', only, 'WEBHOOK_HOSTS', look({ ...env, WEBHOOK_HOSTS: '' }, { only }));
      expect(found.seen).toMatch(/nothing is sent to 5 webhooks: (?:\S+ at \S+; ){3}and 2 more$/);
    } finally {
      for (const { webhook } of made) await deleteWebhook(outbox.app, COMMAND_LINE, webhook.id);
      await outbox.close();
    }
  });

  test('warning mail: a mail has waited for longer than ten minutes', async () => {
    const mail = { SMTP_URL: 'smtps://gateway:secret@mail.example.com:465', MAIL_FROM: 'auth@example.com' };
    const sending = { ...well, MAIL: 'smtp', ...mail };
    const lookAtMail = (around: Env) => look(around, { only: 'mail' });
    expect((await lookAtMail(well))[0]).toMatchObject({ severity: 'ok', seen: 'MAIL is off' });
    expect((await lookAtMail({ ...env, MAIL: 'log' }))[0]?.seen).toMatch(/^mail is printed to the terminal/);
    expect((await lookAtMail(sending))[0]?.seen).toBe('mail goes to mail.example.com:465; none has been sent yet');
    const id = '00000000-0000-0000-0000-000000000001';
    await gateway.rows(
      `insert into outbox_cursors (id, kind, front_at, front_id, settled_at, settled_id, last_outcome, last_status)
        values ($1, 'mail', now(), $1, now(), $1, 'refused', 451)`,
      [id],
    );
    try {
      await expectWell(sending, { only: 'mail' });
      await gateway.rows(
        `insert into outbox_events (cursor_id, event_id, written_at, due_at, attempts)
          values ($1, $1, now() - interval '1 hour', now(), 3)`,
        [id],
      );
      const found = await expectOne('warning', 'mail', 'the server of SMTP_URL is up', lookAtMail(sending));
      expect(found.seen).toMatch(
        /^mail goes to mail\.example\.com:465; the oldest has waited for 36\d\d s, 1 mail failed or under way, last attempt refused \(451\)$/,
      );
      await gateway.rows('delete from outbox_events where cursor_id = $1', [id]); // it was sent
      await expectWell(sending, { only: 'mail' });
    } finally {
      await gateway.rows('delete from outbox_events where cursor_id = $1', [id]);
      await gateway.rows('delete from outbox_cursors where id = $1', [id]);
    }
  });
});

describe('PUBLIC_URL', () => {
  /** That of an edge of its own, which leads to the gateway unless said otherwise */
  async function withEdge(
    certificate: { key: string; cert: string } | undefined,
    to: string,
    work: (env: Env, port: number) => Promise<unknown>,
  ): Promise<void> {
    const own = await startEdge(certificate);
    own.leadTo(to);
    const scheme = certificate === undefined ? 'http' : 'https';
    await work({ ...well, PUBLIC_URL: `${scheme}://localhost:${own.port}`, COOKIE_SECURE: 'false' }, own.port).finally(
      own.close,
    );
  }
  const only = 'public_url';

  test('fault public_url: nobody answers, or no gateway does', async () => {
    const missing = { ...well, PUBLIC_URL: 'https://gateway.invalid' };
    await expectOne('fault', only, 'start the gateway and the proxy', look(missing));
    const local = { ...well, PUBLIC_URL: `https://localhost:${await freePort()}` };
    for (const NODE_ENV of ['production', undefined]) {
      const { seen } = await expectOne('warning', only, 'start the gateway', look({ ...local, NODE_ENV }));
      expect(seen).toContain('is on this machine only');
    }
    await withEdge(undefined, `${gateway.url}/somewhere/else`, (env) =>
      expectOne('fault', only, 'forward every path', look(env, { only })),
    );
  });

  test('fault public_url: the proxy has no gateway that is ready', async () => {
    const proxy = createHttp((_req, res) => void res.writeHead(503).end('no server is available'));
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const env = { ...well, PUBLIC_URL: `http://localhost:${port}`, COOKIE_SECURE: 'false' };
    const { seen } = await expectOne('fault', only, 'run: auth-gateway health', look(env, { only }));
    expect(seen).toBe('the proxy finds no gateway that is ready: 503');
    proxy.closeAllConnections();
    proxy.close();
  });

  test('fault public_url: another gateway, with another name', async () => {
    await withEdge(undefined, gateway.url, async (env) => {
      const { seen } = await expectOne('fault', only, 'the same PUBLIC_URL', look(env, { only }));
      expect(seen).toContain(well['PUBLIC_URL']);
    });
  });

  test('fault public_url: it sends on to another place', async () => {
    const redirect = createHttp((_req, res) => void res.writeHead(301, { location: well['PUBLIC_URL'] }).end());
    redirect.listen(0, '127.0.0.1');
    await once(redirect, 'listening');
    const { port } = redirect.address() as AddressInfo;
    const env = { ...well, PUBLIC_URL: `http://localhost:${port}`, COOKIE_SECURE: 'false' };
    const { seen } = await expectOne('fault', only, 'at which the gateway itself answers', look(env, { only }));
    expect(seen).toContain(`redirects to ${well['PUBLIC_URL']}`);
    redirect.closeAllConnections();
    redirect.close();
  });

  test('warning public_url: an instance has another reading of the keyring', async () => {
    const before = await readFile(keyring.file, 'utf8');
    const added = [...(await generateKeys()), ...JSON.parse(before).keys];
    const copy = `${keyring.folder}/copy.json`;
    await writeKeyringFile(copy, added, 'create');
    await expectOne('warning', only, 'copy the keyring', look({ ...well, KEYRING_FILE: copy }, { only }));
  });

  test('fault public_url: of two instances one has another keyring, after the start too', async () => {
    const file = `${keyring.folder}/second.json`;
    await writeKeyringFile(file, await generateKeys(), 'create');
    const env = { PUBLIC_URL: well['PUBLIC_URL'] ?? '', METRICS_PORT: String(await freePort()) };
    const second = await startInstance(gateway.database, { env: { ...env, KEYRING_FILE: file } });
    try {
      edge.leadTo(gateway.url, gateway.url, second.url);
      const found = await expectOne('fault', only, 'copy the keyring to every instance', look(well, { only }));
      expect(found.seen).toMatch(/^some instances behind PUBLIC_URL have another keyring \([23] of 8 answers\)$/);
      const { log, lines } = captureLog();
      const { signal } = new AbortController();
      await examineAtStart(readConfig(well), gateway.database.url, log, signal, [3_600_000]);
      expect(lines()).toContainEqual(expect.objectContaining({ level: 'error', check: only, remedy: found.remedy }));
    } finally {
      edge.leadTo(gateway.url);
      await second.close();
    }
  });

  test('certificate: it expires soon, is for another name, was issued by an unknown CA, or is missing', async () => {
    const check = 'certificate';
    const remedies: Array<['fault' | 'warning', number, string, boolean, string]> = [
      ['warning', 10, 'DNS:localhost', true, 'renew the certificate'],
      ['fault', 90, 'DNS:other.example', true, 'for the host of PUBLIC_URL'],
      ['fault', 90, 'DNS:localhost', false, 'NODE_EXTRA_CA_CERTS'],
    ];
    for (const [severity, days, names, isTrusted, remedy] of remedies) {
      const certificate = await certificates.make(days, names);
      const before = getCACertificates('default');
      if (isTrusted) setDefaultCACertificates([...before, certificate.cert]);
      await withEdge(certificate, gateway.url, (env) => expectOneOf(severity, check, remedy, look(env, { only })));
      setDefaultCACertificates(before);
    }
    await withEdge(undefined, gateway.url, (_, port) =>
      expectOne('fault', check, 'end TLS on the proxy', look({ ...well, PUBLIC_URL: `https://localhost:${port}` })),
    );
  });

  test('fault forward_auth_open: anybody may ask, through the proxy at PUBLIC_URL', async () => {
    const startWith = async (FORWARD_AUTH_PROXIES: string) => {
      const production = { PUBLIC_URL: well['PUBLIC_URL'] ?? '', KEYRING_FILE: keyring.file, NODE_ENV: 'production' };
      const ports = { TRUST_PROXY: '127.0.0.1', METRICS_PORT: String(await freePort()) };
      const env = { ...production, ...ports, ...FORWARD_AUTH, FORWARD_AUTH_PROXIES };
      return startInstance(gateway.database, { env });
    };
    const [open, closed] = [await startWith('127.0.0.1'), await startWith('192.0.2.1')];
    const env = { ...well, ...FORWARD_AUTH };
    try {
      edge.leadTo(open.url);
      const found = await expectOne('fault', 'forward_auth_open', /^let that proxy refuse \/authz\//, look(env));
      expect(found.seen).toContain(`${well['PUBLIC_URL']}/authz/forward-auth/caller=user, and choose the rule`);
      const { log, lines } = captureLog();
      await examineAtStart(readConfig(env), gateway.database.url, log, new AbortController().signal, []);
      const line = { level: 'error', check: 'forward_auth_open', remedy: found.remedy };
      expect(lines()).toContainEqual(expect.objectContaining(line));
      edge.leadTo(closed.url); // its own list is what counts
      await expectWell(env);
      edge.leadTo(open.url);
      edge.refuse('/authz/');
      await expectWell(env);
    } finally {
      edge.refuse('/never');
      edge.leadTo(gateway.url);
      await open.close();
      await closed.close();
    }
    await expectWell(env);
  });

  test('warning metrics_open: they can be read from outside', async () => {
    const instance = await startInstance(gateway.database, {
      env: {
        PUBLIC_URL: well['PUBLIC_URL'] ?? '',
        KEYRING_FILE: keyring.file,
        NODE_ENV: 'production',
        TRUST_PROXY: '127.0.0.1',
      },
    });
    edge.leadTo(instance.url);
    await expectOne('warning', 'metrics_open', 'set METRICS_PORT=9464', look({ ...well, METRICS_PORT: undefined }));
    edge.leadTo(gateway.url);
    await instance.close();
  });
});

test('what never answers is found, and not waited for', async () => {
  await using silent = await startSilentServer();
  const at = `:secret@127.0.0.1:${silent.port}`;
  const PUBLIC_URL = `http://localhost:${silent.port}`;
  const stores = { DATABASE_URL: `postgresql://gateway${at}/gateway`, REDIS_URL: `redis://${at}` };
  const bad = await badIn(look({ ...well, ...stores, PUBLIC_URL, COOKIE_SECURE: 'false' }));
  expect(bad.map(({ severity, check }) => `${severity} ${check}`)).toEqual([
    'fault database',
    'fault redis',
    'warning public_url',
  ]);
  for (const { remedy } of bad) expect(remedy).toContain('firewall');
  expect(JSON.stringify(bad)).not.toContain('secret');
});

test('after all of that there is nothing to find again', () => expectWell());
