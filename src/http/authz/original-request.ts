/**
 * The request that a proxy asks about. Each family of proxies describes it in its own way, without a fallback.
 * (Interface 18)
 */
import type { Request } from 'express';
import { onlyFieldValue } from '../../credentials/signatures/http-fields.js';
import { type Explained, refused } from '../../platform/refused.js';

export interface OriginalRequest {
  method: string;
  /** Scheme and authority, such as `https://app.example.com` */
  origin: string;
  /** Path and query as sent */
  target: string;
}

export type UnreadableOriginal = Explained<'original_request_invalid'>;

/** Segments of their paths */
export const FAMILIES = ['auth-request', 'forward-auth', 'ext-authz'] as const;

export type FamilyName = (typeof FAMILIES)[number];

/** The route in logs and metrics: without the rule and the original request */
export function routeOfFamily(name: FamilyName): string {
  return `/authz/${name}`;
}

export interface ProxyFamily {
  name: FamilyName;
  /** True if the target of the original request follows the rule in the path */
  hasTargetBehindRule: boolean;
  /** @param rest what follows the rule in the target of the question */
  read(question: Request, rest: string): OriginalRequest | UnreadableOriginal;
  /** Statuses of refusals that the proxies pass on. Others are sent as 403, with the status in `X-Auth-Status` */
  passesOn(status: number): boolean;
  /** False: it knows no 302, so the location is in `X-Auth-Redirect` of a 401 (Interface 22) */
  passesOnRedirects: boolean;
}

/** RFC 9110 section 9.1 */
const METHOD = /^[\w!#$%&'*+.^`|~-]+$/;
/** Printable ASCII that begins with a slash, without `#` and `\`: proxies and services read those in different ways. */
export const TARGET = /^\/[!"$-[\]-~]*$/;

/** @param fields names of the fields that describe the method and the target, for the refusal */
export function checked(
  { method, origin, target }: OriginalRequest,
  fields: string,
): OriginalRequest | UnreadableOriginal {
  if (METHOD.test(method) && TARGET.test(target)) return { method, origin, target };
  return unreadable(`${fields} must have a method, and a path and query of printable ASCII without # and backslash`);
}

export function unreadable(detail: string): UnreadableOriginal {
  return refused('original_request_invalid', detail);
}

/** The origin of a websocket is that of http, whose schemes proxies may write as `ws` and `wss` (RFC 6455 section 3). */
export function originOf(scheme: string, host: string): string {
  return `${scheme.replace(/^ws(?=s?$)/, 'http')}://${host}`;
}

/**
 * The values of these fields, each of which must be sent exactly once.
 * @param names in lower case
 */
export function fieldsOnce<const Names extends readonly string[]>(
  { rawHeaders }: Pick<Request, 'rawHeaders'>,
  names: Names,
): { [I in keyof Names]: string } | undefined {
  const values = names.map((name) => onlyFieldValue(rawHeaders, name));
  return values.every((value) => value !== undefined) ? (values as { [I in keyof Names]: string }) : undefined;
}
