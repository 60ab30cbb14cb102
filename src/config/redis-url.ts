/** Interface 2: REDIS_URL: one server, the master that Sentinel names, or a cluster. */
import { isIPv6 } from 'node:net';
import * as z from 'zod';
import { AT_BEHIND_SLASH, ENCODED, NO_ENCODING } from './url-encoding.js';

export interface RedisAddress {
  host: string;
  port: number;
}

export interface RedisCredentials {
  /** Undefined: that of the default user */
  username?: string;
  password?: string;
}

/** Where Redis or Valkey is. `hosts`: the server itself, sentinels that know where it is, or nodes of a cluster. */
export type RedisPlace = { hosts: RedisAddress[]; tls: boolean; credentials: RedisCredentials } & (
  | { kind: 'single'; db: number }
  | { kind: 'sentinel'; db: number; masterName: string; ofSentinels: RedisCredentials }
  | { kind: 'cluster' }
);

/** What follows the scheme, in this order: credentials, hosts, path, parameters. */
const FORM =
  /^(?:redis|valkey)(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^/?#]*)@)?([^/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;
const HOST = /^(?:([\w.-]+)|\[([\da-f:.]+)\])(?::(\d{1,5}))?$/i;
const SENTINEL_PORT = 26_379;
const SERVER_PORT = 6_379;

/** As peers write them: of several hosts, the name of the master in the path, and how sentinels are logged in to. */
export const redisUrl = z.string().transform((text, context): RedisPlace => {
  try {
    return parse(text);
  } catch (error) {
    const message = error instanceof UrlFault ? error.message : NO_ENCODING;
    context.issues.push({ code: 'custom', message, input: text });
    return z.NEVER;
  }
});

/** The message repeats nothing of the URL: whatever is misplaced in it may be the password. */
class UrlFault extends Error {}

/** @throws {UrlFault}, or {URIError} where something is not encoded well */
function parse(text: string): RedisPlace {
  const found = /\p{Cc}/u.test(text) ? null : FORM.exec(text);
  if (found === null) {
    throw new UrlFault(
      'must be one line: a URL such as redis://cache:6379/0 or redis+sentinel://s1:26379,s2:26379/MASTER_NAME/0 or ' +
        `redis+cluster://n1:6379,n2:6379; with rediss for TLS, and valkey means the same ${ENCODED}`,
    );
  }
  const [, s = '', kindText = 'single', userInfo = '', hosts = '', path = '', query = ''] = found;
  if (path.includes('@')) throw new UrlFault(AT_BEHIND_SLASH);
  const kind = kindText.toLowerCase();
  if (kind !== 'single' && userInfo.includes('@')) {
    throw new UrlFault('has its credentials once, before the first host, and an @ in them as %40');
  }
  const common = {
    hosts: hosts.split(',').map((host) => addressOf(host, kind === 'sentinel' ? SENTINEL_PORT : SERVER_PORT)),
    tls: s !== '',
    credentials: credentialsOf(...splitOnce(userInfo, ':')),
  };
  if (kind === 'sentinel') {
    const [masterName, db] = splitOnce(path, '/');
    if (masterName === '') throw new UrlFault('needs the name of the master: redis+sentinel://HOSTS/MASTER_NAME');
    const ofSentinels = sentinelCredentialsOf(query);
    return { ...common, kind: 'sentinel', db: databaseOf(db), masterName: decodeURIComponent(masterName), ofSentinels };
  }
  if (query !== '') throw new UrlFault(`takes no parameters behind ? ${ENCODED}`);
  const db = databaseOf(path);
  if (kind === 'single') {
    if (common.hosts.length > 1) throw new UrlFault('of several hosts is redis+sentinel:// or redis+cluster://');
    return { ...common, kind: 'single', db };
  }
  if (db !== 0) throw new UrlFault('of a cluster names no database: a cluster has only one');
  return { ...common, kind: 'cluster' };
}

function splitOnce(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

function addressOf(text: string, defaultPort: number): RedisAddress {
  const [, name, ipv6, digits] = HOST.exec(text) ?? [];
  const host = name ?? ipv6;
  const port = Number(digits ?? defaultPort);
  if (host === undefined || (ipv6 !== undefined && !isIPv6(ipv6)) || port < 1 || port > 65_535) {
    const forms = 'HOST or HOST:PORT, with commas between, and of IPv6 [ADDRESS]:PORT';
    throw new UrlFault(`has a host that is none: ${forms} ${ENCODED}`);
  }
  return { host, port };
}

function credentialsOf(username: string, password: string): RedisCredentials {
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

/** Not as a form would have it: `+` is a plus. */
function sentinelCredentialsOf(query: string): RedisCredentials {
  const parameters = new Map(query === '' ? [] : query.split('&').map((parameter) => splitOnce(parameter, '=')));
  const username = parameters.get('sentinel_username') ?? '';
  const password = parameters.get('sentinel_password') ?? '';
  parameters.delete('sentinel_username');
  parameters.delete('sentinel_password');
  if (parameters.size > 0)
    throw new UrlFault(`takes no parameters but sentinel_username and sentinel_password ${ENCODED}`);
  return credentialsOf(username, password);
}

function databaseOf(text: string): number {
  if (!/^\d{0,9}$/.test(text)) throw new UrlFault('names a database that is no number');
  return Number(text);
}
