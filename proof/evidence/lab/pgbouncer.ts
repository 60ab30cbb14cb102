/** A PgBouncer in transaction mode before a PostgreSQL. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  answersAsDatabase,
  pgBouncerConfig,
  pgBouncerWords,
  urlOfPgBouncer,
} from '../../../test/support/postgres/pgbouncer.js';
import { freePort } from '../../../test/support/programs/redis.js';
import { until } from '../../../test/support/until.js';
import type { Lab } from './lab.js';
import { type Program, startProgram } from './program.js';

/** Connections to the server, which all clients share */
const POOL_SIZE = 10;

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
  await writeFile(file, pgBouncerConfig(port, `port=${serverPort} dbname=gateway user=gateway`, POOL_SIZE));
  // As nobody it has to reach the file.
  for (const opened of [lab.folder, folder]) await chmod(opened, 0o711);
  const program = startProgram(lab, 'pgbouncer', ['pgbouncer', ...pgBouncerWords(file)]);
  const url = urlOfPgBouncer(port);
  await until('PgBouncer answers', () => answersAsDatabase(url));
  return { url, program };
}
