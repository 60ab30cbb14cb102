/** A PostgreSQL of its own, durable as in earnest: the server that comes with the gateway. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { ownDataDir } from '../../../src/db/embedded/owner.js';
import { clearLeftovers, clusterDirOf, locateRunning } from '../../../src/db/embedded/postmaster.js';
import { startEmbeddedPostgres } from '../../../src/db/embedded/server.js';
import type { Lab } from './lab.js';

export interface Postgres {
  /** Of the database, as its owner, by a socket */
  url: string;
  /** The cluster: `postmaster.pid` is in it */
  clusterDir: string;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
}

/** @param name of its folder, if there are several */
export async function startPostgres(lab: Lab, name = 'postgres'): Promise<Postgres> {
  const dataDir = join(lab.folder, name);
  await mkdir(dataDir, { mode: 0o700 });
  const owned = await ownDataDir(dataDir, 'gateway');
  if ('heldBy' in owned) throw new Error('a new folder is in use');
  lab.defer(owned.release);
  const server = await startEmbeddedPostgres(owned);
  lab.defer(server.stop);
  return connectTo(lab, server.url, dataDir);
}

/**
 * The server that a gateway runs in its DATA_DIR. Call it before the gateway is started, so that a server that it has
 * left behind is stopped after it.
 * @returns what connects to it, once it runs
 */
export function joinEmbedded(lab: Lab, dataDir: string): () => Promise<Postgres> {
  lab.defer(() => clearLeftovers(clusterDirOf(dataDir), dataDir));
  return async () => {
    const url = await locateRunning(dataDir);
    if (url === undefined) throw new Error('no gateway runs on the data folder');
    return connectTo(lab, url, dataDir);
  };
}

function connectTo(lab: Lab, url: string, dataDir: string): Postgres {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on('error', () => undefined); // the server may be killed
  lab.defer(() => pool.end());
  return {
    url,
    clusterDir: clusterDirOf(dataDir),
    query: async (text, values) => (await pool.query(text, values)).rows,
  };
}
