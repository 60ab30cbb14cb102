/** DATABASE_URL as libpq writes it, with several hosts and the parameters that have an effect here. (Interface 2) */
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
  /** SCRAM-SHA-256-PLUS: if the server offers it, or nothing else. There is TLS */
  channelBinding?: 'prefer' | 'require';
  /** True if it says that a pooler in transaction mode is in between */
  isPooled?: true;
  /** A line for each parameter that changes nothing here */
  ignored?: string[];
}

/** The message repeats no value. */
export class DatabaseUrlFault extends Error {
  override readonly name = 'DatabaseUrlFault';
}

const DEFAULT_PORT = 5432;
const FORM = `must be one line: a URL that starts with postgresql://, or the word embedded ${ENCODED}`;

interface Parameter {
  /** `ignored` changes nothing here. Without one that is `refused` the connection would be another, or less safe. */
  kind: 'done' | 'ignored' | 'refused';
  /** The end of a sentence: why it is ignored, or what to do instead of a value that is refused */
  why?: string;
  /** If it has no other value without being refused */
  values?: string[];
}

const done = (values?: string[], why?: string): Parameter => ({
  kind: 'done',
  ...(values && { values }),
  ...(why && { why }),
});
const ignored = (why: string): Parameter => ({ kind: 'ignored', why });
const refused = (why: string): Parameter => ({ kind: 'refused', why });

const NO_GSS = 'the gateway has no GSSAPI';
const OWN_POOL = 'the gateway has a pool of its own';
const OWN_PROBES = 'the gateway probes a silent connection after 10 s';
const OTHER_PROGRAMS = 'it speaks to other programs';

/** Parameters of libpq's URLs and of those of the large providers, and their effect here. */
export const DATABASE_PARAMETERS: Readonly<Record<string, Parameter>> = {
  application_name: done(),
  channel_binding: done(['disable', 'prefer', 'require']),
  host: done(),
  options: done(),
  password: done(),
  pgbouncer: done(['true', 'false']),
  port: done(),
  ssl: done(['true'], 'write sslmode=disable'),
  sslcert: done(),
  sslkey: done(),
  sslmode: done(['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']),
  sslnegotiation: done(['postgres', 'direct']),
  sslrootcert: done(),
  target_session_attrs: done(['read-write', 'primary'], 'the gateway writes'),
  uselibpqcompat: done(['true', 'false']),
  user: done(),

  client_encoding: { kind: 'ignored', why: 'it is UTF8', values: ['UTF8', 'utf8', 'UTF-8', 'utf-8', 'auto'] },
  connect_timeout: ignored('the gateway waits 3.5 s for a connection'),
  connection_limit: ignored(OWN_POOL),
  fallback_application_name: ignored('the name is auth-gateway, or that of application_name'),
  gssdelegation: ignored(NO_GSS),
  gssencmode: { kind: 'ignored', why: NO_GSS, values: ['disable', 'prefer'] },
  gsslib: ignored(NO_GSS),
  keepalives: ignored(OWN_PROBES),
  keepalives_count: ignored(OWN_PROBES),
  keepalives_idle: ignored(OWN_PROBES),
  keepalives_interval: ignored(OWN_PROBES),
  krbsrvname: ignored(NO_GSS),
  load_balance_hosts: ignored('the first host that takes writes is used'),
  pool_timeout: ignored(OWN_POOL),
  schema: {
    kind: 'ignored',
    why: 'it is the schema anyway; for another one write options=-csearch_path%3DNAME',
    values: ['public'],
  },
  ssl_max_protocol_version: ignored('the newest TLS that both sides know is used'),
  ssl_min_protocol_version: {
    kind: 'ignored',
    why: 'nothing older than TLS 1.2 is used; for 1.3 set NODE_OPTIONS=--tls-min-v1.3',
    values: ['TLSv1', 'TLSv1.1', 'TLSv1.2'],
  },
  sslcompression: ignored('nothing is compressed'),
  sslsni: ignored('a host name is always sent'),
  statement_cache_size: ignored('DATABASE_POOLER decides that'),
  supa: ignored(OTHER_PROGRAMS),
  tcp_user_timeout: ignored(OWN_PROBES),
  workaround: ignored(OTHER_PROGRAMS),

  dbname: refused('write the database after the / of the URL'),
  hostaddr: refused('write the address as the host'),
  passfile: refused('set DATABASE_URL_FILE to a file that holds the URL with its password'),
  require_auth: refused('write channel_binding=require, which lets no weaker method pass'),
  requirepeer: refused('let the folder of the socket be writable by the server alone'),
  service: refused('write the settings of the service into the URL'),
  sslaccept: refused('write sslmode=verify-full for strict, sslmode=no-verify for accept_invalid_certs'),
  sslcertmode: refused('a certificate is sent if sslcert is there, and not otherwise'),
  sslcrl: refused('revocation lists are not read: replace the CA in sslrootcert'),
  sslcrldir: refused('revocation lists are not read: replace the CA in sslrootcert'),
  sslpassword: refused('store the key of sslkey without a passphrase, readable by the gateway alone'),
};

/** Parameters that need TLS. */
const TLS = ['ssl', 'sslcert', 'sslkey', 'sslnegotiation', 'sslrootcert', 'uselibpqcompat'];

/** Parameters that the driver reads itself. */
const OF_DRIVER = ['application_name', 'options', 'password', 'sslcert', 'sslkey', 'sslmode', 'sslnegotiation'];
OF_DRIVER.push('sslrootcert', 'uselibpqcompat', 'user');

/** For `sslrootcert`: the CAs that Node trusts, and nothing weaker than verify-full, as for libpq. */
const SYSTEM_CAS = 'system';

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
  const unknown = [...parameters.keys()].find((name) => !Object.hasOwn(DATABASE_PARAMETERS, name));
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
  const mode = parameters.get('sslmode') ?? undefined;
  const hasSystemCas = parameters.get('sslrootcert') === SYSTEM_CAS;
  const isVerified =
    (VERIFIED.includes(mode ?? '') && parameters.get('uselibpqcompat') !== 'true') ||
    (mode === undefined && parameters.has('ssl')) ||
    (mode !== 'no-verify' && hasSystemCas);
  const rest = parts.filter((part) => {
    const name = part.slice(0, part.indexOf('='));
    return OF_DRIVER.includes(name) && !(name === 'sslrootcert' && hasSystemCas);
  });
  if (isVerified && mode === undefined) rest.push('sslmode=verify-full');
  const wanted = rest
    .map((part) => (isVerified && part.startsWith('sslmode=') ? 'sslmode=verify-full' : part))
    .join('&');
  const database = path.replaceAll('%40', '@'); // the driver leaves it encoded
  const driverUrl = `${scheme}${user}${authorities[0] ?? ''}${database}${wanted && `?${wanted}`}`;
  checkWithDriver(driverUrl);
  const lines = [...parameters.keys()]
    .filter((name) => DATABASE_PARAMETERS[name]?.kind === 'ignored')
    .map((name) => `the parameter ${name} is ignored: ${DATABASE_PARAMETERS[name]?.why}`);
  return {
    driverUrl,
    hosts: hosts.length > 1 ? hosts : [],
    ...channelBindingOf(parameters),
    ...(parameters.get('pgbouncer') === 'true' && { isPooled: true }),
    ...(lines.length > 0 && { ignored: lines }),
  };
}

function channelBindingOf(parameters: URLSearchParams): Pick<DatabaseUrl, 'channelBinding'> {
  const channelBinding = parameters.get('channel_binding');
  const hasTls = TLS.some((name) => parameters.has(name)) || (parameters.get('sslmode') ?? 'disable') !== 'disable';
  if (channelBinding === 'require' && !hasTls)
    throw new DatabaseUrlFault(
      'must have sslmode=verify-full together with channel_binding=require, which binds to TLS',
    );
  const isWanted = hasTls && (channelBinding === 'prefer' || channelBinding === 'require');
  return isWanted ? { channelBinding } : {};
}

/** An @ after the ? may be the one in front of the host; then the name is a part of the password. */
function unknownParameter(name: string, query: string): string {
  const names = Object.entries(DATABASE_PARAMETERS).filter(([, { kind }]) => kind === 'done');
  const known = `use only ${names.map(([each]) => each).join(', ')}`;
  if (query.includes('@')) return `has an unknown parameter; ${known} ${ENCODED}`;
  return `has the unknown parameter ${name}; ${known}`;
}

/** @param name a known one */
function checkParameter(name: string, [value = '', ...more]: string[]): void {
  const { kind, values, why } = DATABASE_PARAMETERS[name] ?? refused('remove it');
  if (more.length > 0) throw new DatabaseUrlFault(`has the parameter ${name} twice`);
  if (value === '') throw new DatabaseUrlFault(`has the parameter ${name} without a value`);
  if (kind === 'refused') throw new DatabaseUrlFault(`must not have the parameter ${name}: ${why}`);
  if (values?.includes(value) === false) {
    const reason = why === undefined ? '' : `; ${why}`;
    throw new DatabaseUrlFault(`must have one of these values for ${name}: ${values.join(', ')}${reason}`);
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
