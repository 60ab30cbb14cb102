/** Several hosts in DATABASE_URL, on two real servers: the first in their order that takes writes is used. (Interface 2) */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readConfig } from '../../src/config/config.js';
import { type Database, openDatabase } from '../../src/db/database.js';
import { ReadOnlyServer } from '../../src/db/hosts.js';
import type { Finding } from '../../src/doctor/finding.js';
import { runHere } from '../support/gateway/cli.js';
import { type Instance, refreshTokenOf, send, startGateway } from '../support/gateway/gateway.js';
import { login, refresh } from '../support/gateway/routes.js';
import { startProcess } from '../support/gateway/server-process.js';
import { type AnotherPostgres, startAnotherPostgres } from '../support/postgres/another-postgres.js';
import { bridgeTo, type Certificate } from '../support/postgres/bridge.js';
import {
  asSuperuser,
  createDatabase,
  KEYRING_FILE,
  required,
  type TestDatabase,
} from '../support/postgres/postgres.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

const cleanUp = new AsyncDisposableStack();
let another: AnotherPostgres;
let database: TestDatabase;
/** The hosts of both servers, as they stand in a URL */
let first: string;
let second: string;

beforeAll(async () => {
  database = await createDatabase();
  cleanUp.defer(database.drop);
  another = await startAnotherPostgres();
  cleanUp.defer(another.stop);
  await another.asSuperuser(`create database ${database.name} owner auth_gateway`);
  [first, second] = [new URL(another.url(database.name)).host, new URL(database.url).host];
  for (const [name, url] of Object.entries({ first: another.url(database.name), second: database.url })) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`create table server as select '${name}' as name, 0 as writes`).finally(() => client.end());
  }
});
afterAll(() => cleanUp.disposeAsync());

const urlOf = (...hosts: string[]): string =>
  `postgresql://auth_gateway@${hosts.join(',')}/${database.name}?target_session_attrs=read-write`;

const writeSql = 'update server set writes = writes + 1 returning name';

/** Which server takes a write of each pool */
async function written(db: Database): Promise<[routes: string, administration: string]> {
  const { rows } = await db.pool.query(writeSql);
  return [rows[0].name, await writtenByAdministration(db)];
}

async function writtenByAdministration({ adminPool }: Database): Promise<string> {
  const { rows } = await adminPool.query(writeSql);
  return rows[0].name;
}

async function onDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase(url);
  return work(db).finally(db.close);
}

/** For connections that are made from now on */
const readOnly = (isOn: boolean): string =>
  `alter database ${database.name} ${isOn ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only'}`;

async function silentHost(): Promise<{ host: string; close(): void }> {
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

test('Interface 2: the first one, if both accept writes', async () => {
  expect(await onDatabase(urlOf(first, second), written)).toEqual(['first', 'first']);
  expect(await onDatabase(urlOf(second, first), written)).toEqual(['second', 'second']);
});

test('Interface 2: a host that takes no writes, cannot be reached, refuses, or says nothing is passed over', async () => {
  const closed = `127.0.0.1:${await freePort()}`;
  await another.asSuperuser(readOnly(true));
  try {
    expect(await onDatabase(urlOf(first, second), written)).toEqual(['second', 'second']);
    expect(await onDatabase(urlOf(closed, first, second), written)).toEqual(['second', 'second']);
  } finally {
    await another.asSuperuser(readOnly(false));
  }
  await another.asSuperuser(`alter database ${database.name} with allow_connections false`);
  try {
    expect(await onDatabase(urlOf(first, second), written)).toEqual(['second', 'second']);
  } finally {
    await another.asSuperuser(`alter database ${database.name} with allow_connections true`);
  }
  const silent = await silentHost();
  try {
    expect(await onDatabase(urlOf(silent.host, first), written)).toEqual(['first', 'first']);
  } finally {
    silent.close();
  }
});

test('Interface 2: if no host accepts writes, that is reported, even among silent ones', async () => {
  const silent = await silentHost();
  await another.asSuperuser(readOnly(true));
  try {
    for (const hosts of [
      [first],
      [first, `127.0.0.1:${await freePort()}`],
      [silent.host, first],
      [first, silent.host],
    ]) {
      await expect(openDatabase(urlOf(...hosts))).rejects.toThrow(ReadOnlyServer);
    }
  } finally {
    await another.asSuperuser(readOnly(false));
    silent.close();
  }
});

test('Interface 2: a busy pool leaves a server that stops to take writes, and each connection meets that once', async () => {
  await onDatabase(urlOf(first, second), async (db) => {
    const outcomes: string[] = [];
    const writing = { goesOn: true };
    const write = async (by: () => Promise<string>): Promise<void> => {
      while (writing.goesOn) outcomes.push(await by().catch(({ code }) => code));
    };
    const writers = [
      ...Array.from({ length: 8 }, () => write(async () => (await db.pool.query(writeSql)).rows[0].name)),
      ...Array.from({ length: 4 }, () => write(() => writtenByAdministration(db))),
    ];
    const seen = (name: string, from = 0): boolean => outcomes.indexOf(name, from) >= 0;
    await until('the first is written to', () => seen('first'));
    await another.asSuperuser('alter system set default_transaction_read_only = on');
    await another.asSuperuser('select pg_reload_conf()');
    try {
      await until('the second is written to by all', () => outcomes.slice(-200).every((name) => name === 'second'));
    } finally {
      writing.goesOn = false;
      await Promise.all(writers);
      await another.asSuperuser('alter system reset default_transaction_read_only');
      await another.asSuperuser('select pg_reload_conf()');
    }
    expect(outcomes.filter((outcome) => outcome === '25006').length).toBeLessThanOrEqual(writers.length);
    expect(new Set(outcomes)).toEqual(new Set(['first', '25006', 'second']));
    await asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database.name}'`);
    await until('the first is used again', async () => (await written(db).catch(() => [])).join() === 'first,first');
  });
});

test('Interface 2: the command line and migrations go to the same host', async () => {
  await another.asSuperuser(readOnly(true));
  try {
    const env = { DATABASE_URL: urlOf(first, second), KEYRING_FILE: required(KEYRING_FILE) };
    const said = `database: postgresql://auth_gateway@${first},${second}/${database.name}\n`;
    for (const command of ['migrate up', 'user create a@example.com --role viewer', 'user unlock a@example.com']) {
      const { code, stderr } = await runHere([...command.split(' '), '--json'], () => readConfig(env));
      expect([command, code, stderr]).toEqual([command, 0, said]);
    }
    const alone = await runHere(['user', 'list'], () => readConfig({ ...env, DATABASE_URL: urlOf(first) }));
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('the database takes no writes')]);
  } finally {
    await another.asSuperuser(readOnly(false));
  }
});

describe('TLS', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tls-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function certificateOf(name: string): Promise<Certificate & { file: string }> {
    const [key, file] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
    const made = `req -x509 -newkey ed25519 -nodes -days 2 -subj /CN=${name} -addext subjectAltName=DNS:${name}`;
    execFileSync('openssl', [...made.split(' '), '-keyout', key, '-out', file], { stdio: 'ignore' });
    return { key: await readFile(key), cert: await readFile(file), file };
  }

  /** Of a time that is over, which `openssl req` cannot make. */
  async function expiredCertificate(): Promise<Certificate> {
    const at = (name: string): string => join(folder, `expired.${name}`);
    const settings = ['default_md=sha256', 'policy=policy', 'rand_serial=yes', 'copy_extensions=copy'];
    const places = [`database=${at('index')}`, `new_certs_dir=${folder}`];
    const config = ['[ca]', 'default_ca=ours', '[ours]', ...settings, ...places, '[policy]', 'commonName=supplied'];
    await writeFile(at('cnf'), config.join('\n'));
    await writeFile(at('index'), '');
    const asked = 'req -new -newkey rsa:2048 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost';
    const signed = 'ca -batch -selfsign -notext -startdate 20200101000000Z -enddate 20200102000000Z';
    const files = ['-config', at('cnf'), '-in', at('csr'), '-keyfile', at('key'), '-out', at('crt')];
    execFileSync('openssl', [...asked.split(' '), '-keyout', at('key'), '-out', at('csr')], { stdio: 'ignore' });
    execFileSync('openssl', [...signed.split(' '), ...files], { stdio: 'ignore' });
    return { key: await readFile(at('key')), cert: await readFile(at('crt')) };
  }

  test('Interface 2: the certificate of each host must be its own', async () => {
    const [local, other] = [await certificateOf('localhost'), await certificateOf('other.localhost')];
    const [wrong, right] = [await bridgeTo(another.url(database.name), other), await bridgeTo(database.url, local)];
    try {
      const url = `${urlOf(`127.0.0.1:${wrong.port}`, `localhost:${right.port}`)}&sslmode=verify-full&sslrootcert=${local.file}`;
      expect(await onDatabase(url, written)).toEqual(['second', 'second']);
      for (const sslmode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
        const wrongAlone = `${urlOf(`localhost:${wrong.port}`)}&sslmode=${sslmode}&sslrootcert=${other.file}`;
        await expect(openDatabase(wrongAlone)).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
      }
    } finally {
      await wrong.close();
      await right.close();
    }
  });

  test('Interface 5: while its certificate is not believed the database is away', async () => {
    await using ends = new AsyncDisposableStack();
    const gateway = await startGateway({ passwords: 'argon2' });
    ends.defer(gateway.close);
    const [local, other, strange, expired] = [
      await certificateOf('localhost'),
      await certificateOf('other.localhost'),
      await certificateOf('strange'),
      await expiredCertificate(),
    ];
    const believed = join(folder, 'believed.crt');
    await writeFile(believed, Buffer.concat([local.cert, other.cert, expired.cert]));
    const shown = { ...local };
    const tls = await bridgeTo(gateway.database.url, shown);
    ends.defer(tls.close);
    const { name } = gateway.database;
    const DATABASE_URL = `postgresql://auth_gateway@localhost:${tls.port}/${name}?sslmode=verify-full&sslrootcert=${believed}`;
    const server = ends.use(
      await startProcess(gateway, { DATABASE_URL, LOGIN_RATE_LIMIT: '1000', REFRESH_RATE_LIMIT: '1000' }),
    );
    const on = {
      send: (...[method, path, options]: Parameters<Instance['send']>) => send(server.url, method, path, options),
    };
    const { email } = await gateway.user();
    const loginStatus = async () => (await login(on, email).catch(() => undefined))?.status;
    await until('it answers', async () => (await loginStatus()) === 200);
    let refreshToken = refreshTokenOf(await login(on, email));
    for (const [certificate, said] of [
      [strange, 'issued by an unknown CA (DEPTH_ZERO_SELF_SIGNED_CERT); add sslrootcert='],
      [other, 'for another name (ERR_TLS_CERT_ALTNAME_INVALID); set the host in DATABASE_URL'],
      [expired, 'has expired (CERT_HAS_EXPIRED); renew it'],
    ] as const) {
      Object.assign(shown, certificate);
      await asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
      const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(on, refreshToken)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      const env = { DATABASE_URL, KEYRING_FILE: required(KEYRING_FILE) };
      const ran = await runHere(['user', 'list'], () => readConfig(env));
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(said)]);
      const looked = await runHere(['doctor', '--json'], () => readConfig(env));
      const found = (JSON.parse(looked.stdout) as Finding[]).find(({ check }) => check === 'database');
      expect(`${found?.seen}; ${found?.remedy}`).toContain(said);
      Object.assign(shown, local);
      await until('it is back', async () => (await loginStatus()) === 200);
      const next = await refresh(on, refreshToken);
      expect(next.status).toBe(200);
      refreshToken = refreshTokenOf(next);
    }
  });
});
