/** Spec 4: the three routes, asked by `fetch`, and what their answers mean. */
import { AuthError } from './auth-error.js';
import { atMost, attempt, type Environment } from './environment.js';

/** How long an answer is waited for. The gateway itself answers within 5 s. */
export const ANSWER_MS = 10_000;

/**
 * @param accept what is wanted of the body and the fields of a 200, undefined, or thrown, where that is none of the gateway
 * @throws {AuthError} for every other answer, and for none; a 401 in it is one of the gateway
 */
export type Ask = <T>(
  route: 'login' | 'refresh' | 'logout',
  // biome-ignore lint/suspicious/noExplicitAny: whatever answers; what is taken of it is looked at
  accept: (body: any, header: (name: string) => string) => T | undefined,
  headers?: Record<string, string>,
  body?: string | null,
) => Promise<T>;

/** Of the answer to a logout (Spec 2.4) */
export const messageOf = ({ message }: { message?: string }): string | undefined => message;

export function createAsk(base: string, send: typeof fetch, environment: Environment): Ask {
  return async (route, accept, headers = {}, body = null) => {
    const late = new AbortController();
    let response: Response | undefined;
    let text = '';
    const answered = async (): Promise<void> => {
      const got = await send(`${base}/auth/${route}`, {
        method: 'POST',
        credentials: 'include',
        redirect: 'error', // the gateway has none
        keepalive: true, // goes on when the page is closed
        signal: late.signal,
        headers,
        body,
      });
      text = await got.text();
      response = got; // one that breaks off is none
    };
    await atMost(
      ANSWER_MS,
      answered().catch(() => undefined),
      environment,
    );
    late.abort();

    const status = response?.status ?? 0;
    const header = (name: string): string => response?.headers.get(name) ?? '';
    const json = attempt(() => JSON.parse(text)) ?? {};
    const accepted = status === 200 ? attempt(() => accept(json, header)) : undefined;
    if (accepted) return accepted;
    // A proxy or a portal has another scheme, or no JSON with a `detail`.
    const isOurs = typeof json.detail === 'string' && /^(cookie|$)/i.test(header('www-authenticate'));
    throw new AuthError(
      isOurs || status > 401 ? status : 0,
      isOurs ? json.detail : undefined,
      Number(header('retry-after')) || undefined,
    );
  };
}
