/** The resources that a command declares, opened only for that command. */

import type { SetsPasswords } from '../admin/passwords.js';
import type { Config } from '../config/config.js';
import type { NewPasswords, Passwords } from '../credentials/passwords/passwords.js';
import type { DataDir, OpenAs } from '../db/open/data-dir.js';
import { systemClock } from '../platform/clock.js';
import { SILENT } from '../platform/logger.js';
import { watchClock } from '../platform/watched-clock.js';
import type { RedisClient } from '../rate-limits/redis.js';
import type { Deps } from '../services.js';
import { CliRefusal } from './refusal.js';
import { printMessage, type Terminal } from './terminal.js';

/** The keyring is a context of its own because a database can be migrated without one. */
export interface Contexts {
  nothing: Deps<'clock'> & { terminal: Terminal };
  /** Reads the variables and opens nothing. */
  configuration: Contexts['nothing'] & Deps<'config'>;
  /** `openServer` opens the server on demand, and creates the embedded one if it is missing. */
  'database to fill': Contexts['nothing'] & Deps<'config'> & { openServer(): Promise<DataDir> };
  'database of any schema': Contexts['nothing'] & Deps<'config' | 'db'> & { server: DataDir };
  database: Contexts['database of any schema'] & Deps<'passwordRules'> & SetsPasswords;
  'database and keyring': Contexts['database'] & Deps<'keyring'>;
  /** The login counts of addresses, in PostgreSQL or Redis. Redis is connected on the first use, and may be unreachable. */
  'database and limits': Contexts['database'] & Deps<'windows'>;
}

export interface Call {
  readConfig(): Promise<Config>;
  terminal: Terminal;
  /** Runs the gateway until the process must stop. */
  serve(): Promise<void>;
}

type Open<Context> = (call: Call, cleanUp: AsyncDisposableStack) => Promise<Context>;

/** How long a command waits for the connection to Redis: milliseconds. */
const REDIS_WITHIN_MS = 5_000;

/** A command hashes one password. */
const THREADS = 4;

/** Opens the resources of a command, loading the code for them, and defers closing them. */
export const openContext: { [On in keyof Contexts]: Open<Contexts[On]> } = {
  nothing: async ({ terminal }) => ({ clock: watchClock(systemClock), terminal }),

  configuration: async (call, cleanUp) => ({
    ...(await openContext.nothing(call, cleanUp)),
    config: await call.readConfig(),
  }),

  'database to fill': async ({ readConfig, terminal }, cleanUp) => {
    const config = await readConfig();
    const openServer = () => openServerOf(config, 'filling', terminal, cleanUp);
    return { clock: watchClock(systemClock), terminal, config, openServer };
  },

  'database of any schema': async ({ readConfig, terminal }, cleanUp) => {
    const config = await readConfig();
    const server = await openServerOf(config, 'cli', terminal, cleanUp);
    const { openDatabase } = await import('../db/database.js');
    const db = await openDatabase(server.databaseUrl, { pooler: config.databasePooler });
    cleanUp.defer(db.close);
    return { clock: watchClock(systemClock), terminal, config, db, server };
  },

  database: async (call, cleanUp) => {
    const context = await openContext['database of any schema'](call, cleanUp);
    const { migrationStatus, refuseTooNew } = await import('../db/migrate.js');
    const migrations = await migrationStatus(context.db);
    refuseTooNew(migrations);
    const isPending = migrations.some(({ executed_at }) => executed_at === null);
    if (isPending) throw new CliRefusal('the database is not migrated to this version', { command: 'migrate up' });
    const { createPasswordRulesOnDemand } = await import('../credentials/passwords/password-rules.js');
    const passwordRules = createPasswordRulesOnDemand(context.config);
    return { ...context, passwords: createPasswordsOnDemand(context.config), passwordRules };
  },

  'database and keyring': async (call, cleanUp) => {
    const context = await openContext.database(call, cleanUp);
    const { openKeyring } = await import('../credentials/keyring/keyring.js');
    const keyring = await openKeyring(context.config.keyringFile, context.clock, SILENT);
    cleanUp.defer(keyring.close);
    return { ...context, keyring };
  },

  'database and limits': async (call, cleanUp) => {
    const context = await openContext.database(call, cleanUp);
    const { redis: place } = context.config;
    let redis: RedisClient | undefined;
    if (place !== undefined) {
      const { serversOf } = await import('../rate-limits/redis.js');
      printMessage(call.terminal, `rate limits: Redis, ${place.kind} at ${serversOf(place)}`);
      const { connectRedis } = await import('../rate-limits/redis-connection.js');
      redis = connectRedis(place, SILENT);
      cleanUp.defer(async () => redis?.disconnect());
    }
    const { openLoginWindows } = await import('../rate-limits/login-windows.js');
    return { ...context, windows: await openLoginWindows({ ...context, redis }, context.db.admin, REDIS_WITHIN_MS) };
  },
};

/** A command may set no password: argon2 is loaded, and its first hash made, with the first one. */
function createPasswordsOnDemand({ argon2 }: Config): NewPasswords {
  let created: Promise<Passwords> | undefined;
  const create = async (): Promise<Passwords> => {
    const { createPasswords } = await import('../credentials/passwords/passwords.js');
    return createPasswords(argon2, THREADS);
  };
  const passwords = (): Promise<Passwords> => {
    created ??= create();
    return created;
  };
  return {
    hash: async (password) => (await passwords()).hash(password),
    isCurrent: async (storedHash, password) => (await passwords()).isCurrent(storedHash, password),
  };
}

/** Opens the configured server, joins the embedded one of a running gateway, or starts it for this command. */
async function openServerOf(
  config: Config,
  how: OpenAs,
  terminal: Terminal,
  cleanUp: AsyncDisposableStack,
): Promise<DataDir> {
  const { openDataDir } = await import('../db/open/data-dir.js');
  const server = await openDataDir(config, how, SILENT);
  cleanUp.defer(server.close);
  printMessage(terminal, `database: ${describeDatabase(server, config)}`);
  return server;
}

/** The database URL without its password and parameters. */
export function describeDatabase({ embedded, joined, databaseUrl }: DataDir, { dataDir }: Config): string {
  if (embedded) return `embedded in ${dataDir} (${joined ? 'joined the running gateway' : 'started for this command'})`;
  const [, scheme, authority = '', path = ''] = /^(\w+:\/\/)([^/?#]*)([^?#]*)/.exec(databaseUrl) ?? [];
  const at = authority.lastIndexOf('@');
  const user = authority.slice(0, at + 1).replace(/:.*/, '@');
  return `${scheme}${user}${authority.slice(at + 1)}${path}`;
}
