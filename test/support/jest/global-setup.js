/** Builds if a selected test may use the build, starts PostgreSQL once for all tests, and migrates the database that each copies. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { selectedFiles } from './tiers.js';
import './typescript.js';

const { generateKeys, writeKeyringFile } = await import('../../../src/credentials/keyring/keyring-file.js');
const { openDatabase } = await import('../../../src/db/database.js');
const { ownDataDir } = await import('../../../src/db/embedded/owner.js');
const { startEmbeddedPostgres } = await import('../../../src/db/embedded/server.js');
const { migrateUp } = await import('../../../src/db/migrate.js');

/** What a test, or what it imports, says if it may use the build: it starts processes, or loads a page or the client's package. */
const USES_THE_BUILD = /dist\/|node:child_process|explorer|\/console\b|\/gate\?|set-password|@auth-gateway\/client/;

export default async function globalSetup({ testPathPatterns }) {
  if (needsBuild(testPathPatterns?.patterns ?? [])) build();
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  const owned = await ownDataDir(dataDir, 'gateway');
  if ('heldBy' in owned) throw new Error('a new folder is in use');
  const server = await startEmbeddedPostgres(owned, { durable: false });
  const template = await openDatabase(server.url);
  await migrateUp(template);
  await template.close();
  const keyring = join(dataDir, 'keyring.json');
  await writeKeyringFile(keyring, await generateKeys(), 'create');
  process.env.TEST_TEMPLATE_URL = server.url;
  process.env.TEST_KEYRING_FILE = keyring;
  globalThis.testServer = server;
  globalThis.testDataDir = dataDir;
}

/** @param patterns of the command line; without any, every test of the tier is selected */
function needsBuild(patterns) {
  const files = selectedFiles().map((file) => resolve(file));
  const selected =
    patterns.length === 0 ? files : files.filter((file) => patterns.some((p) => new RegExp(p).test(file)));
  const seen = new Set();
  const usesTheBuild = (file) => {
    if (seen.has(file)) return false;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    if (USES_THE_BUILD.test(text)) return true;
    const imports = Array.from(text.matchAll(/from '(\.{1,2}\/[^']+)\.js'/g), ([, path]) => path);
    return imports
      .map((path) => resolve(dirname(file), `${path}.ts`))
      .filter((path) => /\/(test|proof)\//.test(path) && globSync(path).length > 0)
      .some(usesTheBuild);
  };
  return selected.some(usesTheBuild);
}

function build() {
  const { status } = spawnSync(process.execPath, ['scripts/build.js'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed');
}
