/** The embedded PostgreSQL and its data folder, with real processes: starts, kills, and who may use the folder. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type DataDirOwnership, type OwnerRole, ownDataDir } from '../../src/db/embedded/owner.js';
import { locateRunning } from '../../src/db/embedded/postmaster.js';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../src/db/embedded/server.js';
import { run } from '../support/gateway/cli.js';
import { asUser, rootTest } from '../support/programs/as-user.js';
import { until } from '../support/until.js';

const children: ChildProcess[] = [];
const servers = new Set<EmbeddedPostgres>();
const serverPids = new Set<number>();
let base: string;
let dataDir: string;
/** A cluster as `initdb` and the first start leave it: to copy it costs a tenth of making one. */
let made: string;

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  dataDir = join(made, 'data');
  await (await start()).stop();
});
afterAll(() => rmSync(made, { recursive: true, force: true, maxRetries: 20 }));

function copyCluster(): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  execFileSync('cp', ['-a', join(made, 'data', 'pg'), dataDir]);
}

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  chmodSync(base, 0o700);
  dataDir = join(base, 'data');
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const server of servers) await server.stop();
  servers.clear();
  if (existsSync(join(dataDir, 'pg', 'postmaster.pid'))) serverPid();
  for (const pid of serverPids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  serverPids.clear();
  rmSync(base, { recursive: true, force: true, maxRetries: 20 });
});

describe('the data folder', () => {
  test('has one gateway: the refusal of a second one names the holder', async () => {
    const first = await own('gateway');
    expect(await ownDataDir(dataDir, 'gateway')).toEqual({ heldBy: { role: 'gateway', pid: process.pid } });
    first.release();
    (await own('gateway')).release();
  });

  test('is made with mode 0700', async () => {
    (await own('cli')).release();
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  test.each([
    ['777', 'start'],
    ['703', 'user list'],
    ['1777', 'start'],
  ])('is refused if others may write to it (mode %s), and nothing is created in it', async (mode, command) => {
    mkdirSync(dataDir);
    chmodSync(dataDir, Number.parseInt(mode, 8));
    const env = { DATA_DIR: dataDir, PORT: '1' };
    const stderr = `the data folder is refused: others may write ${dataDir}; run: chmod o-w ${dataDir}\n`;
    // As a gateway leaves it; without it a command has no database to ask.
    const there = command === 'start' ? [] : ['owner.lock'];
    for (const name of there) writeFileSync(join(dataDir, name), '');
    expect(await run(command.split(' '), { env })).toEqual({ code: 1, stdout: '', stderr });
    expect(readdirSync(dataDir)).toEqual(there);
    chmodSync(dataDir, 0o770);
    (await own('gateway')).release();
  });

  test('is waited for while a command has it, by a gateway and by a command', async () => {
    for (const role of ['gateway', 'cli'] as const) {
      const command = await own('cli');
      const waiting = ownDataDir(dataDir, role);
      expect(await Promise.race([waiting, sleep(300, 'waits')])).toBe('waits');
      command.release();
      const owned = await waiting;
      if ('heldBy' in owned) throw new Error('still held');
      owned.release();
    }
  });

  test('is reported as held when the command takes too long', async () => {
    const command = await own('cli');
    expect(await ownDataDir(dataDir, 'gateway', 0.2)).toEqual({ heldBy: { role: 'cli', pid: process.pid } });
    command.release();
  });

  test('goes to exactly one of many that ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ownDataDir(dataDir, 'gateway')));
    const owners = answers.filter((answer) => !('heldBy' in answer));
    expect(owners).toHaveLength(1);
    for (const owner of owners) if (!('heldBy' in owner)) owner.release();
  });

  test('is free again at once after kill -9 of its owner', async () => {
    const gateway = await runGateway('hold');
    expect(await ownDataDir(dataDir, 'gateway')).toEqual({ heldBy: { role: 'gateway', pid: gateway.pid } });
    await kill9(gateway);
    (await own('gateway')).release();
  });

  rootTest('is held also against another network namespace, as of a second container', async () => {
    const first = await own('gateway');
    const flock = () => execFileSync('unshare', ['--net', 'flock', '-n', join(dataDir, 'owner.lock'), 'true']);
    expect(flock).toThrow();
    first.release();
    expect(flock).not.toThrow();
  });
});

describe('the server', () => {
  test('starts on an empty folder, stops without a trace, and keeps its rows', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept (n int)');
    await query(first.url, 'INSERT INTO kept VALUES (7)');
    const pid = serverPid();
    await first.stop();
    expect(isAlive(pid)).toBe(false);
    expect(readdirSync(dataDir).sort()).toEqual(['owner.lock', 'pg', 'pg.log']);
    const second = await start();
    expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
  });

  test('listens only on a socket in a closed folder, and the gateway is not a superuser', async () => {
    copyCluster();
    const { url } = await start();
    expect(await query(url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
    expect(statSync(join(dataDir, 'run')).mode & 0o777).toBe(0o700);
    const asked = 'SELECT current_user::text AS name, rolsuper FROM pg_roles WHERE rolname = current_user';
    expect(await query(url, asked)).toEqual([{ name: 'auth_gateway', rolsuper: false }]);
  });

  test('is durable and in UTF-8 and UTC unless a test asks otherwise', async () => {
    copyCluster();
    const { url } = await start({ durable: true });
    const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'server_encoding', 'timezone'];
    const rows = await query(url, 'SELECT current_setting(n) AS value FROM unnest($1::text[]) AS n', [names]);
    expect(rows.map((row) => row['value'])).toEqual(['on', 'on', 'on', 'UTF8', 'UTC']);
  });

  test('writes no value of a failing statement to its log', async () => {
    copyCluster();
    const { url } = await start();
    await query(url, 'CREATE TABLE users (email text UNIQUE, hash text NOT NULL CHECK (length(hash) > 9))');
    const insert = 'INSERT INTO users VALUES ($1, $2)';
    await query(url, insert, ['a@example.com', 'SECRET-ONE']);
    await expect(query(url, insert, ['a@example.com', 'SECRET-TWO'])).rejects.toThrow('duplicate key');
    await expect(query(url, insert, ['b@example.com', 'SECRET'])).rejects.toThrow('check constraint');
    await expect(query(url, "SELECT 'SECRET'::uuid")).rejects.toThrow('invalid input syntax');
    expect(readFileSync(join(dataDir, 'pg.log'), 'utf8')).not.toMatch(/SECRET|example\.com/);
  });

  test('gets nothing of the environment of the gateway', async () => {
    copyCluster();
    await runGateway('serve');
    const environment = readFileSync(`/proc/${serverPid()}/environ`, 'utf8');
    expect(environment).toContain('LC_ALL=C');
    expect(environment).not.toContain('hunter2');
  });

  test.each(['a folder whose name is too long for a socket'.padEnd(120, '.'), 'a "b", %41 é', 'a:b;c$d'])(
    'runs from %j',
    async (name) => {
      dataDir = join(base, name);
      const server = await start();
      expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      expect(await locateRunning(dataDir)).toBe(server.url);
      const socketDir = decodeURIComponent(/@(.*):5432/.exec(server.url)?.[1] ?? '');
      await server.stop();
      expect(existsSync(socketDir)).toBe(false);
    },
  );

  rootTest('runs for root in either way, and on the folder of the other', async () => {
    copyCluster();
    for (const asRoot of ['user-namespace', 'nobody', 'user-namespace'] as const) {
      const server = await start({ asRoot });
      const status = readFileSync(`/proc/${serverPid()}/status`, 'utf8');
      expect(Number(/^Uid:\t(\d+)/m.exec(status)?.[1])).toBe(asRoot === 'nobody' ? 65534 : 0);
      await query(server.url, 'CREATE TABLE IF NOT EXISTS t (n int)');
      await server.stop();
    }
  });

  for (const [asRoot, name] of [
    ['user-namespace', 'data'],
    ['user-namespace', 'a:b'],
    ['nobody', 'data'],
    ['nobody', 'a:b'],
  ] as const) {
    rootTest(`run by root as ${asRoot} from ${name} lets no other user in, also not its own account`, async () => {
      dataDir = join(base, name);
      chmodSync(base, 0o755);
      mkdirSync(dataDir);
      if (name === 'a:b') copyCluster(); // the other has a first start
      chmodSync(dataDir, 0o755); // as `mkdir data` makes it
      const { url } = await start({ asRoot });
      for (const uid of [1234, 65_534]) {
        await expect(asUser(uid, () => query(url, 'SELECT 1'))).rejects.toMatchObject({ code: 'EACCES' });
        await expect(asUser(uid, () => readdir(join(dataDir, 'pg')))).rejects.toMatchObject({ code: 'EACCES' });
      }
      expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      const { uid, mode } = statSync(decodeURIComponent(/@(.*):5432/.exec(url)?.[1] ?? ''));
      expect([uid, mode & 0o777]).toEqual([0, 0o700]);
    });
  }

  test('refuses a temporary folder for its socket if others can replace it', () => {
    const [open, socketless] = [join(base, 'open'), join(base, 'a:b')];
    const program = `
      const { createRunDir } = await import(process.argv[1] + 'postmaster.ts');
      await createRunDir(process.argv[2]).catch(({ name, message }) => console.log(name, message));`;
    const make = () => {
      const words = ['--import', TYPESCRIPT_HOOK, '--input-type=module', '--eval', program, SOURCES, socketless];
      return execFileSync(process.execPath, words, { env: { TMPDIR: open }, encoding: 'utf8' });
    };
    mkdirSync(open);
    chmodSync(open, 0o777);
    expect(make()).toMatch(
      /^EmbeddedPostgresError no place for the socket .*: others may replace what is in .*chmod \+t /,
    );
    expect(readdirSync(open)).toEqual([]);
    chmodSync(open, 0o1777);
    expect(make()).toBe('');
    expect(readdirSync(open)).toHaveLength(1);
  });

  test('says why it did not start', async () => {
    copyCluster();
    appendFileSync(join(dataDir, 'pg', 'postgresql.conf'), "\nwork_mem = 'much'\n");
    await expect(start()).rejects.toThrow(/did not start[\s\S]*invalid value for parameter "work_mem"/);
    expect(existsSync(join(dataDir, 'pg', 'postmaster.pid'))).toBe(false);
  });
});

describe('a crash', () => {
  test('kill -9 of only the gateway: the next start stops the old server and has every row', async () => {
    copyCluster();
    const gateway = await runGateway('serve');
    const left = serverPid();
    await kill9(gateway);
    expect(isAlive(left)).toBe(true);
    const { url } = await start();
    expect(isAlive(left)).toBe(false);
    expect(serverPid()).not.toBe(left);
    expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  });

  test('kill -9 of everything: the next start recovers and has every row', async () => {
    copyCluster();
    const gateway = await runGateway('serve');
    process.kill(-serverPid(), 'SIGKILL');
    await kill9(gateway);
    const { url } = await start();
    expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  });

  test('a postmaster.pid whose number is another program by now stops nothing and does not matter', async () => {
    copyCluster();
    const gateway = await runGateway('serve');
    process.kill(-serverPid(), 'SIGKILL');
    await kill9(gateway);
    const bystander = spawn('sleep', ['60'], { argv0: 'postgres' });
    children.push(bystander);
    const file = join(dataDir, 'pg', 'postmaster.pid');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(bystander.pid)));
    await start();
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  });

  test('kill -9 of the server: it is started again under the same URL, and stop() still ends it', async () => {
    copyCluster();
    const messages: string[] = [];
    const server = await start({ log: (level, message) => messages.push(`${level}: ${message}`) });
    const killed = serverPid();
    process.kill(killed, 'SIGKILL');
    await until('two messages', () => messages.length === 2);
    expect(messages).toEqual([
      'error: PostgreSQL exited unexpectedly (SIGKILL) and is restarted',
      'info: PostgreSQL runs again',
    ]);
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const pid = serverPid();
    await server.stop();
    expect(isAlive(pid)).toBe(false);
  });

  test('kill -9 in the middle of the first start leaves no half cluster', async () => {
    const gateway = runProcess('serve');
    await until('initdb has begun', () => {
      const cluster = existsSync(dataDir) && readdirSync(dataDir).find((name) => name.startsWith('pg.new-'));
      return cluster !== false && cluster !== undefined && existsSync(join(dataDir, cluster, 'PG_VERSION'));
    });
    await kill9(gateway);
    expect(existsSync(join(dataDir, 'pg'))).toBe(false);
    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('pg.new-'))).toEqual([]);
  });

  test('an uncaught exception of the gateway ends the server too', async () => {
    copyCluster();
    const gateway = await runGateway('throw');
    const pid = serverPid();
    gateway.stdin?.end('now\n');
    await once(gateway, 'exit');
    await until('the server has ended', () => !isAlive(pid));
  });
});

describe('a command while a gateway runs', () => {
  test('joins its server, also while that still starts', async () => {
    copyCluster();
    const gateway = runProcess('serve');
    const lock = join(dataDir, 'owner.lock');
    await until('the folder has an owner', () => existsSync(lock) && readFileSync(lock).length > 0);
    expect(await ownDataDir(dataDir, 'cli')).toEqual({ heldBy: { role: 'gateway', pid: gateway.pid } });
    const url = (await locateRunning(dataDir)) ?? 'none';
    expect(await query(url, 'SELECT current_database()::text AS name')).toEqual([{ name: 'auth_gateway' }]);
  });

  test('reports that the gateway has ended meanwhile', async () => {
    await kill9(await runGateway('hold'));
    expect(await locateRunning(dataDir)).toBeUndefined();
  });
});

async function own(role: OwnerRole): Promise<DataDirOwnership> {
  const owned = await ownDataDir(dataDir, role);
  if ('heldBy' in owned) throw new Error(`held by process ${owned.heldBy.pid}`);
  return owned;
}

async function start(options: EmbeddedPostgresOptions = {}): Promise<EmbeddedPostgres> {
  const owned = await own('gateway');
  try {
    const server = await startEmbeddedPostgres(owned, { durable: false, ...options });
    const stop = async () => {
      await server.stop();
      owned.release();
    };
    const stoppable = { url: server.url, stop };
    servers.add(stoppable);
    serverPid();
    return stoppable;
  } catch (error) {
    owned.release();
    throw error;
  }
}

/** The compiled form is not at hand in a test run, so the process takes the types off itself. */
const TYPESCRIPT_HOOK = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      const isOurs = name.startsWith('.') && context.parentURL.endsWith('.ts');
      return next(isOurs ? name.replace(/\\.js$/, '.ts') : name, context);
    },
  });`)}`;

const SOURCES = new URL('../../src/db/embedded/', import.meta.url).href;

const PROGRAM = `
  const [, sources, dataDir, task] = process.argv;
  const { ownDataDir } = await import(sources + 'owner.ts');
  const { startEmbeddedPostgres } = await import(sources + 'server.ts');
  const { connect } = await import(sources + 'postmaster.ts');
  const owned = await ownDataDir(dataDir, 'gateway');
  if (task !== 'hold') {
    const { url } = await startEmbeddedPostgres(owned);
    const client = await connect(url);
    await client.query('CREATE TABLE kept AS SELECT 1 AS n');
    await client.end();
  }
  console.log('ready');
  process.stdin.on('data', () => { throw new Error('uncaught'); });
  setInterval(() => {}, 1000);`;

function runProcess(task: 'hold' | 'serve' | 'throw'): ChildProcess {
  const words = ['--import', TYPESCRIPT_HOOK, '--input-type=module', '--eval', PROGRAM, SOURCES, dataDir, task];
  const child = spawn(process.execPath, words, {
    env: { PATH: process.env['PATH'], PASSWORD: 'hunter2' },
    stdio: ['pipe', 'pipe', task === 'throw' ? 'ignore' : 'inherit'],
  });
  children.push(child);
  return child;
}

/** A gateway process that owns the folder and, unless it only holds it, has committed a row. */
async function runGateway(task: 'hold' | 'serve' | 'throw'): Promise<ChildProcess> {
  const child = runProcess(task);
  if (!child.stdout) throw new Error('no stdout');
  await Promise.race([once(createInterface(child.stdout), 'line'), once(child, 'exit').then(() => sleep(50))]);
  if (child.exitCode !== null) throw new Error(`the process ended with code ${child.exitCode}`);
  if (task !== 'hold') serverPid();
  return child;
}

async function kill9(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function serverPid(): number {
  const pid = Number(readFileSync(join(dataDir, 'pg', 'postmaster.pid'), 'utf8').split('\n')[0]);
  serverPids.add(pid);
  return pid;
}

/** A process that has ended but is not yet waited for has no command line. */
function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres');
  } catch {
    return false;
  }
}

async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  return client
    .query<Record<string, unknown>>(text, values)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}
