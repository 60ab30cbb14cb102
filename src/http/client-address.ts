/** Whose request this is: the client's address behind trusted proxies, and its User-Agent. */
import { isIP, type Socket } from 'node:net';
import express, { type Request } from 'express';
import ipaddr from 'ipaddr.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import type { RequestIds } from '../platform/logger.js';
import { remembering } from './remembering.js';

/** Spec 2.6: characters of the User-Agent that are stored. */
const USER_AGENT_LENGTH = 512;

const peerAddresses = new WeakMap<Socket, string>();

/** Remembered from the first call, because a socket forgets its peer once it is reset. */
export function peerAddressOf(socket: Socket): string | undefined {
  const address = peerAddresses.get(socket) ?? socket.remoteAddress;
  if (address !== undefined) peerAddresses.set(socket, address);
  return address;
}

/** Peers and hops whose place in a list of addresses is remembered */
const MAX_REMEMBERED = 10_000;

/** @param cidrs addresses and ranges. @returns whether an address is among them */
export function addressList(cidrs: string[]): (address: string) => boolean {
  if (cidrs.length === 0) return () => false;
  const isListed: (address: string, hop: number) => boolean = express().set('trust proxy', cidrs).get('trust proxy fn');
  const known = remembering<boolean>(MAX_REMEMBERED);
  return (address) => known(address, () => isListed(address, 0));
}

/**
 * X-Forwarded-For is walked from the right and believed as far as the hops are trusted proxies; a hop that is no IP
 * address ends the walk at the proxy that reported it.
 * @param trustProxy CIDRs of the proxies
 * @param onUnbelieved called for each request that has the field although its peer is not one of them
 */
export function originReader(
  trustProxy: string[],
  onUnbelieved: (peerAddress: string, ids: RequestIds) => void,
): (req: Request, ids: RequestIds) => RequestOrigin {
  const isTrusted = addressList(trustProxy);
  return (req, ids) => {
    let address = withoutZone(peerAddressOf(req.socket) ?? '');
    const forwarded = req.get('x-forwarded-for');
    const isUnbelieved = forwarded !== undefined && !isTrusted(address);
    const reported = (forwarded ?? '').split(',').map((hop) => withoutZone(withoutPort(hop.trim())));
    while (isTrusted(address)) {
      const next = reported.pop() ?? '';
      if (isIP(next) === 0) break;
      address = next;
    }
    const ipAddress = canonical(address);
    if (isUnbelieved) onUnbelieved(ipAddress, ids);
    return {
      ipAddress,
      userAgent: (req.get('user-agent') ?? '').slice(0, USER_AGENT_LENGTH),
    };
  };
}

/** IPv6 addresses have many spellings; one of IPv4 within IPv6 is that of IPv4. */
function canonical(address: string): string {
  if (isIP(address) === 4) return address;
  return address === '' ? 'unknown' : ipaddr.process(address).toString();
}

/** Azure and AWS report `192.0.2.1:50000` and `[2001:db8::1]:50000`: the port is new with each connection of a client. */
function withoutPort(hop: string): string {
  const [, v4, v6] = /^(?:([\d.]+):\d{1,5}|\[([^\]]*)\](?::\d{1,5})?)$/.exec(hop) ?? [];
  if (v4 !== undefined && isIP(v4) === 4) return v4;
  return v6 !== undefined && isIP(v6) === 6 ? v6 : hop;
}

/** `fe80::1%eth0` names an interface of the machine that wrote it down, and may be of any length (RFC 4007). */
function withoutZone(address: string): string {
  return isIP(address) === 6 ? address.replace(/%.*$/s, '') : address;
}
