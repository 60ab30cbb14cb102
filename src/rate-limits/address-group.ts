/** Groups of addresses that a rate limit counts together. (Interface 5) */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** RFC 6052: IPv4 addresses, in the last 32 bits. As IPv6, they would all be in one /64. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** One customer may hold a whole /48, which has 65,536 networks of 64 bits. */
const NETWORK_BITS = 48;
/** A network has this multiple of the login limit. */
const NETWORK_TIMES = 8;

/** An IPv4 address, or an IPv6 /64, which usually belongs to one customer. */
export function addressGroup(ipAddress: string): string {
  return loginGroups(ipAddress)[0];
}

/** The groups that count a login: that of the address, and the network around an IPv6 one. */
export function loginGroups(ipAddress: string): [own: string, ...network: string[]] {
  const address = parse(ipAddress);
  if (!(address instanceof ipaddr.IPv6)) return [String(address)];
  return [prefix(address, 64), prefix(address, NETWORK_BITS)];
}

/** Those of an address, or of a network as a list names it: a /48 is one group. */
export function groupsNamed(text: string): string[] {
  const groups = loginGroups(text.replace(/\/(48|64)$/, ''));
  return isNetwork(text) ? groups.filter(isNetwork) : groups;
}

/** @param rateLimit limit of a single address */
export function loginLimitOf(group: string, rateLimit: number): number {
  return isNetwork(group) ? NETWORK_TIMES * rateLimit : rateLimit;
}

export function isNetwork(group: string): boolean {
  return group.endsWith(`/${NETWORK_BITS}`);
}

/** IPv4 mapped into IPv6 becomes IPv4. @returns the text itself if it is not an address of IPv6 */
function parse(ipAddress: string): string | ipaddr.IPv4 | ipaddr.IPv6 {
  if (isIP(ipAddress) !== 6) return ipAddress;
  const address = ipaddr.process(ipAddress);
  const isNat64 = address instanceof ipaddr.IPv6 && address.match(NAT64);
  return isNat64 ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

function prefix(address: ipaddr.IPv6, bits: number): string {
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`;
}
