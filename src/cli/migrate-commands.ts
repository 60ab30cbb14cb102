/** CONTRACT 9: `migrate …`. */
import { migrateUp, migrationStatus } from '../db/migrate.js';
import type { Command } from './command.js';

export const migrateCommands: Record<string, Command> = {
  'migrate up': {
    usage: '',
    migrate: false,
    run: async ({ db }) => ({ applied: await migrateUp(db) }),
  },
  'migrate status': {
    usage: '',
    migrate: false,
    run: async ({ db }) => (await migrationStatus(db)).map((status) => ({ ...status })),
  },
};
