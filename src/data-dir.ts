/** Interface 1 and 2: finds the database. Embedded in DATA_DIR with its keyring, or wherever DATABASE_URL says. */
import { existsSync } from 'node:fs';
import type { Config } from './config.js';
import { generateKeys, writeKeyring } from './credentials/keyring-file.js';
import { type OwnerRole, openEmbedded } from './db/embedded/open.js';
import { createCleanUp } from './platform/clean-up.js';
import type { Logger } from './platform/logger.js';

export interface DataDir {
  databaseUrl: string;
  /** True where the database is embedded. */
  embedded: boolean;
  /** True where that is the server of a gateway that runs. */
  joined: boolean;
  /** Stops the server that was started here, if one was. */
  close(): Promise<void>;
}

/**
 * Opens the embedded server, or just names DATABASE_URL. The keyring is created only beside an embedded database, by the
 * gateway.
 * @throws {EmbeddedPostgresError}, or {KeyringError} where the keyring cannot be written
 */
export async function openDataDir(config: Config, role: OwnerRole, log: Logger): Promise<DataDir> {
  if (config.databaseUrl !== undefined) {
    return { databaseUrl: config.databaseUrl, embedded: false, joined: false, close: async () => undefined };
  }
  const { url, isOwner, close } = await openEmbedded(config.dataDir, role, log);
  const cleanUp = createCleanUp();
  cleanUp.defer(close);
  return cleanUp.guard(async () => {
    if (role === 'gateway' && !existsSync(config.keyringFile)) {
      await writeKeyring(config.keyringFile, await generateKeys(), 'create');
      log.info({ file: config.keyringFile }, 'keyring created');
    }
    return { databaseUrl: url, embedded: true, joined: !isOwner, close };
  });
}
