/** PostgreSQL: the server at DATABASE_URL, or one of its own, the one that comes with the gateway. Databases are new. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import pg from 'pg';
import type { Lab } from '../evidence/lab/lab.js';
import { startPostgresServer } from '../evidence/lab/postgres-server.js';
import { moveBeside } from './cores.js';
import { parentOf } from './cpu.js';

export interface Database {
  url: string;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
}

export interface Postgres {
  version: string;
  /** Undefined if the server is on another machine: then nothing is known of its CPU. */
  postmaster: number | undefined;
  /** An empty one, dropped at the end */
  createDatabase(): Promise<Database>;
}

/** As a server is set up that others rely on, and so that no checkpoint falls into one measurement and not the next. */
const SETTINGS = {
  shared_buffers: `${Math.floor(Math.min(totalmem() / 4, 2 ** 31) / 2 ** 20)}MB`,
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  max_connections: '100',
};

/** @param given URL of a server's database, whose user may create databases */
export async function openPostgres(lab: Lab, given: string | undefined): Promise<Postgres> {
  const url = given ?? (await startOwn(lab));
  const admin = connect(lab, given ?? url.replace('//gateway@', '//postgres@'));
  const [{ pid, version } = { pid: 0, version: '' }] = await admin.query<{ pid: number; version: string }>(
    "select pg_backend_pid() as pid, current_setting('server_version') as version",
  );
  const postmaster = localPostmaster(pid);
  if (given === undefined && postmaster !== undefined) moveBeside(postmaster);
  return {
    version,
    postmaster,
    createDatabase: async () => {
      const name = `bench_${randomBytes(6).toString('hex')}`;
      await admin.query(`create database ${name} ${given === undefined ? 'owner gateway' : ''}`);
      lab.defer(() => admin.query(`drop database if exists ${name} with (force)`));
      const its = new URL(url);
      its.pathname = `/${name}`;
      return connect(lab, its.href);
    },
  };
}

async function startOwn(lab: Lab): Promise<string> {
  const server = await startPostgresServer(lab, undefined, SETTINGS);
  return server.urlAt(server.port);
}

function connect(lab: Lab, url: string): Database {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined); // of a connection that idles, when the server is ended
  lab.defer(() => pool.end());
  return { url, query: async (text, values) => (await pool.query(text, values)).rows };
}

/** The parent of a backend, where that is a process of this machine. */
function localPostmaster(backend: number): number | undefined {
  try {
    if (readFileSync(`/proc/${backend}/cmdline`, 'utf8').startsWith('postgres: ')) return parentOf(backend);
  } catch {
    // no such process here
  }
  return undefined;
}
