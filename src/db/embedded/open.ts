/** Starts the embedded PostgreSQL of a data folder, or joins a running one. Other rooms import only this file. */
import { existsSync } from 'node:fs';
import type { Logger } from '../../platform/logger.js';
import { type DataDirHeld, lockFileOf, type OwnerRole, ownDataDir } from './owner.js';
import { clusterDirOf, locateRunning } from './postmaster.js';
import { EmbeddedPostgresError } from './programs.js';
import { startEmbeddedPostgres } from './server.js';

export { EmbeddedPostgresError };

/** `filling`: an import, which creates the database if there is none, and never joins a gateway. */
export type OpenAs = OwnerRole | 'filling';

export interface OpenedPostgres {
  url: string;
  /** True if this process runs the server; false if it has joined a gateway's. */
  isOwner: boolean;
  /** Stops the server if it was started here. */
  close(): Promise<void>;
}

/**
 * Starts the server of the data folder; the CLI joins the server of a running gateway. The gateway and an import create
 * the database if there is none.
 * @throws {EmbeddedPostgresError} if another gateway uses the folder, there is no database, or the server cannot run
 */
export async function openEmbedded(dataDir: string, how: OpenAs, log: Logger): Promise<OpenedPostgres> {
  if (how === 'cli' && !existsSync(lockFileOf(dataDir))) throw noDatabase(dataDir); // before the folder is created
  const owned = await ownDataDir(dataDir, how === 'gateway' ? 'gateway' : 'cli');
  if ('heldBy' in owned) return join(dataDir, how, owned.heldBy);

  await using opening = new AsyncDisposableStack();
  opening.defer(() => owned.release());
  if (how === 'cli' && !existsSync(clusterDirOf(dataDir))) throw noDatabase(dataDir);
  const server = await startEmbeddedPostgres(owned, { log: (level, message) => log[level](message) });
  opening.defer(() => server.stop());
  const opened = opening.move();
  return { url: server.url, isOwner: true, close: () => opened.disposeAsync() };
}

function noDatabase(dataDir: string): EmbeddedPostgresError {
  const remedy = { advice: 'set DATA_DIR or DATABASE_URL; for a new gateway', command: 'start' };
  return new EmbeddedPostgresError(`there is no database in ${dataDir}`, remedy);
}

/** The CLI uses the server of the running gateway; a second gateway is refused. */
async function join(dataDir: string, how: OpenAs, holder: DataDirHeld['heldBy']): Promise<OpenedPostgres> {
  const joins = how === 'cli' && holder.role === 'gateway';
  const url = joins ? await locateRunning(dataDir) : undefined;
  if (url !== undefined) return { url, isOwner: false, close: async () => undefined };
  throw new EmbeddedPostgresError(
    `the data folder ${dataDir} is in use by another ${holder.role} (process ${holder.pid})`,
  );
}
