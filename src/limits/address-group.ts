/** Interface 5: what a limit of addresses counts as one. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** RFC 6052: IPv4 clients of an IPv6 network, their address in the last 32 bits. In one /64 there would be all of them. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** What one customer may be given as a prefix: otherwise 65,536 clients. */
const NETWORK_BITS = 48;
/** So many times the login limit has such a network. */
const NETWORK_TIMES = 8;

/** An IPv4 address, or the /64 that one IPv6 customer usually has whole. */
export function addressGroup(ipAddress: string): string {
  return loginGroups(ipAddress)[0];
}

/** By what logins are counted: the group of the address, and of IPv6 the one network around it. */
export function loginGroups(ipAddress: string): [own: string, ...network: string[]] {
  const address = parse(ipAddress);
  if (!(address instanceof ipaddr.IPv6)) return [String(address)];
  return [prefix(address, 64), prefix(address, NETWORK_BITS)];
}

/** @param rateLimit of a client address */
export function loginLimitOf(group: string, rateLimit: number): number {
  return isNetwork(group) ? NETWORK_TIMES * rateLimit : rateLimit;
}

export function isNetwork(group: string): boolean {
  return group.endsWith(`/${NETWORK_BITS}`);
}

/** IPv4 in IPv6 is IPv4. @returns the text itself, if it is no address */
function parse(ipAddress: string): string | ipaddr.IPv4 | ipaddr.IPv6 {
  if (isIP(ipAddress) === 0) return ipAddress;
  const address = ipaddr.process(ipAddress);
  const isNat64 = address instanceof ipaddr.IPv6 && address.match(NAT64);
  return isNat64 ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

function prefix(address: ipaddr.IPv6, bits: number): string {
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`;
}
