/** Exports and imports by the command line, here or in a process, and what they leave in the tables. */
import { readFile, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { readConfig } from '../../src/config.js';
import { type Ran, runHere } from './cli.js';
import { KEYRING_FILE, required, type TestDatabase } from './postgres.js';

/** A command on a database, in this process. */
export function here(
  { url }: Pick<TestDatabase, 'url'>,
  args: string[],
  env: Record<string, string> = {},
  stopped = new AbortController().signal,
): Promise<Ran> {
  const config = () => readConfig({ DATABASE_URL: url, KEYRING_FILE: required(KEYRING_FILE), ...env });
  return runHere(args, config, '', { untilStopped: () => stopped });
}

/** Runs work on a connection. */
export async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

/** Every row of every table but that of the migrations, as text, by table. */
export async function contentOf({ url }: Pick<TestDatabase, 'url'>): Promise<Record<string, string[]>> {
  return connected(url, async (client) => {
    await client.query(`set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set bytea_output = 'hex'`);
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname::text as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'mikro_orm_migrations' order by 1`,
    );
    const content: Record<string, string[]> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} as t order by 1`);
      content[name] = rows.map(({ row }) => row);
    }
    return content;
  });
}

/** Writes what an edit makes of the text of an archive, packed as the gateway packs it. */
export async function edited(from: string, to: string, edit: (text: string) => string): Promise<void> {
  const text = gunzipSync(await readFile(from)).toString('utf8');
  const changed = edit(text);
  if (changed === text) throw new Error('the edit has changed nothing');
  await writeFile(to, packed(changed));
}

/** As gzip packs it, but for the bytes that name the system. */
export function packed(text: string): Buffer {
  const bytes = gzipSync(text);
  bytes.set([0, 255], 8);
  return bytes;
}
