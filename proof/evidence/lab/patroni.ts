/** PostgreSQL of Debian in two nodes under Patroni, with etcd and synchronous replication, and HAProxy before them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../../test/support/programs/redis.js';
import { until } from '../../../test/support/until.js';
import type { Lab } from './lab.js';
import { type Node, startNode } from './patroni-node.js';
import type { Postgres } from './postgres.js';
import { startProgram } from './program.js';

export interface Patroni {
  nodes: readonly Node[];
  /** As the superuser, in the gateway's database */
  query: Postgres['query'];
  /** Of HAProxy, which knows the primary */
  proxyPort: number;
  /** @throws if there is none */
  primary(): Promise<Node>;
  /** Waits until there is a primary, and a replica that has all that it acknowledges. */
  settled(): Promise<void>;
  /** Gives the replica the primary's place, as an operator does. */
  switchOver(): Promise<void>;
}

export async function startPatroni(lab: Lab): Promise<Patroni> {
  const etcdPort = await startEtcd(lab);
  const nodes = [await startNode(lab, 'one', etcdPort), await startNode(lab, 'two', etcdPort)];
  const findPrimary = async (): Promise<Node | undefined> => {
    for (const node of nodes) if (await node.isPrimary()) return node;
    return undefined;
  };
  /** The name of the replica that has all that this primary acknowledges. */
  const replicaOf = async (primary: Node | undefined): Promise<string | undefined> => {
    const { leader, sync_standby } = await readSyncKey(etcdPort);
    return leader === primary?.name ? sync_standby : undefined;
  };
  const settled = (): Promise<void> =>
    until('Patroni has a primary and a synchronous replica', async () => Boolean(await replicaOf(await findPrimary())));
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
      const primary = await findPrimary();
      if (primary === undefined) throw new Error('Patroni has no primary');
      return primary;
    },
    settled,
    switchOver: async () => {
      const primary = await findPrimary();
      const body = JSON.stringify({ leader: primary?.name, candidate: await replicaOf(primary) });
      const { ok } = await fetch(`http://127.0.0.1:${primary?.restPort}/switchover`, { method: 'POST', body });
      if (!ok) throw new Error('Patroni refuses to switch over');
    },
  };
}

/** What Patroni has agreed on. Its REST interface still calls the old primary a synchronous replica for some seconds. */
async function readSyncKey(etcdPort: number): Promise<{ leader?: string; sync_standby?: string }> {
  const body = JSON.stringify({ key: Buffer.from('/service/evidence/sync').toString('base64') });
  const response = await fetch(`http://127.0.0.1:${etcdPort}/v3/kv/range`, { method: 'POST', body });
  const { kvs: [found] = [] } = (await response.json()) as { kvs?: { value: string }[] };
  return found === undefined ? {} : JSON.parse(Buffer.from(found.value, 'base64').toString());
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
  // Before its first checks it takes both for the primary, in turn.
  await until('HAProxy knows the primary', async () => (await isPrimary(port)) && (await isPrimary(port)));
  return port;
}

async function connectTo(port: number, database: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: `postgresql://postgres@127.0.0.1:${port}/${database}` });
  client.on('error', () => undefined); // the server may end
  await client.connect();
  return client;
}

async function isPrimary(port: number): Promise<boolean> {
  return queryAt<{ standby: boolean }>(port, 'postgres', 'select pg_is_in_recovery() as standby').then(
    ([row]) => row?.standby === false,
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
