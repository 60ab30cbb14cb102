/** Refusals of `database import`, after each of which nothing has changed. (Interface 9) */
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createApiKey } from '../../src/admin/api-keys.js';
import { generateKeys, writeKeyringFile } from '../../src/credentials/keyring/keyring-file.js';
import { authenticated, connected, contentOf, edited, here, packed } from '../support/gateway/archives.js';
import { messagesOf, type Ran, run } from '../support/gateway/cli.js';
import { logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { hasPgBouncer, startPgBouncer } from '../support/postgres/pgbouncer.js';
import {
  asSuperuser,
  createDatabase,
  KEYRING_FILE,
  required,
  type TestDatabase,
} from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

let folder: string;
let gateway: TestGateway;
let good: string;
/** Stays empty */
let target: TestDatabase;
let empty: Record<string, string[]>;
let keys: Array<Record<string, string>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-archive-'));
  gateway = await startGateway();
  const { email } = await gateway.user();
  await logIn(gateway, email);
  await createApiKey(gateway.app, COMMAND_LINE, { serviceName: 'mailer', scopes: ['a:b'], rateLimit: 1 });
  good = join(folder, 'good.export');
  const { code } = await here(gateway.database, ['database', 'export', '--out', good]);
  expect(code).toBe(0);
  target = await createDatabase();
  empty = await contentOf(target);
  keys = JSON.parse(await readFile(required(KEYRING_FILE), 'utf8')).keys;
});
afterAll(async () => {
  await gateway.close();
  await target.drop();
  await rm(folder, { recursive: true });
});

const importing = async (
  file: string,
  env?: Record<string, string>,
  database: TestDatabase = target,
  signal?: AbortSignal,
) => {
  // A busy server takes a while to close the connections of the import before.
  const others = `select from pg_stat_activity where datname = '${target.name}' and application_name = 'auth-gateway'`;
  await until('the import before is gone', async () => (await asSuperuser(others)).length === 0);
  return here(database, ['database', 'import', file], env, signal);
};

async function expectRefused(ran: Ran, message: RegExp, code = 1): Promise<void> {
  expect([ran.code, ran.stdout]).toEqual([code, '']);
  expect(messagesOf(ran)).toMatch(message);
  expect(await contentOf(target)).toEqual(empty);
}

/** A file in the folder of the good one. */
const file = (name: string): string => join(folder, name);

test('Interface 9: a database that is not empty, and which table has rows', async () => {
  const before = await contentOf(gateway.database);
  const ran = await importing(good, {}, gateway.database);
  await expectRefused(
    ran,
    /^the database is not empty \(there are rows in api_keys, audit_events,.* users\): import into/,
  );
  expect(await contentOf(gateway.database)).toEqual(before);
});

test.each<[string, (text: string) => string, RegExp]>([
  [
    'of a later version',
    (text) =>
      text
        .replace('"migrations":[', '"migrations":["Migration20990101000001_x",')
        .replace(/"revision":"[^"]*"/, '"revision":"0123abc"'),
    /the file is of version (\d+\.\d+\.\d+) and this is \1, with other migrations: only the file has Migration20990101000001_x\. Import it with revision 0123abc, which wrote it, or with a later one\./,
  ],
  [
    'that lacks a migration before its newest',
    (text) => text.replace(/,"Migration20261122000004_proof_of_retry"/, ''),
    /only this version has Migration20261122000004_proof_of_retry/,
  ],
  [
    'of an earlier format',
    (text) => text.replace('"format_version":3', '"format_version":1'),
    /has format 1, and this version reads 2 to 3/,
  ],
  [
    'of a later format',
    (text) => text.replace('"format_version":3', '"format_version":4'),
    /has format 4, and this version reads 2 to 3/,
  ],
  [
    'of another program',
    (text) => text.replace('auth-gateway database', 'something else'),
    /database export did not write this file/,
  ],
  ['with another row', (text) => text.replace('mailer', 'Mailer'), /damaged or cut short \(its rows do not match/],
  [
    'with a row less',
    (text) => text.replace(/\n[^\n]*mailer[^\n]*/, ''),
    /damaged or cut short \(its rows do not match/,
  ],
  [
    'with another count',
    (text) => text.replace('"users":1', '"users":2'),
    /damaged or cut short \(its rows do not match/,
  ],
  [
    'with a malformed row',
    (text) => text.replace('mailer', 'mai\tler'),
    /\(PostgreSQL refuses a row of api_keys, 22P04\)/,
  ],
  [
    'with a table less',
    (text) => text.replace(/\{"table":"cron_keys".*\n\\\.\n/, ''),
    /\(its tables or columns differ\)/,
  ],
  ['with other columns', (text) => text.replace('"failed_login_attempts",', ''), /\(its tables or columns differ\)/],
  ['without its end', (text) => text.replace(/\{"rows":.*\n.*\n/, ''), /\(it has no end\)/],
  ['with something after its end', (text) => `${text}\n`, /\(something follows its end\)/],
])('Interface 9: a file %s', async (name, edit, message) => {
  const other = file(`${name}.export`);
  await edited(good, other, edit);
  await expectRefused(await importing(other), message);
});

test.each<[string, Buffer]>([
  ['a text', Buffer.from('{"format":"auth-gateway database"}')],
  ['nothing', Buffer.alloc(0)],
  ['gzip of something else', gzipSync('hello')],
  ['the same, packed as ours', packed('hello\n')],
])('Interface 9: a foreign file: %s', async (name, bytes) => {
  await writeFile(file(name), bytes);
  await expectRefused(await importing(file(name)), /^(database export did not write this file|the file is damaged)/);
});

test('Interface 9: a file that was unpacked and packed again, and a folder', async () => {
  await writeFile(file('again'), gzipSync(gunzipSync(await readFile(good)), { level: 9 }));
  await expectRefused(await importing(file('again')), /, or it was unpacked and packed again\n$/);
  await expectRefused(await importing(folder), /^.* is a folder\n$/);
});

test('Interface 9: a database that a later version has migrated', async () => {
  const later = 'Migration20990101000001_x';
  const alter = (sql: string) => connected(target.url, (client) => client.query(sql, [later]));
  await alter('insert into mikro_orm_migrations (name) values ($1)');
  try {
    const message = /^the target database has other migrations: it has Migration20990101000001_x, which this version/;
    await expectRefused(await importing(good), message);
  } finally {
    await alter('delete from mikro_orm_migrations where name = $1');
  }
});

test('Interface 9: a file that is not there makes no embedded database', async () => {
  const ran = await run(['database', 'import', file('missing')], { env: { DATA_DIR: file('data') } });
  await expectRefused(ran, /^cannot open .*missing \(ENOENT\)\n$/);
  expect(await readdir(folder)).not.toContain('data');
});

describe('a keyring', () => {
  test('Interface 9: another one, and which keys it lacks', async () => {
    const other = file('other.json');
    await writeKeyringFile(other, await generateKeys(), 'create');
    const kids = keys.map(({ kid = '' }) => kid.replace('+', '\\+'));
    const message = `it lacks ${kids[0]} \\(access\\), ${kids[1]} \\(refresh\\), ${kids[2]} \\(sealing\\);`;
    await expectRefused(await importing(good, { KEYRING_FILE: other }), new RegExp(message), 78);
  });

  test('Interface 9: one with a key of the same name and another content', async () => {
    const other = file('same-kid.json');
    const [, , sealing] = await generateKeys();
    const renamed = keys.map((key) => (key['use'] === 'enc' ? { ...sealing, kid: key['kid'] } : key));
    await writeFile(other, JSON.stringify({ keys: renamed }), { mode: 0o600 });
    await expectRefused(await importing(good, { KEYRING_FILE: other }), /it lacks \S+ \(sealing\);/, 78);
  });

  test('Interface 9: none', async () => {
    const ran = await importing(good, { KEYRING_FILE: file('none.json') });
    await expectRefused(ran, /^there is no keyring .*none\.json; restore the one that was used with this database/, 78);
  });

  test('Interface 9: keys are missed as long as something lives that they made', async () => {
    const [access, refresh] = await generateKeys();
    const sealing = keys.find(({ use }) => use === 'enc');
    const rotated = file('rotated.json');
    await writeFile(rotated, JSON.stringify({ keys: [access, refresh, sealing] }), { mode: 0o600 });
    const old = file('old.export');
    const longAgo = (text: string) => text.replaceAll(/"until":"[^"]+"/g, '"until":"2026-01-01T00:00:00.000Z"');
    await edited(good, old, (text) => authenticated(longAgo(text), keys));
    const database = await createDatabase();
    try {
      await expectRefused(
        await importing(good, { KEYRING_FILE: rotated }),
        /it lacks \S+ \(access\), \S+ \(refresh\);/,
        78,
      );
      expect((await importing(old, { KEYRING_FILE: rotated }, database)).code).toBe(0);
    } finally {
      await database.drop();
    }
  });
});

test('Interface 9: a pooler is refused with the remedy', async () => {
  await expectRefused(
    await importing(good, { DATABASE_POOLER: 'transaction' }),
    /set DATABASE_URL to PostgreSQL itself/,
  );
});

(hasPgBouncer ? test : test.skip)(
  'Interface 9: a pooler that DATABASE_POOLER does not name is refused with the same message',
  async () => {
    const bouncer = await startPgBouncer(target, 3);
    try {
      const ran = await here(bouncer, ['database', 'import', good]);
      expect([ran.code, ran.stdout]).toEqual([1, '']);
      expect(messagesOf(ran)).toMatch(
        /^an import is one long transaction.*leave out DATABASE_POOLER\. Nothing was changed\n$/,
      );
    } finally {
      await bouncer.stop();
    }
    expect(await contentOf(target)).toEqual(empty);
  },
);

test('Interface 9: a database on which a gateway runs', async () => {
  const other = new pg.Client({ connectionString: target.url, application_name: 'somebody' });
  await other.connect();
  try {
    await expectRefused(
      await importing(good),
      /^a gateway or another program is connected to the database \(processes of PostgreSQL: \d+ \([^(),]+, somebody, [^(),]+\)\): stop it first/,
    );
  } finally {
    await other.end();
  }
});

test('Interface 9: a database that keeps other rows than it was given', async () => {
  const alter = (type: string) =>
    connected(target.url, (client) => client.query(`alter table users alter column password_hash type ${type}`));
  await alter('char(200)');
  try {
    await expectRefused(await importing(good), /^the tables differ from the file: nothing was imported/);
  } finally {
    await alter('text');
  }
});

test('Interface 9: a signal ends both, and leaves neither a file nor a row', async () => {
  const signal = AbortSignal.abort();
  const ran = await importing(good, {}, target, signal);
  await expectRefused(ran, /^cancelled; nothing was imported\n$/);
  const before = await readdir(folder);
  const exporting = await here(gateway.database, ['database', 'export', '--out', file('cut.export')], {}, signal);
  expect([exporting.code, messagesOf(exporting)]).toEqual([1, 'cancelled; no file was written\n']);
  expect(await readdir(folder)).toEqual(before);
});

test('Interface 9: damage, wherever it is: a byte changed, a part missing, something behind', async () => {
  const bytes = await readFile(good);
  const places = [...bytes.keys()].filter((at) => at < 10 || at % 41 === 0 || at >= bytes.length - 8);
  const damagedFiles = [
    ...places.map((at) => bytes.with(at, ~(bytes[at] ?? 0))),
    ...[0.3, 0.9, 0.999].map((share) => bytes.subarray(0, share * bytes.length)),
    Buffer.concat([bytes, Buffer.from([0])]),
    Buffer.concat([bytes, bytes]),
  ];
  const passed: number[] = [];
  for (const [i, content] of damagedFiles.entries()) {
    await writeFile(file('damaged'), content);
    const { code, stderr } = await importing(file('damaged'));
    if (code !== 1 || !/damaged/.test(stderr)) passed.push(i);
  }
  expect(passed).toEqual([]);
  expect(await contentOf(target)).toEqual(empty);
  await copyFile(good, file('damaged'));
  const other = await createDatabase();
  try {
    expect((await importing(file('damaged'), {}, other)).code).toBe(0); // so it was the damage
  } finally {
    await other.drop();
  }
});
