/** REDIS_URL: one server, the master that Sentinel names, or a cluster. (Interface 2) */
import { isIPv6 } from 'node:net';
import * as z from 'zod';
import { AT_BEHIND_SLASH, ENCODED, NO_ENCODING } from './url-encoding.js';

export interface RedisAddress {
  host: string;
  port: number;
}

export interface RedisCredentials {
  /** Undefined: the default user's */
  username?: string;
  password?: string;
}

/** How to reach Redis or Valkey. `hosts`: the server itself, sentinels that know it, or nodes of a cluster. */
export type RedisTarget = { hosts: RedisAddress[]; tls: boolean; credentials: RedisCredentials } & (
  | { kind: 'single'; db: number }
  | { kind: 'sentinel'; db: number; masterName: string; ofSentinels: RedisCredentials }
  | { kind: 'cluster' }
);

/** In this order: scheme, credentials, hosts, path, parameters. */
const FORM =
  /^(?:redis|valkey)(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^/?#]*)@)?([^/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;
const HOST = /^(?:([\w.-]+)|\[([\da-f:.]+)\])(?::(\d{1,5}))?$/i;
const SENTINEL_PORT = 26_379;
const SERVER_PORT = 6_379;

/** In the form that other programs use. For Sentinel the path has the name of the master; parameters log in to sentinels. */
export const redisUrl = z
  .string()
  .transform((text, context): RedisTarget => {
    try {
      return parse(text);
    } catch (error) {
      const message = error instanceof UrlFault ? error.message : NO_ENCODING;
      context.issues.push({ code: 'custom', message, input: text });
      return z.NEVER;
    }
  })
  .describe('a URL such as redis://cache:6379/0');

/** The message repeats nothing of the URL: any misplaced part may be the password. */
class UrlFault extends Error {}

/** @throws {UrlFault}, or {URIError} for invalid percent-encoding */
function parse(text: string): RedisTarget {
  const found = /\p{Cc}/u.test(text) ? null : FORM.exec(text);
  if (found === null) {
    throw new UrlFault(
      'must be one line: a URL such as redis://cache:6379/0 or redis+sentinel://s1:26379,s2:26379/MASTER_NAME/0 or ' +
        `redis+cluster://n1:6379,n2:6379, with rediss for TLS; valkey works like redis ${ENCODED}`,
    );
  }
  const [, s = '', kindText = 'single', userInfo = '', hosts = '', path = '', query = ''] = found;
  if (path.includes('@')) throw new UrlFault(AT_BEHIND_SLASH);
  const kind = kindText.toLowerCase();
  if (kind !== 'single' && userInfo.includes('@')) {
    throw new UrlFault('must have credentials only once, in front of the first host, and each @ in them written %40');
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
  if (query !== '') throw new UrlFault(`takes no parameters after ? ${ENCODED}`);
  const db = databaseOf(path);
  if (kind === 'single') {
    if (common.hosts.length > 1)
      throw new UrlFault('must be redis+sentinel:// or redis+cluster:// if it has several hosts');
    return { ...common, kind: 'single', db };
  }
  if (db !== 0) throw new UrlFault('must not name a database of a cluster, which has only one');
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
    const forms = 'HOST or HOST:PORT, for IPv6 [ADDRESS]:PORT, separated by commas';
    throw new UrlFault(`has an invalid host: write ${forms} ${ENCODED}`);
  }
  return { host, port };
}

function credentialsOf(username: string, password: string): RedisCredentials {
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

/** Unlike in a form, `+` is a plus sign. */
function sentinelCredentialsOf(query: string): RedisCredentials {
  const parameters = new Map(query === '' ? [] : query.split('&').map((parameter) => splitOnce(parameter, '=')));
  const username = parameters.get('sentinel_username') ?? '';
  const password = parameters.get('sentinel_password') ?? '';
  parameters.delete('sentinel_username');
  parameters.delete('sentinel_password');
  if (parameters.size > 0)
    throw new UrlFault(`takes only the parameters sentinel_username and sentinel_password ${ENCODED}`);
  return credentialsOf(username, password);
}

function databaseOf(text: string): number {
  if (!/^\d{0,9}$/.test(text)) throw new UrlFault('must name the database by its number');
  return Number(text);
}
