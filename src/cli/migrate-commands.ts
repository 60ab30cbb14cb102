/** CONTRACT 9: `migrate …`. */
import { migrateUp, migrationStatus } from '../db/migrate.js';
import { type Command, command } from './command.js';

export const migrateCommands: Record<string, Command> = {
  'migrate up': command({
    on: 'database',
    migrates: false,
    run: async ({ db }) => ({ applied: await migrateUp(db) }),
  }),
  'migrate status': command({
    on: 'database',
    migrates: false,
    run: async ({ db }) => (await migrationStatus(db)).map((status) => ({ ...status })),
  }),
};
