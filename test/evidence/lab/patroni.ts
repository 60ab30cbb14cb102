/** PostgreSQL of Debian in two nodes under Patroni, with etcd and synchronous replication, and HAProxy before them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../support/redis.js';
import { until } from '../../support/until.js';
import type { Lab } from './lab.js';
import { type Node, type Role, startNode } from './patroni-node.js';
import type { Postgres } from './postgres.js';
import { startProgram } from './program.js';

export interface Patroni {
  nodes: readonly Node[];
  /** As the superuser, in the gateway's database */
  query: Postgres['query'];
  /** Of HAProxy, which knows the primary */
  proxyPort: number;
  /** @throws where there is none */
  primary(): Promise<Node>;
  /** Waits until there is a primary, and a replica that has all that it acknowledges. */
  settled(): Promise<void>;
  /** Gives the replica the primary's place, as an operator does. */
  switchOver(): Promise<void>;
}

export async function startPatroni(lab: Lab): Promise<Patroni> {
  const etcdPort = await startEtcd(lab);
  const nodes = [await startNode(lab, 'one', etcdPort), await startNode(lab, 'two', etcdPort)];
  const answering = async (role: Role): Promise<Node | undefined> => {
    for (const node of nodes) if (await node.is(role)) return node;
    return undefined;
  };
  const settled = (): Promise<void> =>
    until('Patroni has a primary and a synchronous replica', async () =>
      Boolean((await answering('primary')) && (await answering('sync'))),
    );
  await settled();
  const proxyPort = await startProxy(lab, nodes);
  for (const text of ['create role gateway login', 'create database gateway owner gateway']) {
    await queryAt(proxyPort, 'postgres', text);
  }
  return {
    nodes,
    proxyPort,
    query: (text, values) => queryAt(proxyPort, 'gateway', text, values),
    primary: async () => {
      const node = await answering('primary');
      if (node === undefined) throw new Error('Patroni has no primary');
      return node;
    },
    settled,
    switchOver: async () => {
      const [leader, candidate] = [await answering('primary'), await answering('sync')];
      if (leader === undefined || candidate === undefined) throw new Error('Patroni is not settled');
      const body = JSON.stringify({ leader: leader.name, candidate: candidate.name });
      const { ok } = await fetch(`http://127.0.0.1:${leader.restPort}/switchover`, { method: 'POST', body });
      if (!ok) throw new Error('Patroni refuses to switch over');
    },
  };
}

async function startEtcd(lab: Lab): Promise<number> {
  const [port, peerPort] = [await freePort(), await freePort()];
  const [client, peer] = [port, peerPort].map((each) => `http://127.0.0.1:${each}`);
  startProgram(lab, 'etcd', [
    'etcd',
    `--data-dir=${join(lab.folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ]);
  await until('etcd answers', () =>
    fetch(`${client}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return port;
}

async function startProxy(lab: Lab, nodes: readonly Node[]): Promise<number> {
  const port = await freePort();
  const file = join(lab.folder, 'haproxy.conf');
  const servers = nodes.map(({ name, port, restPort }) => `  server ${name} 127.0.0.1:${port} check port ${restPort}`);
  await writeFile(
    file,
    [
      'defaults',
      '  mode tcp',
      '  timeout connect 5s',
      '  timeout client 1h',
      '  timeout server 1h',
      'listen primary',
      `  bind 127.0.0.1:${port}`,
      '  option httpchk OPTIONS /primary',
      '  http-check expect status 200',
      '  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions',
      ...servers,
      '',
    ].join('\n'),
  );
  startProgram(lab, 'haproxy', ['haproxy', '-db', '-f', file]);
  await until('HAProxy answers', () => canConnect(port));
  return port;
}

async function connectTo(port: number, database: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: `postgresql://postgres@127.0.0.1:${port}/${database}` });
  client.on('error', () => undefined); // the server may end
  await client.connect();
  return client;
}

async function canConnect(port: number): Promise<boolean> {
  return connectTo(port, 'postgres').then(
    (client) => client.end().then(() => true),
    () => false,
  );
}

async function queryAt<Row extends pg.QueryResultRow>(
  port: number,
  database: string,
  text: string,
  values?: unknown[],
) {
  const client = await connectTo(port, database);
  const { rows } = await client.query<Row>(text, values);
  await client.end();
  return rows;
}
