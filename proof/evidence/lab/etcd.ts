/** etcd of Debian in several members, each in a computer of its own, with the v2 API. */
import { join } from 'node:path';
import { until } from '../../../test/support/until.js';
import type { Lab } from './lab.js';
import type { Computer } from './network.js';
import { startProgram } from './program.js';

export interface Etcd {
  /** Of the members, as `ADDRESS:PORT` */
  hosts: readonly string[];
  /** The value that a majority has agreed on, undefined if there is none, or no majority answers */
  read(key: string): Promise<string | undefined>;
}

const CLIENT_PORT = 2379;
const PEER_PORT = 2380;

export async function startEtcd(lab: Lab, computers: readonly Computer[]): Promise<Etcd> {
  const peers = computers.map(({ name, address }) => `${name}=http://${address}:${PEER_PORT}`).join();
  for (const computer of computers) startMember(lab, computer, peers);
  const hosts = computers.map(({ address }) => `${address}:${CLIENT_PORT}`);
  for (const host of hosts)
    await until(`etcd at ${host} answers`, async () => (await ask(host, 'health')) !== undefined);
  const read = async (key: string): Promise<string | undefined> => {
    for (const host of hosts) {
      const answer = await ask(host, `v2/keys/${key}?quorum=true`);
      if (answer !== undefined) return (JSON.parse(answer) as { node: { value: string } }).node.value;
    }
    return undefined;
  };
  return { hosts, read };
}

function startMember(lab: Lab, { name, address, prefix }: Computer, peers: string): void {
  const [client, peer] = [CLIENT_PORT, PEER_PORT].map((port) => `http://${address}:${port}`);
  startProgram(lab, name, [
    ...prefix,
    'etcd',
    `--name=${name}`,
    `--data-dir=${join(lab.folder, name)}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=${peers}`,
    // With the v3 API, Patroni 3.0.2 has lost acknowledged work over a second partition.
    '--enable-v2',
    '--pre-vote=false',
  ]);
}

async function ask(host: string, path: string): Promise<string | undefined> {
  return fetch(`http://${host}/${path}`, { signal: AbortSignal.timeout(2_000) }).then(
    (response) => (response.ok ? response.text() : undefined),
    () => undefined,
  );
}
