/** Spec 5.2: the cookie `refresh_token`, set and cleared from the same attributes (RFC 6265). */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';
import type { Config } from '../config.js';

const NAME = 'refresh_token';

export interface RefreshCookie {
  /** The value presented, or undefined where the cookie is absent. Of several the first (Interface 5). */
  read(req: Request): string | undefined;
  set(res: Response, refreshToken: string): void;
  clear(res: Response): void;
}

export function createRefreshCookie({ cookie, refreshTokenSeconds }: Config): RefreshCookie {
  const attributes = {
    name: NAME,
    path: '/auth',
    httpOnly: true,
    secure: cookie.secure,
    sameSite: cookie.sameSite,
    ...(cookie.domain === undefined ? {} : { domain: cookie.domain }),
  };
  return {
    read: (req) => parseCookie(req.headers.cookie ?? '')[NAME],
    set: (res, refreshToken) => {
      res.append('Set-Cookie', stringifySetCookie({ ...attributes, value: refreshToken, maxAge: refreshTokenSeconds }));
    },
    clear: (res) => {
      res.append('Set-Cookie', stringifySetCookie({ ...attributes, value: '', maxAge: 0, expires: new Date(0) }));
    },
  };
}
