/** Interface 2: DATABASE_URL in libpq's form: several hosts, and the parameters that have an effect here. */
import { isIPv6 } from 'node:net';
import pg from 'pg';
import { AT_BEHIND_SLASH, ENCODED, NO_ENCODING } from './url-encoding.js';

export interface Host {
  /** A name, an address, or the folder of a socket, which begins with a slash */
  host: string;
  port: number;
}

export interface DatabaseUrl {
  /** What the driver understands: with the first host alone, without `target_session_attrs`, and with the `sslmode` that is meant */
  driverUrl: string;
  /** In their order, where there are several; else empty */
  hosts: Host[];
}

/** The message says what is wrong and repeats no value. */
export class DatabaseUrlFault extends Error {
  override readonly name = 'DatabaseUrlFault';
}

const DEFAULT_PORT = 5432;
const FORM = `must be one line: a URL that starts with postgresql://, or the word embedded ${ENCODED}`;

/** Each has an effect here; `undefined`: with any value. */
const PARAMETERS = new Map<string, string[] | undefined>([
  ['application_name', undefined],
  ['host', undefined],
  ['options', undefined],
  ['password', undefined],
  ['port', undefined],
  ['sslcert', undefined],
  ['sslkey', undefined],
  ['sslmode', ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']],
  ['sslnegotiation', ['postgres', 'direct']],
  ['sslrootcert', undefined],
  ['target_session_attrs', ['read-write', 'primary']],
  ['uselibpqcompat', ['true', 'false']],
  ['user', undefined],
]);

/** Those that are for nothing without TLS. */
const TLS = ['sslcert', 'sslkey', 'sslnegotiation', 'sslrootcert', 'uselibpqcompat'];

/** Those that the driver does not get as parameters. */
const PLACED = /^(host|port|target_session_attrs)=/;

/** The driver of this version takes these for verify-full, and warns at each start that a later one will not. */
const VERIFIED = ['prefer', 'require', 'verify-ca'];

/** @throws {DatabaseUrlFault} */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [, scheme, user = '', list = '', path = '', query = ''] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?$/i.exec(text) ?? [];
  if (scheme === undefined || /\p{Cc}/u.test(text)) throw new DatabaseUrlFault(FORM);
  if (path.includes('@')) throw new DatabaseUrlFault(AT_BEHIND_SLASH);
  const parts = query.split('&').filter((part) => part !== '');
  // Where a password has a ? that is not encoded, the rest of it stands here: such a name is not repeated.
  if (!parts.every((part) => /^[a-z_]+(=|$)/i.test(part)))
    throw new DatabaseUrlFault(`has no parameters behind its ? ${ENCODED}`);
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) throw new DatabaseUrlFault(unknownParameter(unknown, query));
  for (const name of new Set(parameters.keys())) checkParameter(name, parameters.getAll(name));
  if (parameters.get('sslmode') === 'disable' && TLS.some((name) => parameters.has(name))) {
    throw new DatabaseUrlFault(`has sslmode=disable and one of ${TLS.join(', ')}`);
  }
  const given = {
    host: list !== '',
    port: /:\d*(,|$)/.test(list),
    user: /^[^:@]/.test(user),
    password: /:./.test(user),
  };
  for (const [name, isGiven] of Object.entries(given)) {
    if (isGiven && parameters.has(name)) throw new DatabaseUrlFault(`has the ${name} in two places`);
  }
  const authorities = authoritiesOf(list, parameters);
  const hosts = authorities.map(hostOf);
  const isVerified = VERIFIED.includes(parameters.get('sslmode') ?? '') && parameters.get('uselibpqcompat') !== 'true';
  const rest = parts
    .filter((part) => !PLACED.test(part))
    .map((part) => (isVerified && part.startsWith('sslmode=') ? 'sslmode=verify-full' : part))
    .join('&');
  const database = path.replaceAll('%40', '@'); // the driver leaves it encoded
  const driverUrl = `${scheme}${user}${authorities[0] ?? ''}${database}${rest && `?${rest}`}`;
  checkWithDriver(driverUrl);
  return { driverUrl, hosts: hosts.length > 1 ? hosts : [] };
}

/** An @ behind the ? can be that before the host, and the name then a part of the password. */
function unknownParameter(name: string, query: string): string {
  const known = `known are ${[...PARAMETERS.keys()].join(', ')}`;
  if (query.includes('@')) return `has a parameter that is not known; ${known} ${ENCODED}`;
  return `has the parameter ${name}; ${known}`;
}

/** @param name a known one */
function checkParameter(name: string, [value = '', ...more]: string[]): void {
  const values = PARAMETERS.get(name);
  if (more.length > 0) throw new DatabaseUrlFault(`has the parameter ${name} twice`);
  if (value === '') throw new DatabaseUrlFault(`has the parameter ${name} without a value`);
  if (values?.includes(value) === false) {
    const why = name === 'target_session_attrs' ? ', because the gateway writes' : '';
    throw new DatabaseUrlFault(`has a ${name} that is none of ${values.join(', ')}${why}`);
  }
}

/** Hosts with their ports as they stand in a URL, from their own place or from the parameters; empty where none is named. */
function authoritiesOf(list: string, parameters: URLSearchParams): string[] {
  const names = parameters.get('host')?.split(',').map(inAuthority) ?? list.split(',');
  const ports = parameters.get('port')?.split(',');
  const isNamed = names.length > 1 || names[0] !== '';
  if (ports === undefined) return isNamed ? names : [];
  if (!isNamed) names[0] = 'localhost';
  if (ports.length > 1 && ports.length !== names.length) {
    throw new DatabaseUrlFault('port must be one for all hosts, or one for each');
  }
  return names.map((name, i) => name && `${name}:${ports[i] ?? ports[0]}`);
}

function inAuthority(host: string): string {
  return isIPv6(host) ? `[${host}]` : encodeURIComponent(host);
}

function hostOf(authority: string): Host {
  try {
    const { hostname, port } = new URL(`postgresql://${authority}`);
    if (hostname === '') throw new URIError('empty');
    const host = decodeURIComponent(hostname.replace(/^\[|\]$/g, ''));
    return { host, port: port === '' ? DEFAULT_PORT : Number(port) };
  } catch {
    throw new DatabaseUrlFault(`has a host or a port that is none ${ENCODED}`);
  }
}

/** Finds what the driver would throw for each connection, such as for the file of a certificate that is not there. */
function checkWithDriver(driverUrl: string): void {
  if (!URL.canParse(driverUrl)) throw new DatabaseUrlFault(FORM);
  try {
    new pg.Client({ connectionString: driverUrl });
  } catch (error) {
    if (error instanceof URIError) throw new DatabaseUrlFault(NO_ENCODING);
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) throw new DatabaseUrlFault(`names a file that cannot be read (${code})`);
    throw new DatabaseUrlFault('cannot be used: with uselibpqcompat, sslmode=verify-ca needs sslrootcert');
  }
}
