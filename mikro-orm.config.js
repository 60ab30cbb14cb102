/**
 * The command line of MikroORM, which looks for its configuration here: `npx mikro-orm migration:create`. It compares the
 * entities with a new database, to which it has applied every migration. No other database is read or changed.
 */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from '@mikro-orm/postgresql';
import './test/support/jest/typescript.js';

const { openDatabase } = await import('./src/db/database.js');
const { ownDataDir } = await import('./src/db/embedded/owner.js');
const { startEmbeddedPostgres } = await import('./src/db/embedded/server.js');
const { migrateUp } = await import('./src/db/migrate.js');
const { ormOptions } = await import('./src/db/orm.js');

export default async function configuration() {
  const dataDir = await mkdtemp(join(tmpdir(), 'auth-gateway-'));
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  await using opening = new AsyncDisposableStack();
  const server = await startEmbeddedPostgres(await ownDataDir(dataDir, 'cli'), { durable: false });
  opening.defer(() => server.stop());
  const db = await openDatabase(server.url);
  opening.defer(() => db.close());
  await migrateUp(db);
  const options = await ormOptions(server.url, db.adminPool);
  const opened = opening.move();
  options.driverOptions.destroy = () => opened.disposeAsync(); // at the end of each command
  options.migrations.path = 'migrations';
  return defineConfig(options);
}
