/** The login limit as a running gateway publishes it, in draft-ietf-httpapi-ratelimit-headers (Interface 5). */

/** A GET of this path is answered 405 with the policy, and counts as no login. */
export const LOGIN_PATH = '/auth/login';

export interface LoginPolicy {
  /** Logins of one address in a window */
  rateLimit: number;
  rateWindowSeconds: number;
}

/** @returns undefined unless the field is that of a gateway's login */
export function parseLoginPolicy(field: string | string[] | undefined): LoginPolicy | undefined {
  const [, quota, seconds] = /^"login";q=(\d{1,7});w=(\d{1,8})$/.exec(String(field)) ?? [];
  if (quota === undefined || seconds === undefined) return undefined;
  return { rateLimit: Number(quota), rateWindowSeconds: Number(seconds) };
}
