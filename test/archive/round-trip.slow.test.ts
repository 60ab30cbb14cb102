/** `database import` restores to the byte what `database export` wrote: on every server, embedded too. (Interface 9) */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as fc from 'fast-check';
import { testedBlock } from '../documents/printed.js';
import { connected, contentOf, here } from '../support/gateway/archives.js';
import { messagesOf, type Ran } from '../support/gateway/cli.js';
import { hasPgBouncer, startPgBouncer } from '../support/postgres/pgbouncer.js';
import {
  asSuperuser,
  createDatabase,
  KEYRING_FILE,
  required,
  type TestDatabase,
} from '../support/postgres/postgres.js';
import { canMount, mountDisk } from '../support/postgres/small-disk.js';
import { anyRows, insert, type Rows } from './rows.js';

let folder: string;
let source: TestDatabase;
const databases: TestDatabase[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-archive-'));
  source = await another();
  await fill(source);
});
afterAll(async () => {
  for (const database of databases) await database.drop();
  await rm(folder, { recursive: true });
});

async function another(from?: 'empty'): Promise<TestDatabase> {
  const database = await createDatabase(from);
  databases.push(database);
  return database;
}

async function fill({ url }: TestDatabase): Promise<void> {
  const [rows = {}] = fc.sample(anyRows, { numRuns: 1, seed: 14 });
  await connected(url, (client) => insert(client, rows));
}

let files = 0;
function newFile(): string {
  files += 1;
  return join(folder, `${files}.export`);
}

interface Result {
  rows: Record<string, number>;
  sha256: string;
}

function resultOf(ran: Ran): Result {
  expect(ran).toMatchObject({ code: 0 });
  const { rows, sha256 } = JSON.parse(ran.stdout);
  return { rows, sha256 };
}

const exported = async (database: Pick<TestDatabase, 'url'>, file: string, env?: Record<string, string>) =>
  resultOf(await here(database, ['database', 'export', '--out', file, '--json'], env));
const imported = async (database: TestDatabase, file: string) =>
  resultOf(await here(database, ['database', 'import', file, '--json']));

test('Interface 9: any rows come back as they were, and a second export has the same checksum', async () => {
  await fc.assert(
    fc.asyncProperty(anyRows, async (rows: Rows) => {
      const [from, to] = [await createDatabase(), await createDatabase()];
      const [first, second] = [newFile(), newFile()];
      try {
        await connected(from.url, (client) => insert(client, rows));
        const content = await contentOf(from);
        const result = await exported(from, first);
        expect(await imported(to, first)).toEqual(result);
        expect(await contentOf(to)).toEqual(content);
        expect(await exported(to, second)).toEqual(result);
        const counts = Object.entries(content).map(([table, { length }]) => [table, length]);
        expect(result.rows).toEqual(Object.fromEntries(counts));
      } finally {
        await from.drop();
        await to.drop();
      }
    }),
    { numRuns: 4 },
  );
});

test('Interface 9: the settings of a server change neither checksum nor rows, and an unmigrated database is migrated', async () => {
  const target = await another('empty');
  for (const setting of [`datestyle = 'ISO, DMY'`, `timezone = 'Asia/Kolkata'`, `bytea_output = 'escape'`]) {
    await asSuperuser(`alter database ${target.name} set ${setting}`);
  }
  const [first, second] = [newFile(), newFile()];
  const result = await exported(source, first);
  expect(await imported(target, first)).toEqual(result);
  expect(await exported(target, second)).toEqual(result);
  expect(await contentOf(target)).toEqual(await contentOf(source));
});

test('Interface 9: afterwards sessions follow their records again', async () => {
  const [file, target] = [newFile(), await another()];
  await exported(source, file);
  await imported(target, file);
  const triggers = await connected(target.url, (client) =>
    client.query('select distinct tgenabled as is from pg_trigger where not tgisinternal'),
  );
  expect(triggers.rows).toEqual([{ is: 'O' }]);
});

test('Interface 9: the file is readable only by its owner and replaces no other', async () => {
  const own = await mkdtemp(join(folder, 'own-'));
  const file = join(own, 'gateway.export');
  const first = await here(source, ['database', 'export', '--out', file]);
  expect(messagesOf(first)).toMatch('the file contains password hashes and sealed secrets; keep it private\n');
  const before = await stat(file);
  expect(before.mode & 0o777).toBe(0o600);
  const again = await here(source, ['database', 'export', '--out', file]);
  expect([again.code, again.stdout]).toEqual([1, '']);
  expect(messagesOf(again)).toBe(`the file ${file} exists and is not replaced\n`);
  expect(await stat(file)).toEqual(before);
  expect(await readdir(own)).toEqual(['gateway.export']); // no part of one
});

test('Interface 9: a folder that is not there', async () => {
  const ran = await here(source, ['database', 'export', '--out', join(folder, 'missing', 'gateway.export')]);
  expect([ran.code, ran.stdout, messagesOf(ran)]).toEqual([1, '', `there is no folder ${join(folder, 'missing')}\n`]);
});

(canMount ? test : test.skip)('Interface 9: a disk without room for the file', async () => {
  const small = await mkdtemp(join(tmpdir(), 'gateway-small-'));
  try {
    using _ = mountDisk(small, '4k');
    await writeFile(join(small, 'full'), Buffer.alloc(4_096));
    const file = join(small, 'gateway.export');
    const ran = await here(source, ['database', 'export', '--out', file]);
    expect([ran.code, ran.stdout, messagesOf(ran)]).toEqual([1, '', `no room for ${file}; no file was written\n`]);
    expect(await readdir(small)).toEqual(['full']);
  } finally {
    await rm(small, { recursive: true });
  }
});

/** Runs blocks of the page, with the places of this test, and without what starts a gateway. */
function typed(block: string, places: Record<string, string>, env: Record<string, string>): string {
  const lines = block.split('\n').filter((line) => line !== 'auth-gateway start');
  let script = lines.join('\n');
  for (const [printed, here] of Object.entries(places)) script = script.replaceAll(printed, here);
  const PATH = `${resolve('bin')}:${process.env['PATH']}`;
  return execFileSync('sh', ['-eu', '-c', script], {
    env: { PATH, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

test('docs/backup.md: a backup, and a restore to external and to embedded, as they are printed', async () => {
  const [keyring, data] = [required(KEYRING_FILE), join(folder, 'data')];
  const [external, third] = [await another('empty'), await another()];
  const backups = join(folder, 'backup');
  await mkdir(backups);
  const places = {
    '/backup': backups,
    '/etc/auth-gateway/keyring.json': keyring,
    '/var/lib/auth-gateway': data,
    'postgresql://gateway@db.example.com/gateway': external.url,
  };
  const tested = (name: string) => testedBlock('docs/backup.md', name);
  typed(tested('backup'), places, { DATABASE_URL: source.url, KEYRING_FILE: keyring });
  const [taken = ''] = await readdir(backups);
  await rename(join(backups, taken), join(backups, 'gateway.export'));
  typed(tested('restore'), places, {});
  expect(await contentOf(external)).toEqual(await contentOf(source));

  typed(tested('restore-embedded'), places, {});
  const back = newFile();
  typed(`auth-gateway database export --out ${back}`, {}, { DATA_DIR: data });
  await imported(third, back);
  expect(await contentOf(third)).toEqual(await contentOf(source));
});

const withPgBouncer = hasPgBouncer || process.env['REQUIRE_PROGRAMS'] === '1' ? test : test.skip;
withPgBouncer('Interface 9: an export goes through a pooler', async () => {
  const bouncer = await startPgBouncer(source, 2, []);
  try {
    const [direct, pooled] = [newFile(), newFile()];
    const through = await exported(bouncer, pooled, { DATABASE_POOLER: 'transaction' });
    expect(through).toEqual(await exported(source, direct));
  } finally {
    await bouncer.stop();
  }
});
