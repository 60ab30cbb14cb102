/** A PostgreSQL that faults are done to: durable, on loopback, without passwords for as long as the lab lasts. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

/** @param folder of its data */
export async function startPostgresServer(
  lab: Lab,
  folder = join(lab.folder, 'postgres'),
  settings: Record<string, string> = {},
): Promise<PostgresServer> {
  const programs = await prepare(folder);
  const clusterDir = join(folder, 'cluster');
  const auth = ['--auth=trust', '--encoding=UTF8', '--locale=C', '--no-instructions', '--no-sync'];
  await runProgram(programs, 'initdb', ['-D', clusterDir, '-U', 'postgres', ...auth]);
  const port = await freePort();
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_wal_size: '256MB',
    max_connections: '60',
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { prefix } = programs.account;
  const words = [...prefix, join(programs.native, 'bin', 'postgres'), '-D', clusterDir, ...options];
  const program = startProgram(lab, 'postgres', words, { LD_LIBRARY_PATH: join(programs.runDir, 'lib'), TZ: 'UTC' });
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
  await query('create role gateway login', [], 'postgres');
  await query('create database gateway owner gateway', [], 'postgres');
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

/** The programs that come with the gateway. */
async function prepare(folder: string): Promise<Programs> {
  const runDir = join(folder, 'run');
  await mkdir(runDir, { recursive: true, mode: 0o700 });
  const native = await findPrograms();
  await linkLibraries(native, runDir);
  return { native, runDir, account: await chooseAccount(native, runDir, 'user-namespace') };
}
