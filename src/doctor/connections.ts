/** Interface 9, `doctor`: for how many instances PostgreSQL has connections. */
import { statement } from '../db/statement.js';
import { numberOf } from '../platform/number-of.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

const connectionsSql = statement(
  'doctor_connections',
  {},
  {
    most: 'integer',
    reserved: 'integer',
    others: 'integer',
    of_role: 'integer',
    of_database: 'integer',
    role: 'text',
    database: 'text',
  },
)`
  select current_setting('max_connections')::integer as most,
    current_setting('superuser_reserved_connections')::integer
      + coalesce(current_setting('reserved_connections', true), '0')::integer as reserved,
    (select count(*)::integer from pg_stat_activity
      where datid is not null and coalesce(backend_type, 'client backend') = 'client backend' -- null: of another role
        and application_name <> current_setting('application_name')) as others,
    (select rolconnlimit from pg_roles where rolname = current_user) as of_role,
    (select datconnlimit from pg_database where datname = current_database()) as of_database,
    quote_ident(current_user) as role, quote_ident(current_database()) as database`;

interface Limit {
  /** Connections of gateways that it leaves */
  room: number;
  told: string;
  cure: string;
}

/** Connections of one instance: for the routes, and for administration. */
const NEEDED = 16 + 4;

export async function checkConnections({ config, database }: Surroundings): Promise<Finding[]> {
  const { db } = await database();
  if (config.databasePooler !== 'none') return []; // it divides them
  const [found] = await db.run(connectionsSql, {});
  if (found === undefined) return [];
  const { most, reserved, others, of_role, of_database } = found;
  const limits: Limit[] = [
    {
      room: most - reserved - others,
      told: `max_connections is ${most}, of which ${reserved} are reserved and ${others} used by others`,
      cure: `set max_connections of PostgreSQL to ${2 * NEEDED + reserved + others} or more, and restart it`,
    },
  ];
  if (of_role >= 0) {
    const cure = `alter role ${found.role} connection limit -1`;
    limits.push({ room: of_role, told: `the role may have ${of_role}`, cure });
  }
  if (of_database >= 0) {
    const cure = `alter database ${found.database} connection limit -1`;
    limits.push({ room: of_database, told: `the database may have ${of_database}`, cure });
  }
  const { room, told, cure } = limits.reduce((least, limit) => (limit.room < least.room ? limit : least));
  const seen = `room for ${numberOf(Math.max(0, Math.floor(room / NEEDED)), 'instance')} of ${NEEDED} connections: ${told}`;
  if (room >= 2 * NEEDED) return [ok('database_connections', seen)];
  if (room >= NEEDED) return [warning('database_connections', `${seen}; while one is replaced there are two`, cure)];
  return [fault('database_connections', `${seen}; requests wait for connections, and are answered 503`, cure)];
}
