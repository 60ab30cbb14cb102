/** Interface 5: what a limit of addresses counts as one. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IPv4 address, or the /64 that one IPv6 customer usually has whole. */
export function addressGroup(ipAddress: string): string {
  if (isIP(ipAddress) === 0) return ipAddress;
  const address = ipaddr.process(ipAddress);
  if (address.kind() === 'ipv4') return address.toString();
  const network = [...address.toByteArray().slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}
