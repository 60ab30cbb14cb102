/** `database import` takes a file only as an export wrote it, which a key of the keyring shows. (Interface 9) */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { generateKeys } from '../../src/credentials/keyring/keyring-file.js';
import { authenticated, contentOf, here, packed, recounted } from '../support/gateway/archives.js';
import { messagesOf, type Ran, run } from '../support/gateway/cli.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { createDatabase, KEYRING_FILE, required, type TestDatabase } from '../support/postgres/postgres.js';

type Keys = Array<Record<string, string>>;

let folder: string;
let gateway: TestGateway;
/** Stays empty */
let target: TestDatabase;
let empty: Record<string, string[]>;
/** What an export has written */
let good: string;
let keys: Keys;
/** Their kids */
let kids: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-archive-'));
  gateway = await startGateway();
  await gateway.user({ email: 'viewer@example.com' });
  target = await createDatabase();
  empty = await contentOf(target);
  keys = JSON.parse(await readFile(required(KEYRING_FILE), 'utf8')).keys;
  kids = keys.filter(({ kty }) => kty === 'oct').map(({ kid = '' }) => kid);
  const out = join(folder, 'good.export');
  const exported = await here(gateway.database, ['database', 'export', '--out', out, '--json']);
  expect(JSON.parse(exported.stdout)).toMatchObject({ authenticated_by: kids });
  good = gunzipSync(await readFile(out)).toString('utf8');
});
afterAll(async () => {
  await gateway.close();
  await target.drop();
  await rm(folder, { recursive: true });
});

let files = 0;
async function write(content: string | Buffer): Promise<string> {
  files += 1;
  const file = join(folder, `${files}`);
  await writeFile(file, content, { mode: 0o600 });
  return file;
}

interface How {
  keyring?: Keys;
  options?: string[];
  database?: TestDatabase;
}

async function importing(content: string, { keyring, options = [], database = target }: How = {}): Promise<Ran> {
  const env = keyring && { KEYRING_FILE: await write(JSON.stringify({ keys: keyring })) };
  return here(database, ['database', 'import', await write(packed(content)), ...options], env);
}

async function expectRefused(ran: Ran, message: RegExp): Promise<void> {
  expect([ran.code, ran.stdout]).toEqual([1, '']);
  expect(messagesOf(ran)).toMatch(message);
  expect(await contentOf(target)).toEqual(empty);
}

/** Imports into a database of its own. @returns what is printed as JSON, what is said, and the rows of users */
async function imported(content: string, how: How = {}) {
  const database = await createDatabase();
  try {
    const ran = await importing(content, { ...how, options: ['--json', ...(how.options ?? [])], database });
    expect(ran).toMatchObject({ code: 0 });
    const { users } = await contentOf(database);
    return { printed: JSON.parse(ran.stdout), said: messagesOf(ran), users };
  } finally {
    await database.drop();
  }
}

const asAdmin = (text: string): string => text.replace(/(viewer@example\.com.*\t)viewer\n/, '$1admin\n');
const ALTERED = /^the file was altered after it was written: nothing was imported\n$/;
const UNAUTHENTICATED = ['--unauthenticated'];

/** Of which nothing needs a key any more, as after a while; or with other kids, of keys that nobody has. */
const ofLongAgo = (others = kids): string => {
  const [first = '', ...lines] = good.split('\n');
  const header = { ...JSON.parse(first), needs_keys: [], authenticated_by: others };
  return authenticated([JSON.stringify(header), ...lines].join('\n'), keys);
};

test('Interface 9: a viewer that was made an administrator, with counts and checksum made anew, is refused', async () => {
  const forged = recounted(asAdmin(good));
  expect(forged).not.toBe(good);
  await expectRefused(await importing(forged), ALTERED);
  await expectRefused(await importing(forged, { options: UNAUTHENTICATED }), ALTERED); // since it can be verified
  // It would pass the check of counts and checksum.
  const unverifiable = recounted(asAdmin(ofLongAgo(['another'])));
  const { users } = await imported(unverifiable, { options: UNAUTHENTICATED });
  expect(users).toEqual([expect.stringMatching(/viewer@example\.com.*,admin,/)]);
});

test('Interface 9: a file as it was written is imported, and the keys are named that have verified it', async () => {
  const { printed, said } = await imported(good);
  expect(printed).toMatchObject({ authenticated_by: kids });
  expect(said).toBe('');
  expect(authenticated(good, keys)).toBe(good); // so the documents say how it is done
});

test.each<[string, (text: string) => string]>([
  ['the header', (text) => text.replace(/"taken_at":"..../, '"taken_at":"2025')],
  ['the list of keys', (text) => text.replace(`["${kids[0]}",`, '[')],
  ['a row', (text) => recounted(text.replace('viewer@', 'viewed@'))],
  ['the trailer, by a space,', (text) => text.replace('"users":1', '"users": 1')],
  ['the first MAC', (text) => text.replace(/(?<="hmac_sha256":\[")./, (digit) => (digit === '0' ? '1' : '0'))],
  ['the last MAC', (text) => text.replace(/.(?="\]\}\n$)/, (digit) => (digit === '0' ? '1' : '0'))],
  ['the order of the MACs', (text) => text.replace(/\["(\w{64})","(\w{64})"\]/, '["$2","$1"]')],
])('Interface 9: a file with %s altered', async (_, alter) => {
  const altered = alter(good);
  expect(altered).not.toBe(good);
  await expectRefused(await importing(altered), ALTERED);
});

test('Interface 9: a file in which any byte was altered is refused, in whichever words', async () => {
  const bytes = Buffer.from(good);
  const lastLine = bytes.lastIndexOf('\n', bytes.length - 2);
  const passed: number[] = [];
  for (let at = 0; at < bytes.length; at += at < lastLine ? 199 : 29) {
    const altered = bytes.with(at, (bytes[at] ?? 0) ^ 1);
    const { code, stdout } = await here(target, ['database', 'import', await write(packed(altered))]);
    if (code === 0 || stdout !== '') passed.push(at);
  }
  expect(passed).toEqual([]);
  expect(await contentOf(target)).toEqual(empty);
});

test('Interface 9: a file whose last line was taken away', async () => {
  const cut = good.replace(/\{"hmac_sha256".*\n/, '');
  await expectRefused(await importing(cut), /damaged or cut short \(it has no end\)/);
  await expectRefused(await importing(good.replace(/"hmac_sha256":\[.*\]/, '"hmac_sha256":[]')), ALTERED);
});

test('Interface 9: a rotated keyring verifies a file with one key that it still has', async () => {
  const [access, refresh] = (await generateKeys()) as unknown as Keys;
  const sealing = keys.find(({ use }) => use === 'enc');
  const rotated = [access, refresh, sealing] as Keys;
  const { printed } = await imported(ofLongAgo(), { keyring: rotated });
  expect(printed.authenticated_by).toEqual([sealing?.['kid']]);
  await expectRefused(await importing(recounted(asAdmin(ofLongAgo())), { keyring: rotated }), ALTERED);
});

test('Interface 9: a keyring without any of the keys is refused at once, and the message names the risk of --unauthenticated', async () => {
  const keyring = (await generateKeys()) as unknown as Keys;
  const [header = ''] = ofLongAgo().split('\n');
  const refused = await importing(`${header}\nno table`, { keyring }); // which is not looked at
  await expectRefused(
    refused,
    new RegExp(`^the file cannot be verified: .*\\(${kids.join(', ')}\\)\\. Use the keyring`),
  );
  expect(messagesOf(refused)).toMatch(
    '--unauthenticated imports it anyway: its checksum shows damage, not tampering, so whoever could write the file may ' +
      'have added an administrator. Nothing was changed\n',
  );
  const { printed, said } = await imported(ofLongAgo(), { keyring, options: UNAUTHENTICATED });
  expect(printed.authenticated_by).toEqual([]);
  expect(said).toMatch(/^the file was not verified: its checksum shows damage, not tampering/);
});

test('Interface 9: a file that nobody can verify makes no embedded database', async () => {
  const data = join(folder, 'data');
  const env = { DATA_DIR: data, KEYRING_FILE: required(KEYRING_FILE) };
  const ran = await run(['database', 'import', await write(packed(ofLongAgo(['another'])))], { env });
  await expectRefused(ran, /^the file cannot be verified: the keyring has none of its keys \(another\)/);
  expect(existsSync(data)).toBe(false);
});
