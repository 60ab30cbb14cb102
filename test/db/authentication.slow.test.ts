/** A server that requires a missing credential counts as away, even if the driver's error has no code. (Interface 5) */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createUser } from '../../src/admin/user-changes.js';
import { readConfig } from '../../src/config/config.js';
import { explainUnreachable } from '../../src/db/connection-faults.js';
import { openDatabase } from '../../src/db/database.js';
import { runHere } from '../support/gateway/cli.js';
import { badIn, look } from '../support/gateway/doctor.js';
import { logIn, PASSWORD, startInstance } from '../support/gateway/gateway.js';
import { ask, bearer } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { login, logout, refresh } from '../support/gateway/routes.js';
import { type AnotherPostgres, startAnotherPostgres } from '../support/postgres/another-postgres.js';
import { bridgeTo } from '../support/postgres/bridge.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';
import { selfSigned } from '../support/programs/deployed.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

/** Of the loopback network, and likely no other server's */
const ADDRESS = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;

const cleanUp = new AsyncDisposableStack();
let another: AnotherPostgres;
beforeAll(async () => {
  another = await startAnotherPostgres({ listen_addresses: ADDRESS });
  cleanUp.defer(another.stop);
  await another.asSuperuser('create database gateway owner auth_gateway');
  expect((await runHere(['migrate', 'up'], () => readConfig(env(another.url('gateway'))))).code).toBe(0);
});
afterAll(() => cleanUp.disposeAsync());

const env = (url: string) => ({ DATABASE_URL: url, KEYRING_FILE: required(KEYRING_FILE) });

/** What all but the superuser have to prove, on connections that are made from soon on. */
async function requireProof(method: 'trust' | 'password' | 'md5' | 'scram-sha-256'): Promise<void> {
  const lines = ['local all postgres trust', `local all all ${method}`, `host all all all ${method}`];
  await another.asSuperuser(`do $$ begin
    execute format('copy (values ${lines.map((line) => `(''${line}'')`).join()}) to %L',
      current_setting('hba_file'));
    perform pg_reload_conf();
  end $$`);
}

const faultsOf = (url: string) => badIn(look(env(url), { only: 'database' }));

/** That a command says so, as `doctor` does, and what helps. */
async function isTold(url: string, said: string): Promise<void> {
  const { code, stderr } = await runHere(['user', 'list'], () => readConfig(env(url)));
  const [found] = await faultsOf(url);
  expect([code, stderr.split('\n').at(-2)]).toEqual([1, expect.stringContaining(said)]);
  expect(`${found?.seen}; ${found?.remedy}\n`).toBe(`${stderr.split('\n').at(-2)}\n`);
  expect(stderr).not.toContain('secret');
}

test.each([
  ['none is in DATABASE_URL', '', 'client password must be a string', 'DATABASE_URL has none'],
  ['it is kept for longer computing', 'secret', 'iteration count 100001 exceeds', 'lower scram_iterations'],
])('Interface 5: requests are 503 while the database asks for a password: %s', async (_why, password, text, said) => {
  const url = new URL(another.url('gateway'));
  url.password = password;
  await another.asSuperuser(`set scram_iterations = 100001; alter role auth_gateway password 'secret'`);
  const log = captureLog();
  const instance = await startInstance({ url: url.href, name: 'gateway', drop: async () => undefined }, log);
  const email = `user@${password || 'none'}.example.com`;
  await createUser(instance.app, COMMAND_LINE, { email, password: PASSWORD, role: 'viewer' });
  const { answer, refreshToken } = await logIn(instance, email);
  const asks = [
    () => login(instance, email),
    () => refresh(instance, refreshToken),
    () => logout(instance, refreshToken),
    () => ask(instance, bearer(answer.json.access_token), '{ me { id } }'),
  ];
  try {
    await requireProof('scram-sha-256');
    await until('a password is asked for', async () => (await faultsOf(url.href)).length > 0);
    await another.asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'auth_gateway'`);
    for (const asked of asks) expect((await asked()).status).toBe(503);
    expect((await instance.send('GET', '/health/ready')).json.checks.database).toBe('unreachable');
    expect(log.text()).toContain(`"text":"SASL: SCRAM-SERVER-FIRST-MESSAGE: ${text}`);
    expect(log.text()).not.toContain('secret');
    await isTold(url.href, said);
    await requireProof('trust');
    await until('it answers again', async () => (await login(instance, email)).status === 200);
    for (const asked of asks) expect((await asked()).status).toBe(200);
  } finally {
    await requireProof('trust');
    await instance.close();
  }
});

/** A server that says these, one to each packet of a client. */
async function saying(...messages: Array<[proof: number, data: string]>): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    const left = messages.map(([proof, data]) => {
      const message = Buffer.from(`R${'.'.repeat(8)}${data}`);
      message.writeInt32BE(message.length - 1, 1);
      message.writeInt32BE(proof, 5);
      return message;
    });
    socket.on('data', () => socket.write(left.shift() ?? ''));
  }).listen(0, '127.0.0.1');
  cleanUp.defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const SASL = 10;
const SASL_CONTINUE = 11;

test.each<[string, string, Parameters<typeof saying>]>([
  ['Kerberos', 'another authentication method', [[7, '']]],
  ['a token', 'another authentication method', [[SASL, 'OAUTHBEARER\0\0']]],
  [
    'nothing that it knows itself',
    'does not prove that it knows the password',
    [
      [SASL, 'SCRAM-SHA-256\0\0'],
      [SASL_CONTINUE, 'r=another,s=AAAA,i=4096'],
    ],
  ],
])('Interface 2: a server that requires %s is reported, rather than a silent host', async (_what, said, messages) => {
  const hosts = `127.0.0.1:${await freePort()},127.0.0.1:${await saying(...messages)}`;
  await isTold(`postgresql://gateway:secret@${hosts}/gateway`, said);
});

test('Interface 2: a refused password says how to encode one', async () => {
  await another.asSuperuser(`alter role auth_gateway password 'p%41ss'`);
  const url = (password: string) => `postgresql://auth_gateway:${password}@${ADDRESS}/gateway`;
  await requireProof('scram-sha-256');
  try {
    await until('a password is asked for', async () => (await faultsOf(url('p%41ss'))).length > 0);
    await isTold(
      url('p%41ss'),
      'is refused (28P01); correct user and password in DATABASE_URL (in a password, write / # ? @ % as',
    );
    expect(await faultsOf(url('p%2541ss'))).toEqual([]);
  } finally {
    await requireProof('trust');
  }
});

describe('Interface 2: channel_binding', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'binding-'));
    const { cert, key } = await selfSigned(folder, 'localhost');
    await another.asSuperuser(`alter role auth_gateway password 'secret'`);
    for (const [name, value] of Object.entries({ ssl: 'on', ssl_cert_file: cert, ssl_key_file: key })) {
      await another.asSuperuser(`alter system set ${name} = '${value}'`);
    }
    await requireProof('scram-sha-256');
    await until('it speaks TLS', () => opens(ADDRESS, 'disable').then((outcome) => outcome === 'open'));
  });
  afterAll(async () => {
    await requireProof('trust');
    await rm(folder, { recursive: true });
  });

  /** The result of a connection, whatever certificate is shown. */
  async function opens(host: string, binding: string): Promise<string> {
    const url = `postgresql://auth_gateway:secret@${host}/gateway?sslmode=no-verify&channel_binding=${binding}`;
    try {
      await (await openDatabase(url)).close();
      return 'open';
    } catch (error) {
      return explainUnreachable(error).reason;
    }
  }
  const UNBOUND =
    'the database cannot be reached: the server does not bind the password to its certificate, as channel_binding=require demands';

  test('binds the password to the certificate of the server, so that nobody in between passes', async () => {
    for (const binding of ['disable', 'prefer', 'require']) expect(await opens(ADDRESS, binding)).toBe('open');
    const between = await startBetween(await selfSigned(await mkdtemp(join(folder, 'other-')), 'other'));
    expect(await opens(between, 'disable')).toBe('open');
    for (const binding of ['prefer', 'require']) expect(await opens(between, binding)).toMatch(/no answer|refused/);
    const ended = await bridgeTo(another.url('gateway'), await certificateIn(folder)); // it offers no binding
    cleanUp.defer(ended.close);
    expect(await opens(`127.0.0.1:${ended.port}`, 'prefer')).toBe('open');
    expect(await opens(`127.0.0.1:${ended.port}`, 'require')).toBe(UNBOUND);
  });

  test.each(['trust', 'password', 'md5'] as const)('=require lets no weaker method pass: %s', async (method) => {
    const setPassword = (encryption: string) =>
      another.asSuperuser(`set password_encryption = '${encryption}'; alter role auth_gateway password 'secret'`);
    if (method === 'md5') await setPassword('md5'); // otherwise the server asks for SCRAM all the same
    await requireProof(method);
    await until('it is asked for', async () => (await opens(ADDRESS, 'require')) === UNBOUND);
    expect(await opens(ADDRESS, 'prefer')).toBe('open');
    await setPassword('scram-sha-256');
    await requireProof('scram-sha-256');
    await until('it is bound again', async () => (await opens(ADDRESS, 'require')) === 'open');
  });

  async function certificateIn(place: string) {
    return { key: await readFile(join(place, 'key.pem')), cert: await readFile(join(place, 'cert.pem')) };
  }

  /** Somebody who ends TLS with another certificate, and speaks TLS to the server. @returns its address */
  async function startBetween({ key, cert }: { key: string; cert: string }): Promise<string> {
    const own = { key: await readFile(key), cert: await readFile(cert) };
    const sockets: Socket[] = [];
    const server = createServer(async (accepted) => {
      const real = connect(5432, ADDRESS);
      for (const socket of [accepted, real]) sockets.push(socket.on('error', () => undefined));
      const [asked] = await once(accepted, 'data');
      real.write(asked);
      await once(real, 'data');
      accepted.write('S');
      const client = new TLSSocket(accepted, { isServer: true, ...own });
      const upstream = connectTls({ socket: real, rejectUnauthorized: false });
      for (const socket of [client, upstream]) socket.on('error', () => undefined);
      client.pipe(upstream).pipe(client);
    }).listen(0, '127.0.0.1');
    cleanUp.defer(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
});
