/** Whether entities and migrations agree. */
import type { Database } from '../../src/db/database.js';

/** What the entities would change. Only migrations have the indexes of listings and the triggers. */
export async function differencesOf(db: Database): Promise<string[]> {
  const statements = (await (await db.orm()).schema.getUpdateSchemaSQL({ wrap: false })).split('\n');
  return statements.filter((statement) => !/^(drop (index|trigger|function) |$)/.test(statement));
}
