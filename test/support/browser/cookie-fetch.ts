/** A `fetch` with the cookies of a browser (RFC 6265), for one gateway: Node's own keeps none. */

/** Of the one name and path that the gateway sets: `refresh_token`, sent to `/auth/…` alone. */
export interface CookieJar {
  refreshToken: string | undefined;
}

export interface CookieFetch {
  fetch: typeof fetch;
  /** Tabs of one browser share it. */
  jar: CookieJar;
}

/**
 * Sends the jar's cookie, takes what an answer sets or clears, and follows `credentials: 'omit'`.
 * @param send carries the request, the network unless given: one that loses, delays or doubles
 */
export function cookieFetch(
  jar: CookieJar = { refreshToken: undefined },
  send: typeof fetch = (input, init) => fetch(input, init),
): CookieFetch {
  return {
    jar,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const isSent = request.credentials !== 'omit' && new URL(request.url).pathname.startsWith('/auth/');
      if (isSent && jar.refreshToken !== undefined) request.headers.set('cookie', `refresh_token=${jar.refreshToken}`);
      const response = await send(request);
      if (isSent) for (const field of response.headers.getSetCookie()) take(jar, field);
      return response;
    },
  };
}

/** An empty value is one that is cleared. */
export function take(jar: CookieJar, setCookie: string): void {
  const value = /^refresh_token=([^;]*)/.exec(setCookie)?.[1];
  if (value !== undefined) jar.refreshToken = value === '' ? undefined : value;
}
