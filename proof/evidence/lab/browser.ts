/** A browser, as far as the three routes know one: it keeps its cookie and sends it. */
export interface Answer {
  status: number;
  /** The refresh token of the cookie that was set; empty if it was cleared; undefined without a Set-Cookie */
  cookie: string | undefined;
  /** The cookie `device` that was set (Interface 16) */
  device: string | undefined;
  body: Record<string, unknown>;
  /** From the request to the end of the answer */
  ms: number;
}

/** An answer that takes longer counts as lost: milliseconds. */
const GIVE_UP_MS = 60_000;

/** @throws if there is no answer */
export async function ask(url: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const startedMs = performance.now();
  const response = await fetch(`${url}${path}`, { method: 'POST', signal: AbortSignal.timeout(GIVE_UP_MS), ...init });
  const text = await response.text();
  return {
    status: response.status,
    cookie: cookieIn(response, /^refresh_token=([^;]*)/),
    device: cookieIn(response, /^device=([^;]*)/),
    body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
    ms: performance.now() - startedMs,
  };
}

/** @param named has its value as the first group */
function cookieIn({ headers }: Response, named: RegExp): string | undefined {
  return headers
    .getSetCookie()
    .map((cookie) => named.exec(cookie)?.[1])
    .find((value) => value !== undefined);
}

/** @param more headers */
export function login(
  url: string,
  email: string,
  password: string,
  more: Record<string, string> = {},
): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...more };
  return ask(url, '/auth/login', { headers, body: JSON.stringify({ email, password }) });
}

export function refresh(url: string, token: string): Promise<Answer> {
  return ask(url, '/auth/refresh', { headers: { cookie: `refresh_token=${token}` } });
}

export function logout(url: string, token: string): Promise<Answer> {
  return ask(url, '/auth/logout', { headers: { cookie: `refresh_token=${token}` } });
}
