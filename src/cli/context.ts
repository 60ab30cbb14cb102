/** What a command of the CLI works with, opened only where it is needed and closed at its end. */
import type { Config } from '../config.js';
import { type Keyring, openKeyring } from '../credentials/keyring.js';
import { createPasswords, type Passwords } from '../credentials/passwords.js';
import { openDataDir } from '../data-dir.js';
import { type Database, openDatabase } from '../db/database.js';
import { migrateUp } from '../db/migrate.js';
import { createCleanUp } from '../platform/clean-up.js';
import { type Clock, systemClock } from '../platform/clock.js';
import { createLogger, type Logger } from '../platform/logger.js';

export interface CliContext {
  config: Config;
  clock: Clock;
  db: Database;
  log: Logger;
  passwords: Passwords;
  /** Only for the commands that need it: a database can be migrated before there is a keyring. */
  openKeyring(): Promise<Keyring>;
}

/** Enough for the one password that a command hashes. */
const THREADS = 4;

/**
 * Opens the database (the configured one, or that of a running gateway, or the embedded one for the time of the
 * command) and everything on it.
 * @param migrate false for a command that must not change the schema
 */
export async function withContext<T>(
  config: Config,
  migrate: boolean,
  work: (context: CliContext) => Promise<T>,
): Promise<T> {
  const log = createLogger('silent');
  const cleanUp = createCleanUp();
  try {
    const server = await openDataDir(config, 'cli', log);
    cleanUp.defer(server.close);
    const db = await openDatabase(server.databaseUrl);
    cleanUp.defer(db.close);
    if (migrate) await migrateUp(db);
    const passwords = await createPasswords(config.argon2, THREADS);
    return await work({
      config,
      clock: systemClock,
      db,
      log,
      passwords,
      openKeyring: async () => {
        const keyring = await openKeyring(config.keyringFile, systemClock, log);
        cleanUp.defer(keyring.close);
        return keyring;
      },
    });
  } finally {
    await cleanUp.run();
  }
}
