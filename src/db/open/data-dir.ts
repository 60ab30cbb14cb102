/** Interface 1 and 2: finds the database. Embedded in DATA_DIR with its keyring, or wherever DATABASE_URL says. */
import { stat } from 'node:fs/promises';
import type { Config } from '../../config/config.js';
import { generateKeys, KeyringError, writeKeyringFile } from '../../credentials/keyring/keyring-file.js';
import { lostKeyringMessage } from '../../credentials/keyring/missing-keyring.js';
import { createCleanUp } from '../../platform/clean-up.js';
import type { Logger } from '../../platform/logger.js';
import { openDatabase } from '../database.js';
import { type OpenAs, openEmbedded } from '../embedded/open.js';
import { statement } from '../statement.js';

export type { OpenAs };

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
 * @throws {EmbeddedPostgresError}, or of the gateway {KeyringError} if the keyring cannot be written, or is missing and the
 * database was used with one
 */
export async function openDataDir(config: Config, how: OpenAs, log: Logger): Promise<DataDir> {
  const lacksKeyring = how === 'gateway' && (await isMissing(config.keyringFile));
  if (config.databaseUrl !== undefined) {
    // If it cannot be asked, whoever reads the keyring says what holds for a new gateway and for one with users.
    if (lacksKeyring && (await isUsed(config.databaseUrl, config).catch(() => false))) {
      throw new KeyringError(lostKeyringMessage(config.keyringFile));
    }
    return { databaseUrl: config.databaseUrl, embedded: false, joined: false, close: async () => undefined };
  }
  const { url, isOwner, close } = await openEmbedded(config.dataDir, how, log);
  const cleanUp = createCleanUp();
  cleanUp.defer(close);
  return cleanUp.guard(async () => {
    if (lacksKeyring) {
      if (await isUsed(url, config)) throw new KeyringError(lostKeyringMessage(config.keyringFile));
      await writeKeyringFile(config.keyringFile, await generateKeys(), 'create');
      log.info({ file: config.keyringFile }, 'keyring created');
    }
    return { databaseUrl: url, embedded: true, joined: !isOwner, close };
  });
}

/** False for what may not be looked at: whoever reads the file says why. */
function isMissing(file: string): Promise<boolean> {
  return stat(file).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}

const isMigratedSql = statement('is_migrated', {}, { is_migrated: 'boolean' })`
  select to_regclass('users') is not null as is_migrated`;
const isUsedSql = statement('is_used', {}, { is_used: 'boolean' })`
  select exists (select from users) or exists (select from api_keys) as is_used`;

/** True where it has rows that are good with their keyring alone: users log in by tokens, API keys have sealed secrets. */
async function isUsed(url: string, { databasePooler }: Config): Promise<boolean> {
  const db = await openDatabase(url, { pooler: databasePooler });
  try {
    const [migrated] = await db.run(isMigratedSql, {});
    if (!migrated?.is_migrated) return false;
    const [used] = await db.run(isUsedSql, {});
    return used?.is_used === true;
  } finally {
    await db.close();
  }
}
