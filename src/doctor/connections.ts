/** Interface 9, `doctor`: for how many instances PostgreSQL has enough connections. */
import { ADMIN_POOL_SIZE, POOL_SIZE } from '../db/database.js';
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
  /** Connections that it leaves for gateways */
  room: number;
  reason: string;
  remedy: string;
}

/** Connections of one instance. */
const NEEDED = POOL_SIZE + ADMIN_POOL_SIZE;

export async function checkConnections({ config, database }: Surroundings): Promise<Finding[]> {
  const { db } = await database();
  if (config.databasePooler !== 'none') return []; // the pooler shares them
  const [found] = await db.run(connectionsSql, {});
  if (found === undefined) return [];
  const { most, reserved, others, of_role, of_database } = found;
  const limits: Limit[] = [
    {
      room: most - reserved - others,
      reason: `max_connections is ${most}, of which ${reserved} are reserved and ${others} used by others`,
      remedy: `set max_connections of PostgreSQL to ${2 * NEEDED + reserved + others} or more, and restart it`,
    },
  ];
  if (of_role >= 0) {
    const remedy = `alter role ${found.role} connection limit -1`;
    limits.push({ room: of_role, reason: `the role may have ${of_role}`, remedy });
  }
  if (of_database >= 0) {
    const remedy = `alter database ${found.database} connection limit -1`;
    limits.push({ room: of_database, reason: `the database may have ${of_database}`, remedy });
  }
  const { room, reason, remedy } = limits.reduce((least, limit) => (limit.room < least.room ? limit : least));
  const seen = `room for ${numberOf(Math.max(0, Math.floor(room / NEEDED)), 'instance')} of ${NEEDED} connections: ${reason}`;
  if (room >= 2 * NEEDED) return [ok('database_connections', seen)];
  if (room >= NEEDED) return [warning('database_connections', `${seen}; a replacement needs room for two`, remedy)];
  return [fault('database_connections', `${seen}; requests wait for connections and are answered 503`, remedy)];
}
