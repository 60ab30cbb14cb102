/** Interface 5: what a limit of addresses counts as one. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** RFC 6052: IPv4 clients of an IPv6 network, their address in the last 32 bits. In one /64 there would be all of them. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** An IPv4 address, or the /64 that one IPv6 customer usually has whole. */
export function addressGroup(ipAddress: string): string {
  const address = parse(ipAddress);
  return address instanceof ipaddr.IPv6 ? network(address, 64) : String(address);
}

/** IPv4 in IPv6 is IPv4. @returns the text itself, if it is no address */
function parse(ipAddress: string): string | ipaddr.IPv4 | ipaddr.IPv6 {
  if (isIP(ipAddress) === 0) return ipAddress;
  const address = ipaddr.process(ipAddress);
  const isNat64 = address instanceof ipaddr.IPv6 && address.match(NAT64);
  return isNat64 ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

function network(address: ipaddr.IPv6, bits: number): string {
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`;
}
