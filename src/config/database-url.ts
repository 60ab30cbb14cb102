/** Interface 2: DATABASE_URL as libpq writes it, with several hosts and the parameters that have an effect here. */
import { isIPv6 } from 'node:net';
import pg from 'pg';
import { AT_BEHIND_SLASH, ENCODED, NO_ENCODING } from './url-encoding.js';

export interface Host {
  /** A name, an address, or the folder of a socket, which starts with a slash */
  host: string;
  port: number;
}

export interface DatabaseUrl {
  /** For the driver: with the first host only, without `target_session_attrs`, and with the effective `sslmode` */
  driverUrl: string;
  /** In order if there are several, otherwise empty */
  hosts: Host[];
}

/** The message repeats no value. */
export class DatabaseUrlFault extends Error {
  override readonly name = 'DatabaseUrlFault';
}

const DEFAULT_PORT = 5432;
const FORM = `must be one line: a URL that starts with postgresql://, or the word embedded ${ENCODED}`;

/** Parameters that have an effect here, with their values; `undefined`: any value. */
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

/** Parameters that need TLS. */
const TLS = ['sslcert', 'sslkey', 'sslnegotiation', 'sslrootcert', 'uselibpqcompat'];

/** Parameters that are not passed on to the driver. */
const PLACED = /^(host|port|target_session_attrs)=/;

/** This version of the driver treats these as verify-full, and would warn at each start that a later one will not. */
const VERIFIED = ['prefer', 'require', 'verify-ca'];

/** @throws {DatabaseUrlFault} */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [, scheme, user = '', list = '', path = '', query = ''] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?$/i.exec(text) ?? [];
  if (scheme === undefined || /\p{Cc}/u.test(text)) throw new DatabaseUrlFault(FORM);
  if (path.includes('@')) throw new DatabaseUrlFault(AT_BEHIND_SLASH);
  const parts = query.split('&').filter((part) => part !== '');
  // After a ? in a password that is not encoded comes the rest of the password, so the name is not repeated.
  if (!parts.every((part) => /^[a-z_]+(=|$)/i.test(part)))
    throw new DatabaseUrlFault(`has something other than parameters after its ? ${ENCODED}`);
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) throw new DatabaseUrlFault(unknownParameter(unknown, query));
  for (const name of new Set(parameters.keys())) checkParameter(name, parameters.getAll(name));
  if (parameters.get('sslmode') === 'disable' && TLS.some((name) => parameters.has(name))) {
    throw new DatabaseUrlFault(`must not have sslmode=disable together with ${TLS.join(', ')}`);
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

/** An @ after the ? may be the one in front of the host; then the name is a part of the password. */
function unknownParameter(name: string, query: string): string {
  const known = `use only ${[...PARAMETERS.keys()].join(', ')}`;
  if (query.includes('@')) return `has an unknown parameter; ${known} ${ENCODED}`;
  return `has the unknown parameter ${name}; ${known}`;
}

/** @param name a known one */
function checkParameter(name: string, [value = '', ...more]: string[]): void {
  const values = PARAMETERS.get(name);
  if (more.length > 0) throw new DatabaseUrlFault(`has the parameter ${name} twice`);
  if (value === '') throw new DatabaseUrlFault(`has the parameter ${name} without a value`);
  if (values?.includes(value) === false) {
    const why = name === 'target_session_attrs' ? ', because the gateway writes' : '';
    throw new DatabaseUrlFault(`must have one of these values for ${name}: ${values.join(', ')}${why}`);
  }
}

/** HOST:PORT of each host, from the authority of the URL or from its parameters; empty if none is named. */
function authoritiesOf(list: string, parameters: URLSearchParams): string[] {
  const names = parameters.get('host')?.split(',').map(inAuthority) ?? list.split(',');
  const ports = parameters.get('port')?.split(',');
  const isNamed = names.length > 1 || names[0] !== '';
  if (ports === undefined) return isNamed ? names : [];
  if (!isNamed) names[0] = 'localhost';
  if (ports.length > 1 && ports.length !== names.length) {
    throw new DatabaseUrlFault('must have one port for all hosts, or one for each');
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
    throw new DatabaseUrlFault(`has an invalid host or port ${ENCODED}`);
  }
}

/** Finds what the driver would throw for each connection, for example if the file of a certificate is missing. */
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
