/** Exports and imports by the command line, here or in a process, and what they leave in the tables. */
import { createHash, createHmac } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { readConfig } from '../../../src/config/config.js';
import { KEYRING_FILE, required, type TestDatabase } from '../postgres/postgres.js';
import { type Ran, runHere } from './cli.js';

/** A command on a database, in this process. */
export function here(
  { url }: Pick<TestDatabase, 'url'>,
  args: string[],
  env: Record<string, string> = {},
  stopped = new AbortController().signal,
): Promise<Ran> {
  const config = () => readConfig({ DATABASE_URL: url, KEYRING_FILE: required(KEYRING_FILE), ...env });
  return runHere(args, config, '', { stopSignal: () => stopped });
}

/** Runs work on a connection. */
export async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

/** Every row of every table, as text, by table; but not the migrations, and not those that live for minutes or decide nothing. */
export async function contentOf({ url }: Pick<TestDatabase, 'url'>): Promise<Record<string, string[]>> {
  return connected(url, async (client) => {
    await client.query(`set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set bytea_output = 'hex'`);
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname::text as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r'
         and relname not in ('mikro_orm_migrations', 'ceremonies', 'gate_codes', 'webhook_attempts') order by 1`,
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
export function packed(content: string | Uint8Array): Buffer {
  const bytes = gzipSync(content);
  bytes.set([0, 255], 8);
  return bytes;
}

/** The text of an archive with counts and checksum made anew, as somebody who alters rows would do. */
export function recounted(text: string): string {
  const lines = text.split('\n');
  const sum = createHash('sha256');
  const rows: Record<string, number> = {};
  let at = 1;
  for (; lines[at]?.startsWith('{"table"'); at += 1) {
    const { table } = JSON.parse(lines[at] ?? '');
    rows[table] = 0;
    for (at += 1; lines[at] !== '\\.'; at += 1) {
      sum.update(`${lines[at]}\n`);
      rows[table] += 1;
    }
  }
  return lines.with(at, JSON.stringify({ rows, sha256: sum.digest('hex') })).join('\n');
}

/** The text of an archive with its last line made anew, as docs/backup.md says how. */
export function authenticated(text: string, keys: ReadonlyArray<Record<string, string>>): string {
  const content = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
  const digest = createHash('sha256').update(content).digest();
  const kids: string[] = JSON.parse(content.slice(0, content.indexOf('\n'))).authenticated_by;
  const macs = kids.map((kid) => {
    const bytes = Buffer.from(keys.find((key) => key['kid'] === kid)?.['k'] ?? '', 'base64url');
    const prk = createHmac('sha256', Buffer.alloc(32)).update(bytes).digest(); // RFC 5869, section 2.2
    const key = createHmac('sha256', prk).update('auth-gateway database archive\u0001').digest(); // and 2.3
    return createHmac('sha256', key).update(digest).digest('hex');
  });
  return `${content}${JSON.stringify({ hmac_sha256: macs })}\n`;
}
