/** A PostgreSQL of its own, durable as in earnest: the server that comes with the gateway. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { ownDataDir } from '../../../src/db/embedded/owner.js';
import { clearLeftovers, clusterDirOf, locateRunning } from '../../../src/db/embedded/postmaster.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/db/embedded/server.js';
import type { Lab } from './lab.js';

export interface Postgres {
  /** Of the database, as its owner, by a socket */
  url: string;
  /** The cluster: `postmaster.pid` is in it */
  clusterDir: string;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
}

/** The cluster that each is a copy of, because initdb takes seconds. */
let template: Promise<string> | undefined;

/** @param name of its folder, if there are several */
export async function startPostgres(lab: Lab, name = 'postgres'): Promise<Postgres> {
  template ??= makeTemplate(lab);
  const dataDir = join(lab.folder, name);
  await mkdir(dataDir, { mode: 0o700 });
  await promisify(execFile)('cp', ['-a', await template, clusterDirOf(dataDir)]);
  const { url } = await startIn(lab, dataDir);
  return connectTo(lab, url, dataDir);
}

async function makeTemplate(lab: Lab): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'evidence-cluster-'));
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const { stop } = await startIn(lab, dataDir);
  await stop();
  return clusterDirOf(dataDir);
}

async function startIn(lab: Lab, dataDir: string): Promise<EmbeddedPostgres> {
  const owned = await ownDataDir(dataDir, 'gateway');
  if ('heldBy' in owned) throw new Error('a new folder is in use');
  lab.defer(owned.release);
  const server = await startEmbeddedPostgres(owned);
  lab.defer(server.stop);
  return server;
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
