/** Interface 1 and 2: finds the database. Embedded in DATA_DIR with its keyring, or wherever DATABASE_URL says. */
import { existsSync } from 'node:fs';
import type { Config } from './config.js';
import { generateKeys, KeyringError, writeKeyring } from './credentials/keyring-file.js';
import { openDatabase } from './db/database.js';
import { type OpenAs, openEmbedded } from './db/embedded/open.js';
import { statement } from './db/statement.js';
import { createCleanUp } from './platform/clean-up.js';
import type { Logger } from './platform/logger.js';

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
 * @throws {EmbeddedPostgresError}, or {KeyringError} where the keyring cannot be written, or is missing beside a database
 * that was used with it
 */
export async function openDataDir(config: Config, how: OpenAs, log: Logger): Promise<DataDir> {
  if (config.databaseUrl !== undefined) {
    return { databaseUrl: config.databaseUrl, embedded: false, joined: false, close: async () => undefined };
  }
  const { url, isOwner, close } = await openEmbedded(config.dataDir, how, log);
  const cleanUp = createCleanUp();
  cleanUp.defer(close);
  return cleanUp.guard(async () => {
    if (how === 'gateway' && !existsSync(config.keyringFile)) {
      if (await isUsed(url)) throw new KeyringError(missing(config));
      await writeKeyring(config.keyringFile, await generateKeys(), 'create');
      log.info({ file: config.keyringFile }, 'keyring created');
    }
    return { databaseUrl: url, embedded: true, joined: !isOwner, close };
  });
}

const isMigratedSql = statement('is_migrated', {}, { is_migrated: 'boolean' })`
  select to_regclass('users') is not null as is_migrated`;
const isUsedSql = statement('is_used', {}, { is_used: 'boolean' })`
  select exists (select from users) or exists (select from api_keys) as is_used`;

/** True where it has rows that are good with their keyring alone: users log in by tokens, API keys have sealed secrets. */
async function isUsed(url: string): Promise<boolean> {
  const db = await openDatabase(url);
  try {
    const [migrated] = await db.run(isMigratedSql, {});
    if (!migrated?.is_migrated) return false;
    const [used] = await db.run(isUsedSql, {});
    return used?.is_used === true;
  } finally {
    await db.close();
  }
}

function missing({ dataDir, keyringFile }: Config): string {
  return (
    `the keyring ${keyringFile} is missing, and the database in ${dataDir} was used with one: put it back, or set ` +
    'KEYRING_FILE to where it is. With a new one every login ends and no API key works; where you want that, run: ' +
    `auth-gateway keyring create --out ${keyringFile}`
  );
}
