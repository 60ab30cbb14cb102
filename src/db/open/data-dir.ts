/** Opens the database: embedded in DATA_DIR with its keyring, or at DATABASE_URL. (Interface 1 and 2) */
import { stat } from 'node:fs/promises';
import type { Config } from '../../config/config.js';
import { keyringLost } from '../../credentials/keyring/keyring-error.js';
import type { Logger } from '../../platform/logger.js';
import { openDatabase } from '../database.js';
import type { OpenAs } from '../embedded/open.js';
import { statement } from '../statement.js';

export type { OpenAs };

export interface DataDir {
  databaseUrl: string;
  embedded: boolean;
  /** The embedded server belongs to a running gateway. */
  joined: boolean;
  /** Stops the server if it was started here. */
  close(): Promise<void>;
}

/**
 * Opens the embedded server, or returns DATABASE_URL. Only the gateway creates a keyring, and only for a new embedded
 * database.
 * @throws {EmbeddedPostgresError}; for the gateway also {KeyringError} if the keyring cannot be written, or is missing
 *   although the database was used with one
 */
export async function openDataDir(config: Config, how: OpenAs, log: Logger): Promise<DataDir> {
  const lacksKeyring = how === 'gateway' && (await isMissing(config.keyringFile));
  if (config.databaseUrl !== undefined) {
    // If the database does not answer, reading the keyring fails later, with advice for a new and for a used database.
    if (lacksKeyring && (await isUsed(config.databaseUrl, config).catch(() => false))) {
      throw keyringLost(config.keyringFile);
    }
    return { databaseUrl: config.databaseUrl, embedded: false, joined: false, close: async () => undefined };
  }
  const { openEmbedded } = await import('../embedded/open.js'); // which a server of one's own does not need
  const { url, isOwner, close } = await openEmbedded(config.dataDir, how, log);
  await using opening = new AsyncDisposableStack();
  opening.defer(close);
  if (lacksKeyring) {
    if (await isUsed(url, config)) throw keyringLost(config.keyringFile);
    const { generateKeys, writeKeyringFile } = await import('../../credentials/keyring/keyring-file.js');
    await writeKeyringFile(config.keyringFile, await generateKeys(), 'create');
    log.info({ file: config.keyringFile }, 'keyring created');
  }
  opening.move(); // now the caller closes it
  return { databaseUrl: url, embedded: true, joined: !isOwner, close };
}

/** False if the file cannot be examined: reading it later reports why. */
function isMissing(file: string): Promise<boolean> {
  return stat(file).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}

const isMigratedSql = statement('is_migrated', {}, { is_migrated: 'boolean', has_webhooks: 'boolean' })`
  select to_regclass('users') is not null as is_migrated, to_regclass('webhooks') is not null as has_webhooks`;
const isUsedSql = statement('is_used', {}, { is_used: 'boolean' })`
  select exists (select from users) or exists (select from api_keys) as is_used`;
const hasWebhookSql = statement('has_webhook', {}, { is_used: 'boolean' })`
  select exists (select from webhooks) as is_used`;

/**
 * True if it has rows that need their keyring: users, whose sessions it signs, and API keys and webhooks, whose secrets it
 * seals. An older version may have migrated it.
 */
async function isUsed(url: string, { databasePooler }: Config): Promise<boolean> {
  const db = await openDatabase(url, { pooler: databasePooler });
  try {
    const [migrated] = await db.run(isMigratedSql, {});
    if (!migrated?.is_migrated) return false;
    const [used] = await db.run(isUsedSql, {});
    const [webhooks] = migrated.has_webhooks ? await db.run(hasWebhookSql, {}) : [];
    return used?.is_used === true || webhooks?.is_used === true;
  } finally {
    await db.close();
  }
}
