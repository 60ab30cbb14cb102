/** A set-up in which all is well, for `doctor` to look at; tests plant faults in it. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttp, request } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/config/config.js';
import { CHECKS, examine } from '../../../src/doctor/examine.js';
import { type FindingName, type PrintedFinding, printable } from '../../../src/doctor/finding.js';
import { type Machine, readMachine } from '../../../src/doctor/surroundings.js';
import { type Clock, systemClock } from '../../../src/platform/clock.js';
import { KEYRING_FILE, required } from '../postgres/postgres.js';

export type Env = Record<string, string | undefined>;

export interface Seen {
  clock?: Clock;
  machine?: Partial<Machine>;
  /** Only this check */
  only?: FindingName;
}

/** What is found with these variables, but for the speed of passwords, unless that is asked for. */
export async function look(env: Env, { clock = systemClock, machine, only }: Seen = {}): Promise<PrintedFinding[]> {
  const config = readConfig(env);
  const { signal } = new AbortController();
  const locate = async (): Promise<string> => config.databaseUrl ?? '';
  const checks = CHECKS.filter(([name]) => (only === undefined ? name !== 'password_speed' : name === only));
  const around = { clock, config, isGateway: false, machine: { ...readMachine(), ...machine }, signal, locate };
  return (await examine(around, checks)).map((finding) => printable(finding));
}

/** What is wrong. `fsync`, which is off in the PostgreSQL of the tests, is left out. */
export async function badIn(found: Promise<PrintedFinding[]>): Promise<PrintedFinding[]> {
  return (await found).filter(({ severity, check }) => severity !== 'ok' && check !== 'database_durability');
}

export interface Certificates {
  folder: string;
  /** In PEM; it is its own authority */
  make(days: number, names: string): Promise<{ key: string; cert: string }>;
}

export async function certificatesIn(folder: string): Promise<Certificates> {
  let made = 0;
  return {
    folder,
    make: async (days, names) => {
      made += 1;
      const [key, cert] = ['key', 'cert'].map((kind) => join(folder, `${kind}${made}.pem`)) as [string, string];
      const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
      const words = ['-subj', '/CN=gateway', '-addext', `subjectAltName=${names}`, '-days', String(days)];
      execFileSync('openssl', ['req', ...kind, ...words, '-keyout', key, '-out', cert], { stdio: 'ignore' });
      return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
    },
  };
}

export interface Edge {
  port: number;
  /** Where requests are passed on to; to several in turn */
  leadTo(url: string, ...others: string[]): void;
  /** Answers 404 by itself to whatever begins with this path */
  refuse(path: string): void;
  /** How many requests have come */
  asked(): number;
  close(): Promise<void>;
}

/** A proxy in front of the gateway: it ends TLS if it has a certificate, and passes on every path. */
export async function startEdge(certificate?: { key: string; cert: string }): Promise<Edge> {
  let to: string[] = [];
  let refused: string | undefined;
  let count = 0;
  const server = certificate === undefined ? createHttp() : createHttps(certificate);
  server.on('request', (asked, answer) => {
    count += 1;
    if (refused !== undefined && asked.url?.startsWith(refused)) return void answer.writeHead(404).end();
    const { host: _, ...headers } = asked.headers;
    const passed = request(
      `${to[count % to.length]}${asked.url}`,
      { method: asked.method ?? 'GET', headers },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      },
    );
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  server.on('tlsClientError', () => undefined); // of who does not trust it
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: (...urls) => {
      to = urls;
    },
    refuse: (path) => {
      refused = path;
    },
    asked: () => count,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A keyring of its own, in a folder of its own. */
export async function ownKeyring(): Promise<{ folder: string; file: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'doctor-'));
  const file = join(folder, 'keyring.json');
  await copyFile(required(KEYRING_FILE), file);
  return { folder, file, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** An address of this machine that is not loopback; undefined if it has none. */
export function ownAddress(): string | undefined {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

export interface OpenServer extends AsyncDisposable {
  port: number;
}

/** Takes connections and says nothing. */
export function startSilentServer(): Promise<OpenServer> {
  return startServer('127.0.0.1', () => undefined);
}

/** Passes connections on to a port of loopback. */
export function startForward(host: string, port: number): Promise<OpenServer> {
  return startServer(host, (client) => {
    const server = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
  });
}

async function startServer(host: string, take: (client: Socket) => void): Promise<OpenServer> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client.on('error', () => undefined));
    take(client);
  }).listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const client of open) client.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
