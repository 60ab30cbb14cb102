/** A PostgreSQL that faults are done to: durable, on loopback, without passwords for as long as the lab lasts. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { acceptsConnections } from '../../../src/db/embedded/postmaster.js';
import {
  chooseAccount,
  findPrograms,
  linkLibraries,
  type Programs,
  runProgram,
} from '../../../src/db/embedded/programs.js';
import { freePort } from '../../../test/support/programs/redis.js';
import { until } from '../../../test/support/until.js';
import type { Lab } from './lab.js';
import { type Program, startProgram } from './program.js';

export interface PostgresServer {
  port: number;
  /** Of the database `gateway`, as its owner, who is no superuser @param port of a proxy in front of it */
  urlAt(port: number): string;
  clusterDir: string;
  /** The postmaster and its backends */
  program: Program;
  /** Starts it if it has ended, and waits until it answers. */
  start(): Promise<void>;
  /** Starts it if it has ended, as a standby: it can be read, and takes no writes until `pg_promote()`. */
  becomeStandby(): Promise<void>;
  /** As the superuser, on a connection of its own */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** A new connection, which the caller must end. @param user the superuser by default */
  connect(user?: string): Promise<pg.Client>;
}

/**
 * @param folder of its data
 * @param primary of which it is a streaming replica, if it is one
 */
export async function startPostgresServer(
  lab: Lab,
  folder = join(lab.folder, 'postgres'),
  settings: Record<string, string> = {},
  primary?: PostgresServer,
): Promise<PostgresServer> {
  const programs = await prepare(folder);
  const clusterDir = join(folder, 'cluster');
  const auth = ['--auth=trust', '--encoding=UTF8', '--locale=C', '--no-instructions', '--no-sync'];
  if (primary === undefined) await runProgram(programs, 'initdb', ['-D', clusterDir, '-U', 'postgres', ...auth]);
  else await copyRunning(primary, clusterDir);
  const port = await freePort();
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_wal_size: '256MB',
    max_connections: '60',
    ...(primary && { primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres application_name=replica` }),
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { prefix } = programs.account;
  const words = [...prefix, join(programs.native, 'bin', 'postgres'), '-D', clusterDir, ...options];
  const program = startProgram(lab, primary === undefined ? 'postgres' : 'postgres-replica', words, {
    LD_LIBRARY_PATH: join(programs.runDir, 'lib'),
    TZ: 'UTC',
  });
  const urlOf = (user: string, database: string, at = port): string =>
    `postgresql://${user}@127.0.0.1:${at}/${database}`;
  const answers = (): Promise<void> =>
    until('PostgreSQL answers', () => acceptsConnections(urlOf('postgres', 'postgres')));
  await answers();
  const connect = async (user = 'postgres', database = 'gateway'): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: urlOf(user, database) });
    client.on('error', () => undefined); // the server may be killed
    await client.connect();
    return client;
  };
  const query = async <Row extends pg.QueryResultRow>(text: string, values?: unknown[], database?: string) => {
    const client = await connect('postgres', database);
    return client.query<Row>(text, values).then(
      ({ rows }) => client.end().then(() => rows),
      (error: unknown) => client.end().then(() => Promise.reject(error)),
    );
  };
  if (primary === undefined) {
    await query('create role gateway login', [], 'postgres');
    await query('create database gateway owner gateway', [], 'postgres');
  }
  return {
    port,
    urlAt: (at) => urlOf('gateway', 'gateway', at),
    clusterDir,
    program,
    start: async () => {
      await until('PostgreSQL runs and answers', () => {
        if (!program.isRunning()) program.start(); // it ends at once if the memory of a killed one is still in use
        return acceptsConnections(urlOf('postgres', 'postgres'));
      }).catch((error: Error) => {
        throw new Error(`${error.message}: ${program.lastLines()}`);
      });
    },
    becomeStandby: async () => {
      await writeFile(join(clusterDir, 'standby.signal'), '');
      program.start();
      await answers();
    },
    query,
    connect,
  };
}

/** What pg_basebackup does, which does not come with the gateway. Nothing may write meanwhile. */
async function copyRunning(primary: PostgresServer, clusterDir: string): Promise<void> {
  const client = await primary.connect();
  await client.query("select pg_backup_start('replica', true)");
  await promisify(execFile)('cp', ['-a', primary.clusterDir, clusterDir]);
  const [{ labelfile } = { labelfile: '' }] = (
    await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
  ).rows;
  await client.end();
  for (const name of ['postmaster.pid', 'postmaster.opts']) await rm(join(clusterDir, name));
  await writeFile(join(clusterDir, 'backup_label'), labelfile);
  await writeFile(join(clusterDir, 'standby.signal'), '');
}

/** The programs that come with the gateway. */
async function prepare(folder: string): Promise<Programs> {
  const runDir = join(folder, 'run');
  await mkdir(runDir, { recursive: true, mode: 0o700 });
  const native = await findPrograms();
  await linkLibraries(native, runDir);
  return { native, runDir, account: await chooseAccount(native, runDir, 'user-namespace') };
}
