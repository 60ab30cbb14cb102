/** Where a program on this machine reaches the gateway of an environment. */
import { isIPv6 } from 'node:net';

/** A gateway that listens on every address is asked on loopback. */
const EVERYWHERE = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

export function localOrigin({ host, port }: { host: string; port: number }): string {
  const address = EVERYWHERE.get(host) ?? host;
  return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`;
}
