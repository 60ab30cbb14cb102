/** One node of a Patroni cluster: PostgreSQL of Debian, and the Patroni that decides whether it is the primary. */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Lab } from './lab.js';
import type { Computer } from './network.js';
import { killAll, signal, startProgram, withDescendants } from './program.js';
import { findProgram } from './programs.js';

export interface Node {
  name: string;
  computer: Computer;
  /** Of PostgreSQL, as `ADDRESS:PORT` */
  host: string;
  /** Of Patroni's REST interface */
  rest: string;
  /** Kills Patroni and PostgreSQL, as a loss of power does. */
  kill(): Promise<void>;
  start(): void;
  /** Freezes both, as a machine that hangs. */
  freeze(): void;
  isPrimary(): Promise<boolean>;
  /** PostgreSQL is up, as the primary or as a replica. */
  isUp(): Promise<boolean>;
  /** Of PostgreSQL on each node that runs, as this one knows it. Each primary begins a new one. */
  timelines(): Promise<number[]>;
}

const POSTGRES_PORT = 5432;
export const REST_PORT = 8008;

/** @param etcdHosts as `ADDRESS:PORT` */
export async function startNode(lab: Lab, computer: Computer, etcdHosts: readonly string[]): Promise<Node> {
  const { name, address, prefix } = computer;
  const host = `${address}:${POSTGRES_PORT}`;
  const rest = `http://${address}:${REST_PORT}`;
  const folder = join(lab.folder, name);
  await mkdir(folder, { mode: 0o700 });
  const dataDir = join(folder, 'cluster');
  const trusted = ['local all all trust', 'host all all samenet trust', 'host replication all samenet trust'];
  const listenAt = (port: number) => ({ listen: `${address}:${port}`, connect_address: `${address}:${port}` });
  const settings = {
    scope: 'evidence',
    name,
    restapi: listenAt(REST_PORT),
    etcd: { hosts: etcdHosts },
    bootstrap: {
      // The shortest times that Patroni takes, so that a failover takes half a minute.
      dcs: { ttl: 20, loop_wait: 1, retry_timeout: 5, synchronous_mode: true, postgresql: { use_pg_rewind: true } },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      ...listenAt(POSTGRES_PORT),
      data_dir: dataDir,
      bin_dir: dirname(findProgram('pg_controldata') ?? ''),
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
      pg_hba: trusted,
      basebackup: [{ checkpoint: 'fast' }],
      // A node that cannot follow the new primary is copied anew.
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      parameters: {
        unix_socket_directories: folder,
        max_connections: 60,
        // A server that stops waits for replicas that it cannot reach: by default a minute.
        wal_sender_timeout: '5s',
        wal_receiver_timeout: '5s',
      },
    },
  };
  const file = join(folder, 'patroni.yml'); // JSON is YAML
  await writeFile(file, JSON.stringify(settings));
  // PostgreSQL does not run as root; in a user namespace it counts as nobody, and its files stay ours.
  const account = process.getuid?.() === 0 ? ['unshare', '--user', '--'] : [];
  const killPostgres = async (): Promise<void> => {
    const pid = postmasterOf(dataDir);
    if (pid !== undefined) await killAll(pid);
  };
  lab.defer(killPostgres); // in case Patroni could not stop it
  const program = startProgram(lab, `patroni-${name}`, [...prefix, ...account, 'patroni', file]);
  const ask = (path: string): Promise<Response | undefined> =>
    fetch(`${rest}/${path}`, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
  const answers = async (path: string): Promise<boolean> => (await ask(path))?.ok === true;
  return {
    name,
    computer,
    host,
    rest,
    start: program.start,
    kill: async () => {
      await program.kill();
      await killPostgres();
    },
    freeze: () => {
      program.freeze();
      const pid = postmasterOf(dataDir);
      if (pid !== undefined) signal(withDescendants(pid), 'SIGSTOP');
    },
    isPrimary: () => answers('primary'),
    isUp: () => answers('health'),
    timelines: async () => {
      const cluster = (await (await ask('cluster'))?.json()) as { members: Array<{ timeline?: number }> } | undefined;
      return cluster?.members.flatMap(({ timeline }) => timeline ?? []) ?? [];
    },
  };
}

/** The file may be left from one that was killed, and its number be another program's by now. */
function postmasterOf(dataDir: string): number | undefined {
  try {
    const [pid = ''] = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDir) ? Number(pid) : undefined;
  } catch {
    return undefined; // it does not run
  }
}
