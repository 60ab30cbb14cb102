/** CONTRACT 1 and 2: finds the database. Embedded in DATA_DIR with its keyring, or wherever DATABASE_URL says. */
import { existsSync } from 'node:fs';
import type { Config } from '../config.js';
import { generateKeys, writeKeyring } from '../credentials/keyring.js';
import { createCleanUp } from '../platform/clean-up.js';
import type { Logger } from '../platform/logger.js';
import { type OwnerRole, ownDataDir } from './data-dir-owner.js';
import { startEmbeddedPostgres } from './embedded-postgres.js';
import { EmbeddedPostgresError } from './postgres-programs.js';
import { locateRunning } from './postmaster.js';

export interface DataDir {
  databaseUrl: string;
  /** True where the database is embedded. */
  embedded: boolean;
  /** Stops the server that was started here, if one was. */
  close(): Promise<void>;
}

/**
 * Starts the embedded server, or joins that of a running gateway (the CLI), or just names DATABASE_URL. The keyring is
 * created only beside an embedded database.
 * @throws {EmbeddedPostgresError} where another gateway runs on the folder, or the server cannot run
 */
export async function openDataDir(config: Config, role: OwnerRole, log: Logger): Promise<DataDir> {
  if (config.databaseUrl !== undefined) {
    return { databaseUrl: config.databaseUrl, embedded: false, close: async () => undefined };
  }
  const owned = await ownDataDir(config.dataDir, role);
  if ('heldBy' in owned) return join(config, role, owned.heldBy);

  const cleanUp = createCleanUp();
  cleanUp.defer(() => owned.release());
  return cleanUp.guard(async () => {
    const server = await startEmbeddedPostgres(owned, { log: (level, message) => log[level](message) });
    cleanUp.defer(() => server.stop());
    if (!existsSync(config.keyringFile)) await writeKeyring(config.keyringFile, await generateKeys(), 'create');
    return { databaseUrl: server.url, embedded: true, close: cleanUp.run };
  });
}

/** The CLI works on the server of the gateway that runs; a second gateway is refused. */
async function join(config: Config, role: OwnerRole, holder: { role: OwnerRole; pid: number }): Promise<DataDir> {
  const joins = role === 'cli' && holder.role === 'gateway';
  const databaseUrl = joins ? await locateRunning(config.dataDir) : undefined;
  if (databaseUrl !== undefined) return { databaseUrl, embedded: true, close: async () => undefined };
  throw new EmbeddedPostgresError(
    `the data folder ${config.dataDir} is in use by another ${holder.role} (process ${holder.pid})`,
  );
}
