/** Interface 9, `doctor`: why the database cannot be opened, and how to fix it. */
import pg from 'pg';
import type { Config } from '../config/config.js';
import { parseDatabaseUrl } from '../config/database-url.js';
import { explainUnreachable } from '../db/connection-faults.js';
import { DatabaseTooOld, PoolerInBetween } from '../db/database.js';
import { ReadOnlyServer } from '../db/hosts.js';
import { ExplainedError } from '../platform/explained.js';
import { type Finding, fault } from './finding.js';

export function unreachable(
  error: unknown,
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
): Finding {
  if (error instanceof ExplainedError) {
    const { reason, remedy = `read ${dataDir}/pg.log, and end what else uses ${dataDir}` } = error;
    if (error instanceof PoolerInBetween) return fault('pooler', reason, remedy);
    return fault(error instanceof DatabaseTooOld ? 'database_version' : 'database', reason, remedy);
  }
  if (error instanceof ReadOnlyServer) {
    const { role, database } = namesIn(databaseUrl);
    const setting = `alter role ${role} in database ${database} set default_transaction_read_only = off`;
    return fault('database_writes', error.message, `name the primary in DATABASE_URL, or, as a superuser: ${setting}`);
  }
  const { reason, remedy } = explainUnreachable(error);
  return fault('database', reason, remedy);
}

/** Quoted for SQL; without a URL, those of the embedded database. */
function namesIn(databaseUrl: string | undefined): { role: string; database: string } {
  if (databaseUrl === undefined) return { role: 'auth_gateway', database: 'auth_gateway' };
  const { user, database } = new pg.Client({ connectionString: parseDatabaseUrl(databaseUrl).driverUrl });
  return { role: identifier(user ?? 'ROLE'), database: identifier(database ?? 'NAME') };
}

function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : pg.escapeIdentifier(name);
}
