/** The networks of compose.yaml, without Docker: bridges, and a cable for each service. */
import { spawnSync } from 'node:child_process';
import type { Compose, Service } from './compose-file.js';

/** Of the networks that have no subnet of their own */
const OTHERS = '172.31.253';
/** Clients that come by IPv6, of two customers */
export const IPV6_CLIENTS = ['2001:db8:0:1::7', '2001:db8:0:2::7'];

/** `fd…::`, if a network has IPv6 */
export function ipv6Prefix(network: Compose['networks'][string] | undefined): string | undefined {
  const subnets = (network?.ipam?.config ?? []).map(({ subnet }) => subnet);
  return network?.enable_ipv6 ? subnets.find((subnet) => subnet.endsWith('::/64'))?.replace('/64', '') : undefined;
}

/** Where the bridges are: it lasts until its input ends. Docker leaves a packet its source, and so does a route. */
export function hostScript(prefix: string | undefined): string {
  const own = prefix === undefined ? [] : [`ip addr add ${prefix}1/64 dev frontend nodad`];
  const clients = IPV6_CLIENTS.map((address) => `ip addr add ${address}/128 dev lo nodad`);
  return `mount --make-rprivate / && mount -t tmpfs tmpfs /run && ip link set lo up
for bridge in frontend backend; do ip link add $bridge type bridge && ip link set $bridge up; done
${[...own, ...clients].join(' && ')} && ip addr add 172.31.254.1/24 dev frontend && echo up && exec cat`;
}

export type Addresses = Record<string, Record<string, string>>;

/** @returns by service and network */
export function addressesOf(services: Record<string, Service>): Addresses {
  const ofService = ({ networks = {} }: Service, i: number) =>
    Array.isArray(networks)
      ? networks.map((network) => [network, `${OTHERS}.${i + 10}`])
      : Object.entries(networks).map(([network, own]) => [network, own?.ipv4_address ?? `${OTHERS}.${i + 10}`]);
  return Object.fromEntries(
    Object.entries(services).map(([name, service], i) => [name, Object.fromEntries(ofService(service, i))]),
  );
}

/** Its own network, with a cable to each bridge that it is on. */
export function plug(inHost: string[], name: string, addresses: Addresses, prefix = '', ipv6?: string): void {
  const ip = (...words: string[]): void => {
    const [program = '', ...rest] = [...inHost, 'ip', ...words];
    const { status, stderr } = spawnSync(program, rest, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr}`);
  };
  ip('netns', 'add', name);
  ip('-n', name, 'link', 'set', 'lo', 'up');
  for (const [network, address] of Object.entries(addresses[name] ?? {})) {
    const cable = `${network.slice(0, 1)}-${name}`;
    ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', network, 'netns', name);
    ip('link', 'set', cable, 'master', network, 'up');
    ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', network);
    ip('-n', name, 'link', 'set', network, 'up');
  }
  if (ipv6 === undefined) return;
  ip('-n', name, 'addr', 'add', `${ipv6}/64`, 'dev', 'frontend', 'nodad');
  ip('-n', name, 'route', 'add', 'default', 'via', `${prefix}1`);
}
