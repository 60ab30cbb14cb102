/** Interface 9: `migrate …`. Nothing else on the command line migrates. */
import { migrateUp, migrationStatus } from '../db/migrate.js';
import { type Command, command } from './command.js';
import { say } from './terminal.js';

export const migrateCommands: Record<string, Command> = {
  'migrate up': command({
    does: 'brings the tables to this version',
    on: 'database of any schema',
    run: async ({ db, terminal }) => {
      const { applied, newer } = await migrateUp(db);
      if (newer.length > 0)
        say(terminal, `a newer version has migrated the database, and this one can use it: ${newer}`);
      return { applied };
    },
  }),
  'migrate status': command({
    does: 'lists the migrations of this version and of newer ones, and when each was applied',
    on: 'database of any schema',
    run: async ({ db }) => (await migrationStatus(db)).map((status) => ({ ...status })),
  }),
};
