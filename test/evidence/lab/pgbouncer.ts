/** A PgBouncer in transaction mode before a PostgreSQL. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../support/redis.js';
import { until } from '../../support/until.js';
import type { Lab } from './lab.js';
import { type Program, startProgram } from './program.js';

export interface PgBouncer {
  /** Of the database, through it */
  url: string;
  program: Program;
}

/** @param serverPort of the server, on loopback, with a database and a role `gateway` without password */
export async function startPgBouncer(lab: Lab, serverPort: number): Promise<PgBouncer> {
  const port = await freePort();
  const folder = join(lab.folder, 'pgbouncer');
  await mkdir(folder);
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    [
      '[databases]',
      `gateway = host=127.0.0.1 port=${serverPort} dbname=gateway user=gateway`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      'default_pool_size = 10',
      'server_login_retry = 1',
    ].join('\n'),
  );
  // It does not run as root: as nobody, to whom the two folders are opened.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const opened of [lab.folder, folder]) await chmod(opened, 0o711);
  const program = startProgram(lab, 'pgbouncer', ['pgbouncer', ...(isRoot ? ['-u', 'nobody'] : []), file]);
  const url = `postgresql://gateway@127.0.0.1:${port}/gateway`;
  await until('PgBouncer answers', () => answers(url));
  return { url, program };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}
