/** Interface 9, `doctor`: why the database cannot be opened, and what helps. */
import pg from 'pg';
import type { Config } from '../config/config.js';
import { parseDatabaseUrl } from '../config/database-url.js';
import { connectionFaultOf } from '../db/connection-faults.js';
import { DatabaseTooOld, PoolerInBetween } from '../db/database.js';
import { EmbeddedPostgresError } from '../db/embedded/open.js';
import { ReadOnlyServer } from '../db/hosts.js';
import { codeOf } from './error-code.js';
import { type Finding, fault } from './finding.js';

/** By the code of the system or of PostgreSQL: what it says, and what helps. */
const BY_CODE: Array<[code: RegExp, seen: string, remedy: string]> = [
  [/^(ECONNREFUSED|ENOENT)$/, 'nobody listens there', 'start PostgreSQL, or set host and port of DATABASE_URL right'],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    'there is no host of that name',
    'set the host of DATABASE_URL right, or mend the DNS of this machine',
  ],
  [/^3D000$/, 'there is no database of that name', 'make it (createdb NAME), or set its name in DATABASE_URL right'],
  [
    /^28/,
    'the user or the password is refused',
    'set user and password of DATABASE_URL right, or allow them in pg_hba.conf',
  ],
  [/^53300$/, 'no connection is left', 'raise max_connections of PostgreSQL, or end what uses them up'],
];
const NO_ANSWER = 'look whether PostgreSQL runs, and whether a firewall lets this machine through';

export function unreachable(
  error: unknown,
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
): Finding {
  if (error instanceof PoolerInBetween) {
    const seen = 'before PostgreSQL is a pooler, which refuses settings of a session';
    return fault('pooler', seen, 'set DATABASE_POOLER=transaction');
  }
  if (error instanceof DatabaseTooOld)
    return fault('database_version', error.message, 'upgrade PostgreSQL to 14 or newer');
  if (error instanceof ReadOnlyServer) {
    const { role, database } = namesIn(databaseUrl);
    const setting = `alter role ${role} in database ${database} set default_transaction_read_only = off`;
    return fault('database_writes', error.message, `name the primary in DATABASE_URL, or, as a superuser: ${setting}`);
  }
  if (error instanceof EmbeddedPostgresError) {
    const isNone = error.message.startsWith('there is no database');
    const make = 'set DATABASE_URL or DATA_DIR; for a new gateway run: auth-gateway start';
    return fault(
      'database',
      error.message,
      isNone ? make : `read ${dataDir}/pg.log, and end what else uses ${dataDir}`,
    );
  }
  const known = connectionFaultOf(error);
  if (known !== undefined) return fault('database', `the database cannot be reached: ${known.seen}`, known.remedy);
  const code = codeOf(error);
  const [, what, remedy] = BY_CODE.find(([pattern]) => pattern.test(code)) ?? [code, 'it does not answer', NO_ANSWER];
  return fault('database', `the database cannot be reached: ${what} (${code})`, remedy);
}

/** As SQL has them; where there is no URL, those of the embedded database. */
function namesIn(databaseUrl: string | undefined): { role: string; database: string } {
  if (databaseUrl === undefined) return { role: 'auth_gateway', database: 'auth_gateway' };
  const { user, database } = new pg.Client({ connectionString: parseDatabaseUrl(databaseUrl).driverUrl });
  return { role: identifier(user ?? 'ROLE'), database: identifier(database ?? 'NAME') };
}

function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : pg.escapeIdentifier(name);
}
