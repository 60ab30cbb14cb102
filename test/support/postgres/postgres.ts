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
  const client = new pg.Client({ connectionString: urlOf(database, 'postgres') });
  await client.connect();
  try {
    return (await client.query<R>(statement)).rows;
  } finally {
    await client.end();
  }
}

export interface TestDatabase {
  url: string;
  name: string;
  drop(): Promise<void>;
}

/** A fresh copy of the migrated database, or an empty one. */
export async function createDatabase(from: 'migrated' | 'empty' = 'migrated'): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const template = new URL(required(TEMPLATE_URL));
  const owner = template.searchParams.get('user') ?? template.username;
  const source = from === 'migrated' ? template.pathname.slice(1) : 'template0';
  await asSuperuser(`create database ${name} owner "${owner}" template ${source} strategy file_copy`);
  const drop = async () => void (await asSuperuser(`drop database if exists ${name} with (force)`));
  return { url: urlOf(name), name, drop };
}
