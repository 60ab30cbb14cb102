/** CONTRACT 9: `migrate …`. Nothing else on the command line migrates. */
import { migrateUp, migrationStatus } from '../db/migrate.js';
import { type Command, command } from './command.js';

export const migrateCommands: Record<string, Command> = {
  'migrate up': command({
    does: 'brings the tables to this version',
    on: 'database of any schema',
    run: async ({ db }) => ({ applied: await migrateUp(db) }),
  }),
  'migrate status': command({
    does: 'lists the migrations of this version, and when each was applied',
    on: 'database of any schema',
    run: async ({ db }) => (await migrationStatus(db)).map((status) => ({ ...status })),
  }),
};
