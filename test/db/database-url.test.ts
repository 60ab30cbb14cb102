/** DATABASE_URL applies to the connections of routes and to those of administration. (Interface 2) */

import { createInterface } from 'node:readline';
import { readConfig } from '../../src/config/config.js';
import { DATABASE_PARAMETERS, type DatabaseUrl, parseDatabaseUrl } from '../../src/config/database-url.js';
import { openDatabase } from '../../src/db/database.js';
import type { Finding } from '../../src/doctor/finding.js';
import { runWith } from '../support/gateway/cli.js';
import { startGateway } from '../support/gateway/gateway.js';
import { startProcess } from '../support/gateway/server-process.js';
import {
  asSuperuser,
  createDatabase,
  KEYRING_FILE,
  required,
  type TestDatabase,
} from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

/** The database's URL with its host, user and password elsewhere */
function withParameters(parameters: string): string {
  const { pathname } = new URL(database.url);
  return `postgresql://${pathname}?${parameters}`;
}

const folder = (): string => decodeURIComponent(new URL(database.url).hostname);

test.each<[string, () => string, question: string, answer: string]>([
  ['options', () => `${database.url}?options=-c%20work_mem%3D5MB`, `current_setting('work_mem')`, '5MB'],
  ['application_name', () => `${database.url}?application_name=other`, `current_setting('application_name')`, 'other'],
  ['none', () => database.url, `current_setting('application_name')`, 'auth-gateway'],
  ['host, user', () => withParameters(`host=${folder()}&user=auth_gateway`), 'current_user', 'auth_gateway'],
  [
    'host, port',
    () => withParameters(`host=/,${folder()}&port=1,5432&user=auth_gateway`),
    'current_user',
    'auth_gateway',
  ],
  ['sslmode', () => `${database.url}?sslmode=disable`, 'current_user', 'auth_gateway'],
  ['target_session_attrs', () => `${database.url}?target_session_attrs=primary`, 'current_user', 'auth_gateway'],
  ['search_path', () => `${database.url}?options=-csearch_path%3Dnowhere,public`, 'current_schema()', 'public'],
])('Interface 2: every connection takes the parameters of DATABASE_URL: %s', async (_name, url, question, answer) => {
  const db = await openDatabase(url());
  try {
    const select = `select ${question}::text as answer`;
    expect((await db.pool.query(select)).rows).toEqual([{ answer }]);
    expect((await db.adminPool.query(select)).rows).toEqual([{ answer }]);
  } finally {
    await db.close();
  }
});

test('Interface 2: a connection without TLS is refused if sslmode requires it', async () => {
  for (const sslmode of ['require', 'verify-full', 'no-verify', 'prefer&uselibpqcompat=true']) {
    await expect(openDatabase(`${database.url}?sslmode=${sslmode}`)).rejects.toThrow('does not support SSL');
  }
});

test.each<[string, string, Array<[host: string, port: number]>]>([
  [
    'u:p@h1:5432,h2:5433/db?target_session_attrs=read-write',
    'u:p@h1:5432/db',
    [
      ['h1', 5432],
      ['h2', 5433],
    ],
  ],
  [
    'h1,h2/db?sslmode=verify-full',
    'h1/db?sslmode=verify-full',
    [
      ['h1', 5432],
      ['h2', 5432],
    ],
  ],
  [
    '[::1]:1,[fe80::2]/db',
    '[::1]:1/db',
    [
      ['::1', 1],
      ['fe80::2', 5432],
    ],
  ],
  [
    'u:a@b@%2Frun%2Fpg,h:5/db',
    'u:a@b@%2Frun%2Fpg/db',
    [
      ['/run/pg', 5432],
      ['h', 5],
    ],
  ],
  [
    'u@/db?host=/run/pg,::1&port=1,2',
    'u@%2Frun%2Fpg:1/db',
    [
      ['/run/pg', 1],
      ['::1', 2],
    ],
  ],
  [
    '/db?host=h1,h2&port=7',
    'h1:7/db',
    [
      ['h1', 7],
      ['h2', 7],
    ],
  ],
  ['u:p%40s%2Fw%40x@h/db', 'u:p%40s%2Fw%40x@h/db', []],
  ['u:p@h/my%40db', 'u:p@h/my@db', []],
  ['u@/db?host=/run/@pg&application_name=a@b/c', 'u@%2Frun%2F%40pg/db?application_name=a@b/c', []],
  ['u:p@%2Frun%2F%40pg/db?options=-csearch_path%3D@x', 'u:p@%2Frun%2F%40pg/db?options=-csearch_path%3D@x', []],
  ['h/db?user=u@example.com&password=p@ss/word', 'h/db?user=u@example.com&password=p@ss/word', []],
  ['h:1/db?target_session_attrs=primary', 'h:1/db', []],
  ['h/db?sslmode=prefer', 'h/db?sslmode=verify-full', []],
  ['h/db?user=u&sslmode=%72equire', 'h/db?user=u&sslmode=verify-full', []],
  ['h/db?sslmode=verify-ca&uselibpqcompat=false', 'h/db?sslmode=verify-full&uselibpqcompat=false', []],
  ['h/db?sslmode=require&uselibpqcompat=true', 'h/db?sslmode=require&uselibpqcompat=true', []],
  ['h/db?sslmode=no-verify', 'h/db?sslmode=no-verify', []],
  ['h/db?ssl=true', 'h/db?sslmode=verify-full', []],
  ['h/db?ssl=true&sslmode=require', 'h/db?sslmode=verify-full', []],
  ['h/db?ssl=true&sslmode=no-verify', 'h/db?sslmode=no-verify', []],
  ['h/db?sslrootcert=system', 'h/db?sslmode=verify-full', []],
  ['h/db?uselibpqcompat=true&sslmode=require&sslrootcert=system', 'h/db?uselibpqcompat=true&sslmode=verify-full', []],
  ['h/db?channel_binding=disable', 'h/db', []],
  ['h/db?channel_binding=prefer', 'h/db', []], // there is no TLS
  ['/db?port=7', 'localhost:7/db', []],
  ['/db', '/db', []],
])("Interface 2: the driver's settings from postgresql://%s", (text, driverUrl, hosts) => {
  expect(parseDatabaseUrl(`postgresql://${text}`)).toEqual({
    driverUrl: `postgresql://${driverUrl}`,
    hosts: hosts.map(([host, port]) => ({ host, port })),
  });
});

test.each<[string, Partial<DatabaseUrl>]>([
  // Neon, Vercel, Supabase, RDS, Cloud SQL, Azure, Heroku, Aiven, Crunchy Bridge, DigitalOcean, Render
  ['u:p@ep-x-pooler.neon.tech/db?sslmode=require&channel_binding=require', { channelBinding: 'require' }],
  ['u:p@ep-x.neon.tech/db?channel_binding=prefer&sslmode=verify-full', { channelBinding: 'prefer' }],
  ['u:p@h/db?sslmode=require&connect_timeout=15&pool_timeout=15', { ignored: ['connect_timeout', 'pool_timeout'] }],
  ['u:p@h:6543/db?sslmode=require&supa=base-pooler.x', { ignored: ['supa'] }],
  [
    'u:p@pooler.supabase.com:6543/db?pgbouncer=true&connection_limit=1',
    { isPooled: true, ignored: ['connection_limit'] },
  ],
  ['u:p@h/db?pgbouncer=false', {}],
  ['u:p@h/db?sslmode=verify-full&sslrootcert=system', {}],
  ['u:p@/db?host=/cloudsql/project:region:instance', {}],
  ['u%40h:p@h.postgres.database.azure.com/db?sslmode=require', {}],
  ['u:p@h/db?sslmode=no-verify', {}],
  ['u:p@h:25060/db?sslmode=require&gssencmode=disable', { ignored: ['gssencmode'] }],
  ['u:p@h/db?ssl=true&application_name=x&target_session_attrs=read-write&options=-cx%3Dy', {}],
])(
  'Interface 2: the URL of a provider is taken, and what changes nothing is said: postgresql://%s',
  (text, expected) => {
    const { driverUrl, hosts, ...parsed } = parseDatabaseUrl(`postgresql://${text}`);
    const ignored = expected.ignored?.map((name) => lineOf(name));
    expect(parsed).toEqual({ ...expected, ...(ignored && { ignored }) });
    expect([driverUrl, hosts]).toEqual([expect.not.stringMatching(/channel_binding|pgbouncer|connect/), []]);
  },
);

/** What the start says of a parameter that is ignored */
function lineOf(name: string): string {
  return `the parameter ${name} is ignored: ${DATABASE_PARAMETERS[name]?.why}`;
}

const rows = Object.entries(DATABASE_PARAMETERS);
const namesOf = (kind: string): string[] => rows.filter(([, row]) => row.kind === kind).map(([name]) => name);

test('Interface 2: each parameter that is ignored leaves everything as it is, and the start logs it once', async () => {
  const query = namesOf('ignored').map((name) => `${name}=${DATABASE_PARAMETERS[name]?.values?.[0] ?? '1'}`);
  const gateway = await startGateway({ passwords: 'argon2' });
  try {
    const url = `${gateway.database.url}?${query.join('&')}`;
    expect(parseDatabaseUrl(url).driverUrl).toBe(parseDatabaseUrl(gateway.database.url).driverUrl);
    await using server = await startProcess(gateway, { DATABASE_URL: url });
    const lines: Array<Record<string, unknown>> = [];
    if (server.process.stdout === null) throw new Error('it has no output');
    createInterface({ input: server.process.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
    await until('it is ready', () => lines.some(({ msg }) => msg === 'ready'));
    const said = lines.filter(({ msg }) => String(msg).includes('is ignored'));
    expect(said.map(({ level, msg }) => [level, msg])).toEqual(
      namesOf('ignored').map((name) => ['info', `DATABASE_URL: ${lineOf(name)}`]),
    );
  } finally {
    await gateway.close();
  }
});

test('Interface 2: pgbouncer=true is DATABASE_POOLER=transaction, unless that says otherwise', () => {
  const poolerOf = (query: string, env = {}) =>
    readConfig({ DATABASE_URL: `postgresql://u:p@h/db?${query}`, ...env }).databasePooler;
  expect(poolerOf('pgbouncer=true')).toBe('transaction');
  expect(poolerOf('pgbouncer=false')).toBe('none');
  expect(poolerOf('pgbouncer=true', { DATABASE_POOLER: 'none' })).toBe('none');
});

test('Interface 2: a search_path whose schemas do not exist is one sentence, of a command and of doctor', async () => {
  const url = `${database.url}?options=-csearch_path%3D%22NoSuch%22,other`;
  const env = { DATABASE_URL: url, KEYRING_FILE: required(KEYRING_FILE) };
  const said = 'no schema of search_path exists: "NoSuch", other';
  const remedy =
    'create it (create schema "NoSuch" authorization auth_gateway), or correct search_path in DATABASE_URL or of the role';
  for (const words of [['start'], ['migrate', 'up'], ['user', 'list']]) {
    const { code, stderr } = await runWith(words, env);
    expect([words, code, stderr.split('\n').at(-2)]).toEqual([words, 1, `${said}; ${remedy}`]);
  }
  const looked: Finding[] = JSON.parse((await runWith(['doctor', '--json'], env)).stdout);
  expect(looked).toContainEqual(expect.objectContaining({ check: 'database', severity: 'fault', seen: said, remedy }));
});

const KNOWN =
  'application_name, channel_binding, host, options, password, pgbouncer, port, ssl, sslcert, sslkey, sslmode, ' +
  'sslnegotiation, sslrootcert, target_session_attrs, uselibpqcompat, user';
const ENCODED = '(in a password, write / # ? @ % as %2F %23 %3F %40 %25)';
const NO_HOST = `has an invalid host or port ${ENCODED}`;
const NO_URL = `must be one line: a URL that starts with postgresql://, or the word embedded ${ENCODED}`;
const AT_BEHIND_SLASH =
  `has an @ after the first /, so the password is not encoded ${ENCODED}; ` +
  'write an @ in the name after the / as %40, too';
const NO_PARAMETERS = `has something other than parameters after its ? ${ENCODED}`;
const REFUSED = rows.filter(([, { kind }]) => kind === 'refused');
const DRIVER = ['binary', 'encoding', 'query_timeout', 'replication', 'statement_timeout'];

test.each([
  ...REFUSED.map(([name, { why }]) => [`h/db?${name}=secret`, `must not have the parameter ${name}: ${why}`]),
  [
    'h/db?gssencmode=require',
    'must have one of these values for gssencmode: disable, prefer; the gateway has no GSSAPI',
  ],
  ['h/db?ssl=false', 'must have one of these values for ssl: true; write sslmode=disable'],
  [
    'h/db?channel_binding=require',
    'must have sslmode=verify-full together with channel_binding=require, which binds to TLS',
  ],
  [
    'h/db?schema=secret',
    'must have one of these values for schema: public; it is the schema anyway; for another one write options=-csearch_path%3DNAME',
  ],
  ...DRIVER.map((name) => [`h/db?${name}=secret`, `has the unknown parameter ${name}; use only ${KNOWN}`]),
  ['h/db?sslmode=verify-full&sslmode=secret', 'has the parameter sslmode twice'],
  ['h/db?sslmode', 'has the parameter sslmode without a value'],
  [
    'h/db?sslmode=secret',
    'must have one of these values for sslmode: disable, prefer, require, verify-ca, verify-full, no-verify',
  ],
  ['h/db?sslnegotiation=secret', 'must have one of these values for sslnegotiation: postgres, direct'],
  [
    'h1,h2/db?target_session_attrs=any',
    'must have one of these values for target_session_attrs: read-write, primary; the gateway writes',
  ],
  ['h/db?sslrootcert=/secret', 'names a file that cannot be read (ENOENT)'],
  [
    'h/db?sslmode=disable&sslcert=/secret',
    'must not have sslmode=disable together with ssl, sslcert, sslkey, sslnegotiation, sslrootcert, uselibpqcompat',
  ],
  [
    'h/db?sslmode=verify-ca&uselibpqcompat=true',
    'cannot be used: with uselibpqcompat, sslmode=verify-ca needs sslrootcert',
  ],
  ['h/db?host=secret', 'has the host in two places'],
  ['h:1/db?port=2', 'has the port in two places'],
  ['u@h/db?user=secret', 'has the user in two places'],
  ['u:secret@h/db?password=secret', 'has the password in two places'],
  ['/db?host=h1,h2,h3&port=1,2', 'must have one port for all hosts, or one for each'],
  ['h1,,h2/db', NO_HOST],
  ['h1,h2,/db', NO_HOST],
  ['h1:secret,h2/db', NO_HOST],
  ['h1:65536/db', NO_HOST],
  ['h1,h%/db', NO_HOST],
  ['h1,[::secret]/db', NO_HOST],
  ['u:secret?12@h/db', NO_PARAMETERS],
  ['u:1/secret?secret@h/db', NO_PARAMETERS],
  ['u:p@secret/secret@h', AT_BEHIND_SLASH],
  ['u:p@secret/secret@h:5432/db?sslmode=verify-full', AT_BEHIND_SLASH],
  ['u:12/secret@h/db', AT_BEHIND_SLASH],
  ['u:/secret@h/db', AT_BEHIND_SLASH],
  ['secret/secret@h1,h2/db', AT_BEHIND_SLASH],
  ['u:12?secret=secret@h/db', `has an unknown parameter; use only ${KNOWN} ${ENCODED}`],
  ['u:1/x?secret=secret@h/db', `has an unknown parameter; use only ${KNOWN} ${ENCODED}`],
  ['u:secret%ff@h/db', `has a % that encodes nothing ${ENCODED}`],
  ['h/db#secret', NO_URL],
  ['h/db\nsecret', NO_URL],
])('Interface 2: a fault that repeats no value: postgresql://%s', (text, message) => {
  expect(() => readConfig({ DATABASE_URL: `postgresql://${text}` })).toThrow(
    expect.objectContaining({ message: `DATABASE_URL: ${message}` }),
  );
});

test('Interface 2: a password that is not encoded is reported by the start and by doctor, and no part of it is printed', async () => {
  const env = { DATABASE_URL: 'postgresql://gateway:p@ss/word@db.example.com', KEYRING_FILE: '/nowhere/keyring.json' };
  const started = await runWith(['start'], env);
  expect([started.code, started.stdout, started.stderr]).toEqual([78, '', `DATABASE_URL: ${AT_BEHIND_SLASH}\n`]);
  const looked = await runWith(['doctor', '--json'], env);
  expect(looked.code).toBe(1);
  const [found, ...others] = JSON.parse(looked.stdout);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ check: 'configuration', seen: `DATABASE_URL: ${AT_BEHIND_SLASH}` });
  expect(looked.stdout + looked.stderr).not.toMatch(/ss\/|word@|example/);
});

test('Interface 2: %40 in the name of a database is an @', async () => {
  await asSuperuser('create database "my@db" owner auth_gateway template template0');
  try {
    const url = new URL(database.url);
    url.pathname = '/my%40db';
    const db = await openDatabase(url.href);
    expect((await db.pool.query('select current_database() as name')).rows).toEqual([{ name: 'my@db' }]);
    await db.close();
  } finally {
    await asSuperuser('drop database if exists "my@db" with (force)');
  }
});
