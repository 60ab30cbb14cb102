/** The database of a command: it is named, and no command creates or migrates one by itself. (Interface 9) */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { readConfig } from '../../src/config/config.js';
import { ownDataDir } from '../../src/db/embedded/owner.js';
import { cliOnDatabase, messagesOf, run, runHere } from '../support/gateway/cli.js';
import { canMount, mountDisk } from '../support/postgres/small-disk.js';
import { asUser, isRoot } from '../support/programs/as-user.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-cli-'));
  await chmod(folder, 0o700);
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ['postgresql://user:secret@127.0.0.1:1/none', 'postgresql://user@127.0.0.1:1/none'],
  ['postgresql://user:se%40c%3Aret@127.0.0.1:1/none?options=secret', 'postgresql://user@127.0.0.1:1/none'],
  ['postgres://user@127.0.0.1:1/none', 'postgres://user@127.0.0.1:1/none'],
  ['postgresql://127.0.0.1:1/none?user=u&password=secret', 'postgresql://127.0.0.1:1/none'],
])('Interface 9: a database that is away is named without its password, and is exit code 1', async (url, name) => {
  const ran = await runHere(['user', 'list', '--json'], () => readConfig({ DATABASE_URL: url }));
  const stderr = `database: ${name}\nthe database cannot be reached: nothing listens there (ECONNREFUSED); start PostgreSQL, or correct host and port in DATABASE_URL\n`;
  expect(ran).toEqual({ code: 1, stdout: '', stderr });
});

test('Interface 2: a password with a slash that is not encoded is refused before anything is asked, and not printed', async () => {
  const DATABASE_URL = 'postgresql://127.0.0.1:1/secret@127.0.0.1:1/none';
  const { code, stdout, stderr } = await run(['user', 'list', '--json'], { env: { DATABASE_URL } });
  expect([code, stdout]).toEqual([78, '']);
  expect(stderr).toMatch(/^DATABASE_URL: has an @ after the first \//);
  expect(stderr).not.toContain('secret');
});

test('Interface 9: a database that the server does not have, and a table that somebody has locked, by what helps', async () => {
  const { database, run } = await cliOnDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query('begin; lock table users in access exclusive mode');
    const locked = await run(['user', 'list']);
    expect([locked.code, messagesOf(locked)]).toEqual([1, 'a table is locked (55P03); try again\n']);
  } finally {
    await client.end();
    await database.drop();
  }
  const gone = await run(['user', 'list']);
  const message =
    'the database cannot be reached: there is no database of that name (3D000); create it (createdb NAME), or correct its name in DATABASE_URL\n';
  expect([gone.code, messagesOf(gone)]).toEqual([1, message]);
});

test('Interface 9: an embedded database that does not exist is not made: exit code 1, and nothing is created', async () => {
  await mkdir(join(folder, 'empty'));
  await mkdir(join(folder, 'left')); // by a first start that was killed
  await writeFile(join(folder, 'left', 'owner.lock'), 'gateway 4194304\n');
  const key = ['api-key', 'create', '--service', 's', '--scope', 'a:b', '--rate-limit', '1'];
  for (const dataDir of ['missing', 'empty', 'left'].map((name) => join(folder, name))) {
    for (const args of [['user', 'list'], ['migrate', 'status'], ['migrate', 'up'], ['keyring', 'rotate'], key]) {
      const ran = await runHere(args, () => readConfig({ DATA_DIR: dataDir }));
      const stderr = `there is no database in ${dataDir}; set DATA_DIR or DATABASE_URL; for a new gateway run: auth-gateway start\n`;
      expect([args, ran]).toEqual([args, { code: 1, stdout: '', stderr }]);
    }
  }
  expect(await readdir(folder, { recursive: true })).toEqual(['empty', 'left', 'left/owner.lock']);
});

(isRoot && canMount ? test : test.skip)(
  'Interface 9: a data folder of another user, on a read-only disk, or that cannot be made',
  async () => {
    const [owned, disk] = [join(folder, 'owned'), join(folder, 'disk')];
    for (const dataDir of [owned, disk]) await mkdir(dataDir, { mode: 0o755 });
    await chmod(folder, 0o755);
    using _ = mountDisk(disk, '4m');
    await chmod(disk, 0o755);
    spawnSync('mount', ['-o', 'remount,ro', disk]);
    const refused = (dataDir: string, uid: number) =>
      asUser(uid, () => ownDataDir(dataDir, 'gateway').then(String, ({ message }: Error) => message));
    const another = 'set DATA_DIR to a folder that can be written';
    expect(await refused(owned, 65_534)).toBe(
      `the data folder ${owned} cannot be used (EACCES); give it to the user that this runs as: chown -R USER ${owned}; or ${another}`,
    );
    expect(await refused(join(owned, 'new'), 65_534)).toBe(
      `the data folder ${join(owned, 'new')} cannot be used (EACCES); make it as root and give it to the user that this runs as, or ${another}`,
    );
    expect(await refused(disk, 0)).toBe(`${disk} is on a read-only disk (EROFS); ${another}`);
    expect(await refused('/proc/x', 0)).toBe(`the data folder /proc/x cannot be used (ENOENT); ${another}`);
  },
);

test('Interface 9: migrate up alone migrates; every other command says so', async () => {
  const cli = await cliOnDatabase('empty');
  const pending = migrations.map(({ name }) => expect.objectContaining({ name, executed_at: null, known: true }));
  try {
    for (const words of [
      'user list',
      'api-key list',
      'audit tail',
      'user create a@x.io --role viewer',
      'keyring rotate',
    ]) {
      const ran = await cli.run(words.split(' '));
      expect([words, ran.code, ran.stdout]).toEqual([words, 1, '']);
      expect(messagesOf(ran)).toBe('the database is not migrated to this version; run: auth-gateway migrate up\n');
    }
    expect(await cli.json(['migrate', 'status'])).toEqual(pending);
    await cli.json(['migrate', 'up']);
    expect(await cli.json(['user', 'list'])).toEqual([]);
  } finally {
    await cli.database.drop();
  }
});
