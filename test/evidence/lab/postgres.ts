/** A PostgreSQL of its own, durable as in earnest: the server that comes with the gateway. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { ownDataDir } from '../../../src/db/embedded/owner.js';
import { clusterDirOf } from '../../../src/db/embedded/postmaster.js';
import { startEmbeddedPostgres } from '../../../src/db/embedded/server.js';
import type { Lab } from './lab.js';

export interface Postgres {
  /** Of the database, as its owner, by a socket */
  url: string;
  /** The cluster: `postmaster.pid` is in it */
  clusterDir: string;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
}

export async function startPostgres(lab: Lab): Promise<Postgres> {
  const dataDir = join(lab.folder, 'postgres');
  await mkdir(dataDir, { mode: 0o700 });
  const owned = await ownDataDir(dataDir, 'gateway');
  if ('heldBy' in owned) throw new Error('a new folder is in use');
  lab.defer(owned.release);
  const server = await startEmbeddedPostgres(owned);
  lab.defer(server.stop);
  const pool = new pg.Pool({ connectionString: server.url, max: 4 });
  pool.on('error', () => undefined); // the server may be killed
  lab.defer(() => pool.end());
  return {
    url: server.url,
    clusterDir: clusterDirOf(dataDir),
    query: async (text, values) => (await pool.query(text, values)).rows,
  };
}
