/** Interface 17: where a webhook may send. Its host is one that the operator of the gateway has listed, and no name may bend it. */
import { lookup } from 'node:dns';
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
  if (!URL.canParse(text) || text.includes('#') || /[\s\\]/.test(text)) return 'url_invalid';
  const url = new URL(text);
  const { hostname, protocol, username, password } = url;
  const isPlainHere = protocol === 'http:' && isDevelopment && isLoopback(hostname);
  if (protocol !== 'https:' && !isPlainHere) return 'scheme_not_allowed';
  if (username !== '' || password !== '' || text.includes('@')) return 'credentials_in_url';
  if (!webhookHosts.includes(authorityOf(url))) return 'host_not_listed';
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal) && !mayCall(literal, hostname)) return 'address_refused';
  return undefined;
}

/** Addresses that answer with credentials of the machine, outside 169.254.0.0/16. */
const METADATA = ['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'].map((address) =>
  ipaddr.parse(address).toNormalizedString(),
);

/** Ranges of ipaddr.js that no receiver is in */
const NEVER = ['linkLocal', 'unspecified', 'broadcast', 'multicast', 'reserved'];

/** IPv6 networks whose addresses hold one of IPv4, and at which byte */
const EMBEDDING: Array<[cidr: string, byte: number]> = [
  ['::/96', 12],
  ['64:ff9b::/96', 12],
  ['64:ff9b:1::/48', 12],
  ['2002::/16', 2],
];

/**
 * Whether a connection to an address may be made for a host. Loopback only for a host that says so itself, as no public name
 * may lead to what listens here alone.
 */
export function mayCall(address: string, hostname: string): boolean {
  const parsed = ipaddr.process(address);
  if (METADATA.includes(parsed.toNormalizedString())) return false;
  const range = parsed.range();
  if (range === 'loopback') return isLoopback(hostname);
  if (parsed instanceof ipaddr.IPv6) {
    if (range === 'teredo') return false;
    const [, byte] = EMBEDDING.find(([cidr]) => parsed.match(ipaddr.IPv6.parseCIDR(cidr))) ?? [];
    if (byte !== undefined) {
      const embedded = new ipaddr.IPv4(parsed.toByteArray().slice(byte, byte + 4));
      return mayCall(embedded.toString(), hostname) && embedded.range() !== 'loopback';
    }
  }
  return !NEVER.includes(range);
}

/** A connection was refused because of the address of its host. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ADDRESS_REFUSED';
}

/** Resolves a name once, for the connection that is made with the result: the addresses that are checked are those that are called. */
export const checkedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, []);
    const refused = addresses.find(({ address }) => !mayCall(address, hostname));
    if (refused !== undefined || addresses.length === 0)
      return callback(new AddressRefused('its address is not allowed'), []);
    const [{ address, family } = { address: '', family: 4 }] = addresses;
    if (options.all === true) callback(null, addresses);
    else callback(null, address, family);
  });
};
