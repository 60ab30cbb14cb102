/** One node of a Patroni cluster: PostgreSQL of Debian, and the Patroni that decides whether it is the primary. */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freePort } from '../../../test/support/programs/redis.js';
import type { Lab } from './lab.js';
import { killAll, signal, startProgram, withDescendants } from './program.js';
import { findProgram } from './programs.js';

export interface Node {
  name: string;
  port: number;
  /** Of Patroni's REST interface */
  restPort: number;
  /** Kills Patroni and PostgreSQL, as a loss of power does. */
  kill(): Promise<void>;
  start(): void;
  /** Freezes both, as a machine that hangs. */
  freeze(): void;
  isPrimary(): Promise<boolean>;
}

export async function startNode(lab: Lab, name: string, etcdPort: number): Promise<Node> {
  const [port, restPort] = [await freePort(), await freePort()];
  const folder = join(lab.folder, name);
  await mkdir(folder, { mode: 0o700 });
  const dataDir = join(folder, 'cluster');
  const trusted = ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'];
  const address = (each: number) => ({ listen: `127.0.0.1:${each}`, connect_address: `127.0.0.1:${each}` });
  const settings = {
    scope: 'evidence',
    name,
    restapi: address(restPort),
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      // The shortest times that Patroni takes, so that a failover takes half a minute.
      dcs: { ttl: 20, loop_wait: 1, retry_timeout: 5, synchronous_mode: true, postgresql: { use_pg_rewind: true } },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      ...address(port),
      data_dir: dataDir,
      bin_dir: dirname(findProgram('pg_controldata') ?? ''),
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
      pg_hba: trusted,
      basebackup: [{ checkpoint: 'fast' }],
      // A node that cannot follow the new primary is copied anew.
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      parameters: { unix_socket_directories: folder, max_connections: 60 },
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
  const program = startProgram(lab, `patroni-${name}`, [...account, 'patroni', file]);
  return {
    name,
    port,
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
    isPrimary: () =>
      fetch(`http://127.0.0.1:${restPort}/primary`, { signal: AbortSignal.timeout(1_000) }).then(
        ({ ok }) => ok,
        () => false,
      ),
    restPort,
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
