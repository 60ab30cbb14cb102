/** Interface 2: what the values of variables must look like, and what is said where they do not. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { DatabaseUrlFault, parseDatabaseUrl } from './database-url.js';

export const OWASP = ' (the OWASP minimum is m=19456, t=2, p=1)';

export function wholeNumber(least: number, most: number, why = ''): z.ZodType<number, string> {
  const message = `must be a whole number from ${least} to ${most}${why}`;
  return z
    .string()
    .regex(/^\d{1,10}$/, message)
    .transform(Number)
    .refine((number) => number >= least && number <= most, message);
}

export const trueOrFalse = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

export function oneOf<const T extends string>(...names: T[]): z.ZodType<T, string> {
  return z
    .string()
    .transform((text) => names.find((name) => name === text.toLowerCase()))
    .refine((name) => name !== undefined, `must be one of ${names.join(', ')}`);
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** A URL takes much else for a host, such as `*.example.com`, which no browser is ever at. */
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
  );

/** What other programs take for "every page" is refused in words of its own: who is in the list may call with the cookie. */
export const corsOrigin = z
  .string()
  .refine((text) => !text.includes('*'), 'has a *: name each origin, such as https://app.example.com')
  .refine(
    (text) => text.toLowerCase() !== 'null',
    'has null, the origin of every sandboxed frame and every file: name origins such as https://app.example.com',
  )
  .pipe(httpOrigin);

export const databaseUrl = z.string().superRefine((text, context) => {
  try {
    if (text !== 'embedded') parseDatabaseUrl(text);
  } catch (error) {
    if (!(error instanceof DatabaseUrlFault)) throw error;
    context.addIssue(error.message);
  }
});

const DOMAIN = /^\.?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
export const domainName = z.string().regex(DOMAIN, 'must be a domain name');

/** RFC 6265 section 5.1.3; and a domain above the host has to have a dot, since no browser takes `com`. */
export function coversHost(domain: string, host: string): boolean {
  const name = domain.replace(/^\./, '').toLowerCase();
  return host === name || (isIP(host) === 0 && name.includes('.') && host.endsWith(`.${name}`));
}

export const hostOrAddress = z
  .string()
  .refine((text) => isIP(text) !== 0 || DOMAIN.test(text), 'must be an IP address or a host name');

/** CIDRs by the names that Express and others have for them. */
const NAMED_NETWORKS = new Map([
  ['loopback', '127.0.0.1/32,::1/128'],
  ['linklocal', '169.254.0.0/16,fe80::/10'],
  ['uniquelocal', '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7'],
]);
const WHICH_PROXIES =
  'from which addresses do your proxies connect? Write those, such as TRUST_PROXY=10.0.0.7/32,192.168.0.0/16, ' +
  'because whoever is trusted here decides what address a client has';

/** What to write instead of what other programs understand. */
function proxyAdvice(text: string): string {
  const word = text.toLowerCase();
  const networks = NAMED_NETWORKS.get(word);
  if (networks !== undefined) return `write TRUST_PROXY=${networks}`;
  if (/^(true|yes|on|all|any|\*|[1-9]\d*)$/.test(word)) return WHICH_PROXIES;
  if (/^(false|no|off|none|0)$/.test(word)) return 'leave it unset where no proxy is to be trusted';
  return 'must be a list of CIDRs such as 10.0.0.0/8,::1/128';
}

/** Of the proxies to be trusted. */
export const proxyCidr = z.string().refine(isCidr, { error: ({ input }) => proxyAdvice(String(input)) });

/** An address or a network in its usual form; the old short and octal forms of IPv4 (`10`, `0177.0.0.1`) are none. */
function isCidr(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && Number(prefix) <= bits;
}

export function listOf<T>(item: z.ZodType<T, string>): z.ZodType<T[], string> {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item));
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback';
}
