/** The commands `migrate …`. No other command migrates. (Interface 9) */
import { migrateUp, migrationStatus } from '../db/migrate.js';
import { type Command, command } from './command.js';
import { printMessage } from './terminal.js';

export const migrateCommands: Record<string, Command> = {
  'migrate up': command({
    summary: 'migrate the database to this version',
    prints: '`{applied}`, the names of the migrations',
    on: 'database of any schema',
    run: async ({ db, terminal }) => {
      const { applied, newer } = await migrateUp(db);
      if (newer.length > 0)
        printMessage(
          terminal,
          `the database was migrated by a newer version and is compatible with this one: ${newer}`,
        );
      return { applied };
    },
  }),
  'migrate status': command({
    summary: 'list the migrations of this and newer versions, and when each was applied',
    prints: '`{name, executed_at, known, breaks_older}` of each migration',
    on: 'database of any schema',
    run: async ({ db }) => (await migrationStatus(db)).map((status) => ({ ...status })),
  }),
};
