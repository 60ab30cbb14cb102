/** PostgreSQL of Debian in three nodes under Patroni, three members of etcd, synchronous replication, and HAProxy in front. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../../test/support/programs/redis.js';
import { until } from '../../../test/support/until.js';
import { type Etcd, startEtcd } from './etcd.js';
import type { Lab } from './lab.js';
import { type Computer, createNetwork } from './network.js';
import { type Node, REST_PORT, startNode } from './patroni-node.js';
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
  /** Waits until every node is up and in the primary's timeline, and one has all that the primary acknowledges. */
  settled(): Promise<void>;
  /** Gives the replica the primary's place, as an operator does. */
  switchOver(): Promise<void>;
  /** Cuts a machine, PostgreSQL and etcd, from the other machines. @param also from the gateways and HAProxy, too */
  partition(node: Node, also?: 'from outside'): void;
  /** Cuts the member of etcd of a machine from the other machines; its own Patroni still reaches it. */
  partitionEtcd(node: Node): void;
  /** Ends the partition. */
  heal(): void;
}

/** Each name has a machine: PostgreSQL with Patroni in one computer, its member of etcd in another. */
const NAMES = ['one', 'two', 'three'];

export async function startPatroni(lab: Lab): Promise<Patroni> {
  const network = createNetwork(lab);
  const stores = NAMES.map((name) => network.add(`etcd-${name}`));
  const etcd = await startEtcd(lab, stores);
  const nodes: Node[] = [];
  for (const name of NAMES) nodes.push(await startNode(lab, network.add(name), etcd.hosts));
  const findPrimary = async (): Promise<Node | undefined> => {
    for (const node of nodes) if (await node.isPrimary()) return node;
    return undefined;
  };
  /** The name of the replica that has all that this primary acknowledges; null if there is none. */
  const replicaOf = async (primary: Node | undefined): Promise<string | null | undefined> => {
    const { leader, sync_standby } = await readSyncKey(etcd);
    return leader === primary?.name ? sync_standby : undefined;
  };
  // A node that was cut off is up until it learns that it has lost its place. If the primary changes again while it comes
  // back, Patroni 3.0.2 leaves it waiting for the one before.
  const isSettled = async (): Promise<boolean> => {
    const areUp = await Promise.all(nodes.map((node) => node.isUp()));
    const primary = await findPrimary();
    const timelines = (await primary?.timelines()) ?? [];
    const isOneHistory = timelines.length === nodes.length && new Set(timelines).size === 1;
    return !areUp.includes(false) && isOneHistory && Boolean(await replicaOf(primary));
  };
  const settled = async (): Promise<void> => {
    for (const node of nodes) await until(`PostgreSQL ${node.name} is up`, node.isUp);
    await until('every node follows one primary, and one is synchronous', isSettled);
  };
  const insideOf = (node: Node): Computer[] => [node.computer, ...stores.slice(nodes.indexOf(node)).slice(0, 1)];
  const othersOf = (node: Node): Computer[] => nodes.filter((each) => each !== node).flatMap(insideOf);
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
      const answer = await fetch(`${primary?.rest}/switchover`, { method: 'POST', body });
      if (!answer.ok) throw new Error(`Patroni refuses to switch over: ${await answer.text()}`);
    },
    partition: (node, also) => {
      for (const inside of insideOf(node)) {
        for (const other of othersOf(node)) network.cut(inside, other);
        if (also !== undefined) network.cut(inside, network.outside);
      }
    },
    partitionEtcd: (node) => {
      const [, store] = insideOf(node);
      for (const other of othersOf(node)) if (store !== undefined) network.cut(store, other);
    },
    heal: network.heal,
  };
}

/** What Patroni has agreed on. Its REST interface still calls the old primary a synchronous replica for some seconds. */
async function readSyncKey({ read }: Etcd): Promise<{ leader?: string; sync_standby?: string | null }> {
  return JSON.parse((await read('service/evidence/sync')) ?? '{}');
}

async function startProxy(lab: Lab, nodes: readonly Node[]): Promise<number> {
  const port = await freePort();
  const file = join(lab.folder, 'haproxy.conf');
  const servers = nodes.map(({ name, host }) => `  server ${name} ${host} check port ${REST_PORT}`);
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
