/** The one PostgreSQL of a test run: real, embedded, without fsync; every gateway under test gets its own database. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Set by the global setup: URL of a migrated database, to be copied. */
export const TEMPLATE_URL = 'TEST_TEMPLATE_URL';
export const KEYRING_FILE = 'TEST_KEYRING_FILE';

export function required(variable: string): string {
  const value = process.env[variable];
  if (value === undefined) throw new Error(`${variable} is not set: the global setup has not run`);
  return value;
}

/** The URL of another database of the same server. @param user the superuser, for example */
function urlOf(database: string, user?: string): string {
  const url = new URL(required(TEMPLATE_URL));
  url.pathname = `/${database}`;
  if (user !== undefined) {
    url.username = user;
    if (url.searchParams.has('user')) url.searchParams.set('user', user);
  }
  return url.href;
}

/** @returns the rows */
export async function asSuperuser<R extends pg.QueryResultRow>(statement: string, database = 'postgres'): Promise<R[]> {
  return superuserOn(database, async (client) => (await client.query<R>(statement)).rows);
}

async function superuserOn<T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: urlOf(database, 'postgres') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export interface TestDatabase {
  url: string;
  name: string;
  drop(): Promise<void>;
}

/**
 * Databases that equal a new copy of the migrated one, for the next tests of this worker: to copy and drop costs several times as
 * much CPU as to empty, on a busy machine most of a gateway's start.
 */
const emptied: string[] = [];
/** None if this module is one of Jest's, which are forgotten after each file. */
const EMPTIED_AT_MOST = 'jest' in import.meta ? 0 : 3;

/** What `CATALOG` says of a new copy of the migrated database */
let catalogOfCopy: string | undefined;

/** All but the rows: what migrations or tests make or alter, with its rights, settings and statistics, and the migrations. */
const CATALOG = `
  select count(*) || ' ' || sum(hashtextextended(entry, 0)) as catalog from (
    select (to_jsonb(c) - '{relfilenode,relpages,reltuples,relallvisible,relallfrozen,relfrozenxid,relminmxid}'::text[])::text
      from pg_class c where oid >= 16384
    union all select a::text from pg_attribute a where attrelid >= 16384 and attnum > 0
    union all select d::text from pg_attrdef d
    union all select c::text from pg_constraint c where conrelid >= 16384
    union all select i::text from pg_index i where indrelid >= 16384
    union all select t::text from pg_trigger t
    union all select p::text from pg_proc p where oid >= 16384
    union all select r::text from pg_rewrite r where ev_class >= 16384
    union all select t::text from pg_type t where oid >= 16384
    union all select n::text from pg_namespace n where nspname !~ '^pg_(toast_)?temp_'
    union all select p::text from pg_policy p
    union all select e::text from pg_extension e
    union all select e::text from pg_event_trigger e
    union all select d::text from pg_default_acl d
    union all select s::text from pg_statistic_ext s
    union all select starelid::text from pg_statistic where starelid >= 16384
    union all select (datdba, datconnlimit, datallowconn, datacl)::text from pg_database where datname = current_database()
    union all select (setrole, setconfig)::text from pg_db_role_setting s join pg_database d on d.oid = setdatabase
      where datname = current_database()
    union all select m::text from public.mikro_orm_migrations m
    union all select 'used' from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
  ) as entries (entry)`;

/** A table that has no file has no rows; to truncate all of them costs ten times as much. */
const USED_TABLES = `
  select string_agg(oid::regclass::text, ', ') as tables from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'mikro_orm_migrations' and pg_relation_size(oid) > 0`;

/** A database as the migrations leave it, or an empty one. */
export async function createDatabase(from: 'migrated' | 'empty' = 'migrated'): Promise<TestDatabase> {
  const name = (from === 'migrated' && emptied.pop()) || (await copyDatabase(from));
  const drop = async () => {
    if (from === 'migrated' && (await giveBack(name))) return;
    await asSuperuser(`drop database if exists ${name} with (force)`);
  };
  return { url: urlOf(name), name, drop };
}

const BEFORE_15 = `select current_setting('server_version_num')::int < 150000 as "isBefore15"`;
/** PostgreSQL 14 knows one way to copy, and not its name. */
let copying: string | undefined;

const newName = (): string => `test_${randomBytes(8).toString('hex')}`;

async function copyDatabase(from: 'migrated' | 'empty'): Promise<string> {
  const name = newName();
  const template = new URL(required(TEMPLATE_URL));
  const owner = template.searchParams.get('user') ?? template.username;
  const source = from === 'migrated' ? template.pathname.slice(1) : 'template0';
  copying ??= (await asSuperuser<{ isBefore15: boolean }>(BEFORE_15))[0]?.isBefore15 ? '' : 'strategy file_copy';
  await asSuperuser(`create database ${name} owner "${owner}" template ${source} ${copying}`);
  if (from === 'migrated') catalogOfCopy ??= await superuserOn(name, readCatalog);
  return name;
}

async function readCatalog(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ catalog: string }>(CATALOG);
  return rows[0]?.catalog ?? '';
}

/** Empties a database for the next test. @returns false if a test has changed more than rows, or somebody still uses it */
async function giveBack(name: string): Promise<boolean> {
  if (emptied.length >= EMPTIED_AT_MOST) return false;
  try {
    const isLikeCopy = await superuserOn(name, async (client) => {
      if ((await readCatalog(client)) !== catalogOfCopy) return false;
      const { rows } = await client.query<{ tables: string | null }>(USED_TABLES);
      if (rows[0]?.tables) await client.query(`truncate ${rows[0].tables}`);
      return true;
    });
    if (!isLikeCopy) return false;
    const next = newName(); // no program that a test has left behind finds it
    await asSuperuser(`alter database ${name} rename to ${next}`); // PostgreSQL refuses this if somebody is connected
    emptied.push(next);
    return true;
  } catch {
    return false; // a test has taken it away
  }
}
