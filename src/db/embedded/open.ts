/** The door of this room: the embedded PostgreSQL of a data folder, started here or joined. Others import this file alone. */
import { existsSync } from 'node:fs';
import { createCleanUp } from '../../platform/clean-up.js';
import type { Logger } from '../../platform/logger.js';
import { type DataDirHeld, lockFileOf, type OwnerRole, ownDataDir } from './owner.js';
import { clusterDirOf, locateRunning } from './postmaster.js';
import { EmbeddedPostgresError } from './programs.js';
import { startEmbeddedPostgres } from './server.js';

export { EmbeddedPostgresError };

/** `filling`: an import, which makes a database where there is none, and joins no gateway's. */
export type OpenAs = OwnerRole | 'filling';

export interface OpenedPostgres {
  url: string;
  /** True where this process owns the folder and runs the server; false where it has joined a gateway's. */
  isOwner: boolean;
  /** Stops the server that was started here, if one was. */
  close(): Promise<void>;
}

/**
 * Starts the server of the data folder, or joins that of the gateway that runs on it (the CLI). The gateway makes a
 * database where there is none, and so does an import.
 * @throws {EmbeddedPostgresError} where another gateway runs on the folder, there is no database, or the server cannot run
 */
export async function openEmbedded(dataDir: string, how: OpenAs, log: Logger): Promise<OpenedPostgres> {
  if (how === 'cli' && !existsSync(lockFileOf(dataDir))) throw noDatabase(dataDir); // before the folder is made
  const owned = await ownDataDir(dataDir, how === 'gateway' ? 'gateway' : 'cli');
  if ('heldBy' in owned) return join(dataDir, how, owned.heldBy);

  const cleanUp = createCleanUp();
  cleanUp.defer(() => owned.release());
  return cleanUp.guard(async () => {
    if (how === 'cli' && !existsSync(clusterDirOf(dataDir))) throw noDatabase(dataDir);
    const server = await startEmbeddedPostgres(owned, { log: (level, message) => log[level](message) });
    cleanUp.defer(() => server.stop());
    return { url: server.url, isOwner: true, close: cleanUp.run };
  });
}

function noDatabase(dataDir: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `there is no database in ${dataDir}: the first start of the gateway makes it; or set DATA_DIR or DATABASE_URL`,
  );
}

/** The CLI works on the server of the gateway that runs; a second gateway is refused. */
async function join(dataDir: string, how: OpenAs, holder: DataDirHeld['heldBy']): Promise<OpenedPostgres> {
  const joins = how === 'cli' && holder.role === 'gateway';
  const url = joins ? await locateRunning(dataDir) : undefined;
  if (url !== undefined) return { url, isOwner: false, close: async () => undefined };
  throw new EmbeddedPostgresError(
    `the data folder ${dataDir} is in use by another ${holder.role} (process ${holder.pid})`,
  );
}
