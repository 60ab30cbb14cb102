/**
 * Starts PostgreSQL once for all tests and migrates the database that each test file copies. Jest loads this file by
 * itself, without its transforms, so it uses the build that `npm test` has just made.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeys, writeKeyringFile } from '../../dist/src/credentials/keyring/keyring-file.js';
import { openDatabase } from '../../dist/src/db/database.js';
import { ownDataDir } from '../../dist/src/db/embedded/owner.js';
import { startEmbeddedPostgres } from '../../dist/src/db/embedded/server.js';
import { migrateUp } from '../../dist/src/db/migrate.js';

export default async function globalSetup() {
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
