/** The cookie `device`, which only a login reads and writes. (Interface 16) */
import { stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';
import type { Config } from '../config/config.js';
import { DEVICE_SECONDS, type DeviceEntry, readEntries } from '../credentials/device-entries.js';
import { cookieValues } from './refresh-cookie.js';

const NAME = 'device';

export interface DeviceCookie {
  read(req: Request): DeviceEntry[];
  set(res: Response, value: string): void;
}

export function createDeviceCookie({ cookie: { domain, sameSite, secure } }: Config): DeviceCookie {
  const attributes = { path: '/auth/login', httpOnly: true, secure, sameSite, maxAge: DEVICE_SECONDS };
  return {
    read: (req) => readEntries(cookieValues(req, NAME)),
    set: (res, value) => {
      res.appendHeader(
        'Set-Cookie',
        stringifySetCookie({ name: NAME, value, ...attributes, ...(domain && { domain }) }),
      );
    },
  };
}
