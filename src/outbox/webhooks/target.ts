/**
 * The hosts that a webhook may send to. The operator of the gateway has listed each, and no DNS answer leads elsewhere.
 * (Interface 17)
 */
import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../config/config.js';
import { isLoopback } from '../../config/values.js';

type Allowed = Pick<Config, 'isDevelopment' | 'webhookHosts'>;

export type TargetFault =
  | 'url_invalid'
  | 'url_too_long'
  | 'scheme_not_allowed'
  | 'credentials_in_url'
  | 'host_not_listed'
  | 'address_refused';

export const MAX_URL = 2048;

/** `host:port`, as in WEBHOOK_HOSTS */
export function authorityOf({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'http:' ? '80' : '443')}`;
}

/** @returns what is wrong with the URL of a webhook; undefined if nothing is */
export function faultOfTarget(text: string, { isDevelopment, webhookHosts = [] }: Allowed): TargetFault | undefined {
  if (text.length > MAX_URL) return 'url_too_long';
  if (!URL.canParse(text) || text.includes('#') || /[\s\p{Cc}\\]/u.test(text)) return 'url_invalid';
  const url = new URL(text);
  const { hostname, protocol, username, password } = url;
  const isPlainHere = protocol === 'http:' && isDevelopment && isLoopback(hostname);
  if (protocol !== 'https:' && !isPlainHere) return 'scheme_not_allowed';
  if (username !== '' || password !== '' || text.includes('@')) return 'credentials_in_url';
  if (!webhookHosts.includes(authorityOf(url))) return 'host_not_listed';
  if (isForbiddenAddress(hostname)) return 'address_refused';
  return undefined;
}

/** Whether a host is an address, and one that must not be called. Sockets resolve only names. */
export function isForbiddenAddress(hostname: string): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(literal) && !mayCall(literal, hostname);
}

/** What answers with credentials of the machine, outside of link-local addresses: Alibaba, Azure, Oracle; AWS, Google, Scaleway, Oracle. */
const METADATA = [
  ...['100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
  ...['fd00:ec2::/32', 'fd20:ce::/32', 'fd00:42::42/128', 'fd00:c1::a9fe:a9fe/128'],
].map((cidr) => ipaddr.parseCIDR(cidr));

/** Ranges of ipaddr.js that no receiver is in */
const NEVER = ['linkLocal', 'unspecified', 'broadcast', 'multicast', 'reserved'];

/** The bytes of IPv4 at the end of IPv6 */
const LAST = [12, 13, 14, 15];

/**
 * IPv6 networks whose addresses hold one of IPv4, and where its bytes are. Translators of RFC 8215 choose the length of their
 * prefix, so there it may be in any place of RFC 6052 section 2.2.
 */
const EMBEDDING: Array<[cidr: string, ...places: number[][]]> = [
  ['::/96', LAST],
  ['::ffff:0:0:0/96', LAST],
  ['64:ff9b::/96', LAST],
  ['64:ff9b:1::/48', [6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], LAST],
  ['2002::/16', [2, 3, 4, 5]],
];

/**
 * Whether a connection to an address may be made for a host. Loopback only, and always, for a host that says so itself: no
 * public name leads to what listens here alone, and plain http does not leave this machine.
 */
export function mayCall(address: string, hostname: string): boolean {
  const parsed = ipaddr.process(address);
  const isHere = parsed.range() === 'loopback';
  return isHere === isLoopback(hostname) && (isHere || !isForbidden(parsed));
}

function isForbidden(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const range = address.range();
  if (isMetadata(address) || range === 'loopback' || NEVER.includes(range)) return true;
  if (!(address instanceof ipaddr.IPv6)) return false;
  if (range === 'teredo') return true;
  const [, ...places] = EMBEDDING.find(([cidr]) => address.match(ipaddr.IPv6.parseCIDR(cidr))) ?? [];
  const bytes = address.toByteArray();
  const embedded = places.map((place) => new ipaddr.IPv4(place.map((at) => bytes[at] ?? 0)));
  if (embedded.length === 1) return embedded.some(isForbidden);
  // Bytes that hold no address parse as reserved or unspecified.
  return embedded.some((one) => isMetadata(one) || ['loopback', 'linkLocal'].includes(one.range()));
}

function isMetadata(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return METADATA.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

/** A connection was refused because of the address of its host. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ADDRESS_REFUSED';
}

/** What answers with every address of a name */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Resolves a name once, for the connection that is made with the result: the addresses that are checked are those that are
 * called. One that is forbidden refuses them all.
 */
export function checkedLookup(resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => mayCall(address, hostname)))
        return callback(new AddressRefused('its address is not allowed'), []);
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
