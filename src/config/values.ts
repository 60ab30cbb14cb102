/** Checks of values. The description of a check is printed in docs/configuration.md. (Interface 2) */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { emailSchema } from '../domain/email.js';
import { DatabaseUrlFault, parseDatabaseUrl } from './database-url.js';
import { NO_ENCODING } from './url-encoding.js';

/** Client connections that one instance accepts at once. The listener enforces it; `doctor` compares open files with it. */
export const MAX_CONNECTIONS = 2_048;

/** The OWASP minimum. */
export const LEAST_ARGON2 = { memoryKib: 19_456, passes: 2, lanes: 1 };
export const OWASP = ` (the OWASP minimum is m=${LEAST_ARGON2.memoryKib}, t=${LEAST_ARGON2.passes}, p=${LEAST_ARGON2.lanes})`;

export function wholeNumber(least: number, most: number, why = ''): z.ZodType<number, string> {
  const what = `a whole number from ${least} to ${most}`;
  const message = `must be ${what}${why}`;
  return z
    .string()
    .regex(/^\d{1,10}$/, message)
    .transform(Number)
    .refine((number) => number >= least && number <= most, message)
    .describe(what);
}

export const trueOrFalse = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text) => text === 'true')
  .describe('true or false');

export function oneOf<const T extends string>(...names: T[]): z.ZodType<T, string> {
  const what = `one of ${names.join(', ')}`;
  return z
    .string()
    .transform((text) => names.find((name) => name === text.toLowerCase()))
    .refine((name) => name !== undefined, `must be ${what}`)
    .describe(what);
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** `URL` also accepts hosts that no browser can visit, such as `*.example.com`. */
const HOST_OF_URL = /^(\[[\da-f:]+\]|[\w-]+(\.[\w-]+)*\.?)$/;

export const httpOrigin = z
  .string()
  .transform(parseUrl)
  .refine(
    (url): url is URL =>
      url !== undefined &&
      /^https?:$/.test(url.protocol) &&
      HOST_OF_URL.test(url.hostname) &&
      `${url.username}${url.password}${url.search}${url.hash}` === '' &&
      url.pathname === '/',
    'must be an origin such as https://auth.example.com, without wildcard, path, query or credentials',
  )
  .describe('an origin such as https://auth.example.com');

/** What follows `#` is added by the gateway. */
export const pageUrl = z
  .string()
  .refine((text) => {
    const url = parseUrl(text);
    return url !== undefined && /^https?:$/.test(url.protocol) && HOST_OF_URL.test(url.hostname) && !/[#@]/.test(text);
  }, 'must be the URL of a page, such as https://app.example.com/set-password, without # and credentials')
  .describe('the URL of a page');

/** Where people go; a fragment may be the route of a page. */
export const appUrl = z
  .string()
  .refine((text) => {
    const url = parseUrl(text);
    return (
      url !== undefined &&
      /^https?:$/.test(url.protocol) &&
      HOST_OF_URL.test(url.hostname) &&
      `${url.username}${url.password}` === '' &&
      !/[\s\p{Cc}]/u.test(text)
    );
  }, 'must be the URL of a page, such as https://app.example.com, without credentials')
  .describe('the URL of a page');

/** Every origin in the list may call with the cookie, so each must be named: what means "all" elsewhere is refused. */
export const corsOrigin = z
  .string()
  .refine((text) => !text.includes('*'), 'has a *: name each origin, such as https://app.example.com')
  .refine(
    (text) => text.toLowerCase() !== 'null',
    'has null, the origin of every sandboxed frame and every file: name each origin, such as https://app.example.com',
  )
  .pipe(httpOrigin)
  .describe('an origin such as https://app.example.com');

export const productName = z
  .string()
  .trim()
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,60}$/u, 'must have at most 60 characters, each of them printable')
  .describe('at most 60 printable characters');

export const databaseUrl = z
  .string()
  .superRefine((text, context) => {
    try {
      if (text !== 'embedded') parseDatabaseUrl(text);
    } catch (error) {
      if (!(error instanceof DatabaseUrlFault)) throw error;
      context.addIssue(error.message);
    }
  })
  .describe('a URL that starts with postgresql://, or embedded');

const DOMAIN = /^\.?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
export const domainName = z.string().regex(DOMAIN, 'must be a domain name').describe('a domain name');

/** RFC 6265 section 5.1.3. A domain above the host must contain a dot, because browsers refuse `com`. */
export function coversHost(domain: string, host: string): boolean {
  const name = domain.replace(/^\./, '').toLowerCase();
  return host === name || (isIP(host) === 0 && name.includes('.') && host.endsWith(`.${name}`));
}

/** Passkeys are for a domain, never for an address (WebAuthn Level 3 section 5.1.3). */
export const relyingPartyId = z
  .string()
  .toLowerCase()
  .refine(
    (text) => DOMAIN.test(text) && !text.startsWith('.') && isIP(text) === 0,
    'must be a domain name, not an IP address',
  )
  .describe('a domain name');

export const hostOrAddress = z
  .string()
  .refine((text) => isIP(text) !== 0 || DOMAIN.test(text), 'must be an IP address or a host name')
  .describe('an IP address or a host name');

/** CIDRs by the names that Express and others give them. */
const NAMED_NETWORKS = new Map([
  ['loopback', '127.0.0.1/32,::1/128'],
  ['linklocal', '169.254.0.0/16,fe80::/10'],
  ['uniquelocal', '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7'],
]);

/** What to write instead of a word that other programs understand. */
function proxyAdvice(variable: string, which: string, off: string, example: string) {
  return ({ input }: { input?: unknown }): string => {
    const word = String(input).toLowerCase();
    const networks = NAMED_NETWORKS.get(word);
    if (networks !== undefined) return `must list networks: write ${variable}=${networks}`;
    if (/^(true|yes|on|all|any|\*|[1-9]\d*)$/.test(word)) return which;
    if (/^(false|no|off|none|0)$/.test(word)) return off;
    return `must be a list of CIDRs such as ${example}`;
  };
}

export const proxyCidr = z
  .string()
  .refine(isCidr, {
    error: proxyAdvice(
      'TRUST_PROXY',
      'must list the addresses from which your proxies connect, such as TRUST_PROXY=10.0.0.7/32,192.168.0.0/16, ' +
        'because a trusted proxy decides which address a client has',
      'must be unset if no proxy is to be trusted',
      '10.0.0.0/8,::1/128',
    ),
  })
  .describe('a CIDR such as 10.0.0.0/8');

const WHO_MAY_ASK =
  'list the addresses from which the proxies of your services connect, such as ' +
  'FORWARD_AUTH_PROXIES=10.0.0.7/32,fd00::7, because who is listed may ask about any request';

/** A listed peer can ask about anything, so the network must not be everybody. */
export const serviceProxyCidr = z
  .string()
  .refine((text) => isCidr(text) && !text.includes('%'), {
    abort: true,
    error: proxyAdvice(
      'FORWARD_AUTH_PROXIES',
      `must not be everybody: ${WHO_MAY_ASK}`,
      'must be unset, and FORWARD_AUTH_ORIGINS too, if no proxy asks',
      '10.0.0.7/32,fd00::/64',
    ),
  })
  .refine((text) => !isEverybody(text), `must not be everybody: ${WHO_MAY_ASK}`)
  .describe('a CIDR such as 10.0.0.7/32');

/** All of IPv6, or of IPv4 in any form */
function isEverybody(cidr: string): boolean {
  const [address = '', prefix = '128'] = cidr.split('/');
  const parsed = ipaddr.parse(address);
  return (
    Number(prefix) === 0 || (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && Number(prefix) <= 96)
  );
}

export const serviceOrigin = z
  .string()
  .refine((text) => !text.includes('*'), 'has a *: name each origin, such as https://app.example.com')
  .pipe(httpOrigin)
  .describe('an origin such as https://app.example.com');

/** `host` or `host:port`, as in a URL; without a port it is that of https. */
export const authority = z
  .string()
  .transform((text) => (/^[^\s/?#@\\]+$/.test(text) ? parseUrl(`https://${text}`) : undefined))
  .refine(
    (url): url is URL => url !== undefined && HOST_OF_URL.test(url.hostname),
    'must be a host such as hooks.example.com or hooks.example.com:8443, without scheme, wildcard, path or credentials',
  )
  .transform(({ hostname, port }) => `${hostname}:${port || '443'}`)
  .describe('a host such as hooks.example.com or hooks.example.com:8443');

/** Login shells export MAIL with the path of a mailbox, which says nothing about this. */
export const mailKind = z
  .string()
  .transform((text) => (text.startsWith('/') ? 'off' : text))
  .pipe(oneOf('off', 'smtp', 'log'))
  .describe('one of off, smtp, log');

/** RFC 5322: `name@example.com`, or `Auth <name@example.com>`. No line break, or it would add header fields. */
const MAILBOX = /^(?:[^<>@",;\p{Cc}]{1,100}<([^<>\s]+)>|([^<>\s]+))$/u;

export const mailbox = z
  .string()
  .refine((text) => {
    const [, named, bare] = MAILBOX.exec(text) ?? [];
    return emailSchema.safeParse(named ?? bare).success;
  }, 'must be an e-mail address, such as auth@example.com or Auth <auth@example.com>')
  .describe('an e-mail address, with or without a name');

/** Never repeats the value, which has a password. */
export const smtpUrl = z
  .string()
  .refine(isDecodable, NO_ENCODING)
  .refine((text) => {
    const url = parseUrl(text);
    return (
      url !== undefined &&
      /^smtps?:$/.test(url.protocol) &&
      HOST_OF_URL.test(url.hostname) &&
      /^\/?$/.test(url.pathname) &&
      `${url.search}${url.hash}` === ''
    );
  }, 'must be a URL such as smtps://USER:PASSWORD@HOST, or smtp:// for STARTTLS, without path')
  .refine((text) => {
    const url = parseUrl(text);
    return url === undefined || (url.username === '') === (url.password === '');
  }, 'must have a user and a password, or neither')
  .describe('a URL that starts with smtps:// or smtp://');

const RATIO = 'must be a number from 0 to 1, such as 0.01';

/** Where OTLP is sent. */
export const collectorUrl = z
  .string()
  .transform(parseUrl)
  .refine(
    (url): url is URL =>
      url !== undefined &&
      /^https?:$/.test(url.protocol) &&
      HOST_OF_URL.test(url.hostname) &&
      `${url.username}${url.password}${url.search}${url.hash}` === '',
    'must be a URL such as http://collector:4318, without credentials and query; headers can hold a key',
  )
  .describe('a URL such as http://collector:4318');

/** W3C Baggage, as OpenTelemetry's variables have it. Values may be secret, so none is repeated. */
export const nameValues = z
  .string()
  .transform((text) => {
    const pairs = text.split(',').filter((pair) => pair.trim() !== '');
    const split = pairs.map((pair) => /^\s*([^\s=]+)\s*=\s*(.*?)\s*$/s.exec(pair)?.slice(1) ?? []);
    if (split.some(([name]) => name === undefined) || !isDecodable(text)) return undefined;
    return Object.fromEntries(split.map((pair) => pair.map(decodeURIComponent))) as Record<string, string>;
  })
  .refine((pairs) => pairs !== undefined, {
    abort: true,
    error: 'must be a list such as name=value,other=value, with special characters as %20',
  })
  .describe('a list such as name=value,other=value');

export const headerFields = nameValues
  .refine(
    (fields) =>
      Object.entries(fields).every(([name, value]) => FIELD_NAME.test(name) && /^[\t -~\u0080-\u00ff]*$/.test(value)),
    'must have names and values that fields of HTTP may have',
  )
  .describe('a list such as name=value,other=value');

/** RFC 9110 section 5.1 */
const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

export const ratio = z
  .string()
  .regex(/^\d*\.?\d+$/, RATIO)
  .transform(Number)
  .refine((number) => number <= 1, RATIO)
  .describe('a number from 0 to 1');

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Accepts an address or a network in its usual form, not the old short and octal forms of IPv4 (`10`, `0177.0.0.1`). */
function isCidr(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && Number(prefix) <= bits;
}

export function listOf<T>(item: z.ZodType<T, string>): z.ZodType<T[], string> {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item))
    .describe(`a list, separated by commas; each item ${item.description}`);
}

export const jsonFile = z.string().min(1, 'has an empty path').describe('the path of a JSON file');

/** Some of the names, or the word `none`. */
export function listOrNone<const T extends string>(names: readonly T[]): z.ZodType<T[], string> {
  const some = listOf(oneOf(...names));
  const what = `none, or a list, separated by commas, of ${names.join(', ')}`;
  return z
    .string()
    .transform((text) => (text.trim().toLowerCase() === 'none' ? [] : some.safeParse(text).data))
    .refine((list) => list !== undefined, `must be ${what}`)
    .describe(what);
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback';
}
