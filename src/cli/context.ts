/** What a command runs on, opened only where it is needed. */
import type { Config } from '../config.js';
import { openKeyring } from '../credentials/keyring.js';
import { createPasswords } from '../credentials/passwords.js';
import { openDataDir } from '../data-dir.js';
import { openDatabase } from '../db/database.js';
import { migrateUp } from '../db/migrate.js';
import type { Deps } from '../parts.js';
import type { CleanUp } from '../platform/clean-up.js';
import { systemClock } from '../platform/clock.js';
import { createLogger } from '../platform/logger.js';
import type { Terminal } from './terminal.js';

/** The keyring is apart: a database can be migrated before there is one. */
export interface Contexts {
  nothing: Deps<'clock'> & { terminal: Terminal };
  database: Contexts['nothing'] & Deps<'config' | 'db' | 'passwords'>;
  'database and keyring': Contexts['database'] & Deps<'keyring'>;
}

/** Where a command is called. */
export interface Call {
  readConfig(): Config;
  terminal: Terminal;
}

type Open<Context> = (call: Call & { migrates: boolean }, cleanUp: CleanUp) => Promise<Context>;

/** Enough for the one password that a command hashes. */
const THREADS = 4;

/** Opens what a command runs on, and defers the closing of it. */
export const openContext: { [On in keyof Contexts]: Open<Contexts[On]> } = {
  nothing: async ({ terminal }) => ({ clock: systemClock, terminal }),

  // The configured one, or that of a running gateway, or the embedded one for the time of the command.
  database: async ({ readConfig, terminal, migrates }, cleanUp) => {
    const config = readConfig();
    const server = await openDataDir(config, 'cli', createLogger('silent'));
    cleanUp.defer(server.close);
    const db = await openDatabase(server.databaseUrl, { pooler: config.databasePooler });
    cleanUp.defer(db.close);
    if (migrates) await migrateUp(db);
    const passwords = await createPasswords(config.argon2, THREADS);
    return { clock: systemClock, terminal, config, db, passwords };
  },

  'database and keyring': async (call, cleanUp) => {
    const context = await openContext.database(call, cleanUp);
    const keyring = await openKeyring(context.config.keyringFile, context.clock, createLogger('silent'));
    cleanUp.defer(keyring.close);
    return { ...context, keyring };
  },
};
