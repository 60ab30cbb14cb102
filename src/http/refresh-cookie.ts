/** The cookie `refresh_token`, set and cleared from the same attributes. (Spec 5.2, RFC 6265) */
import { isIP } from 'node:net';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';
import type { Config } from '../config/config.js';

const NAME = 'refresh_token';

export interface RefreshCookie {
  /** The distinct values sent: a browser may hold one cookie for the host and one for each domain above it. */
  read(req: Request): string[];
  set(res: Response, refreshToken: string): void;
  clear(res: Response): void;
  /** Clears the cookie of the host and of each domain above it. */
  clearEverywhere(res: Response): void;
}

export function createRefreshCookie({ cookie, publicUrl, refreshTokenSeconds }: Config): RefreshCookie {
  const attributes = (domain: string | undefined) => ({
    name: NAME,
    path: '/auth',
    httpOnly: true,
    secure: cookie.secure,
    sameSite: cookie.sameSite,
    ...(domain === undefined ? {} : { domain }),
  });
  const clearOf = (domain: string | undefined): string =>
    stringifySetCookie({ ...attributes(domain), value: '', maxAge: 0, expires: new Date(0) });
  const cleared = clearOf(cookie.domain);
  const clearedEverywhere = [undefined, ...domainsOf(new URL(publicUrl).hostname)].map(clearOf);
  return {
    read: (req) => cookieValues(req, NAME),
    set: (res, refreshToken) => {
      const value = { value: refreshToken, maxAge: refreshTokenSeconds };
      res.appendHeader('Set-Cookie', stringifySetCookie({ ...attributes(cookie.domain), ...value }));
    },
    clear: (res) => {
      res.appendHeader('Set-Cookie', cleared);
    },
    clearEverywhere: (res) => {
      res.appendHeader('Set-Cookie', clearedEverywhere);
    },
  };
}

/** The distinct values of a cookie, in the order sent. */
export function cookieValues({ headers }: Request, name: string): string[] {
  const values = new Set((headers.cookie ?? '').split(';').map((pair) => parseCookie(pair)[name]));
  return [...values].filter((value) => value !== undefined);
}

/** The domains that a cookie for this host can have. Browsers ignore a public suffix, such as `co.uk`. */
function domainsOf(host: string): string[] {
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) return [];
  const labels = host.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}
