/** `doctor`: settings of PostgreSQL with which it loses or refuses writes, or has too few connections. (Interface 2 and 9) */
import { TABLE_NAMES } from '../archive/tables.js';
import { ADMIN_POOL_SIZE, POOL_SIZE } from '../db/database.js';
import { type RowOf, statement } from '../db/statement.js';
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

const OUR_TABLES = ['mikro_orm_migrations', ...TABLE_NAMES].map((name) => `'${name}'`).join(', ');

const settingsSql = statement(
  'doctor_settings',
  {},
  {
    fsync: 'text',
    synchronous_commit: 'text',
    encoding: 'text',
    may_create: 'boolean',
    may_use: 'boolean',
    owner: 'text?',
    will_use: 'boolean',
    role: 'text',
    schema: 'text',
    database: 'text',
  },
)`
  with tables as (
    select oid, relowner from pg_class
    where relkind in ('r', 'p') and pg_table_is_visible(oid) and relname in (${OUR_TABLES})
  ), owners as (
    select distinct relowner as id from tables where not pg_has_role(current_user, relowner, 'usage')
  )
  select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
    current_setting('server_encoding') as encoding,
    coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
    coalesce((select bool_and(has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
        and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')) from tables), true) as may_use,
    (select min(quote_ident(pg_get_userbyid(id))) from owners) as owner,
    coalesce((select bool_and((
        select count(distinct privilege_type) = 4 from pg_default_acl, aclexplode(defaclacl)
        where defaclrole = id and defaclobjtype = 'r' and defaclnamespace in (0, current_schema()::regnamespace)
          and privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
          and case grantee when 0 then true else pg_has_role(grantee, 'usage') end
      )) from owners), true) as will_use,
    quote_ident(current_user) as role, coalesce(quote_ident(current_schema()), 'public') as schema,
    quote_ident(current_database()) as database`;

export async function checkSettings({ database }: Surroundings): Promise<Finding[]> {
  const { db } = await database();
  const [found] = await db.run(settingsSql, {});
  return found === undefined ? [] : [durability(found), encoding(found), rights(found)];
}

type Found = RowOf<typeof settingsSql>;

function durability({ fsync, synchronous_commit, database, role }: Found): Finding {
  const seen = `synchronous_commit is ${synchronous_commit}, fsync is ${fsync}`;
  // A setting of the role in this database overrides one of the role or the database alone.
  const remedies = [
    ...(synchronous_commit === 'off' ? [`alter role ${role} in database ${database} set synchronous_commit = on`] : []),
    ...(fsync === 'off' ? ['alter system set fsync = on; select pg_reload_conf()'] : []),
  ];
  if (remedies.length === 0) return ok('database_durability', seen);
  const what = `${seen}: a crash undoes logouts and refreshes that were already answered, or destroys the database`;
  return fault('database_durability', what, `${remedies.join('; ')}; then restart the gateway`);
}

function encoding({ encoding }: Found): Finding {
  if (encoding === 'UTF8') return ok('database_encoding', 'the encoding is UTF8');
  const seen = `the encoding is ${encoding}, which cannot store every text`;
  return fault(
    'database_encoding',
    seen,
    "create another database: create database NAME encoding 'UTF8' template template0",
  );
}

/** A role must be allowed to use the tables, and future ones too unless it creates them itself. */
function rights({ may_create, may_use, will_use, owner, role, schema }: Found): Finding {
  if (owner !== null) {
    if (!may_use) {
      const remedy = `connect as ${owner}, or, as a superuser: grant ${owner} to ${role}`;
      return fault('database_rights', `${role} may not use the tables: they belong to ${owner}`, remedy);
    }
    const seen = `${role} may use the tables, and ${owner}, who owns them, runs migrate up for a new version`;
    if (will_use) return ok('database_rights', seen);
    const remedy =
      `as ${owner}, or as a superuser: alter default privileges for role ${owner} in schema ${schema} ` +
      `grant select, insert, update, delete on tables to ${role}`;
    return warning('database_rights', `${seen}, but ${role} may not use the tables that this creates`, remedy);
  }
  const seen = `${role} may ${may_create ? '' : 'not '}create tables in the schema ${schema}`;
  if (may_create) return ok('database_rights', seen);
  const remedy = `grant create on schema ${schema} to ${role}`;
  return warning('database_rights', `${seen}: the next version with a migration cannot start`, remedy);
}
