/** Requests to the routes below `/auth`, and the meaning of their answers. (Spec 4 and Interface 15) */
import { AuthError, type AuthErrorKind } from './auth-error.js';
import { atMost, attempt, type Environment } from './environment.js';

/** How long to wait for an answer. The gateway answers within 5 s. */
export const ANSWER_MS = 10_000;

/**
 * @param accept reads the body and headers of a 200, or the 202 of `password/forgot`; returns undefined or throws if the answer is
 *   not from the gateway
 * @throws {AuthError} for any other answer and for none
 */
export type Ask = <T>(
  route: 'login' | 'refresh' | 'logout' | 'password' | 'password/forgot',
  // biome-ignore lint/suspicious/noExplicitAny: the server may be any; `accept` checks what it reads
  accept: (body: any, header: (name: string) => string) => T | undefined,
  headers?: Record<string, string>,
  body?: string | null,
) => Promise<T>;

/** Reads the answer to a logout (Spec 2.4). */
export const messageOf = ({ message }: { message?: string }): string | undefined => message;

/** Reads the answer to a changed password (Interface 15). */
export const sessionsEndedOf = ({ sessions_ended: sessionsEnded }: { sessions_ended: number }) =>
  sessionsEnded >= 0 ? { sessionsEnded } : undefined;

/** Reads the answer to a forgotten password (Interface 15): that the request was taken, whatever comes of it. */
export const isTaken = ({ detail }: { detail?: string }): boolean => typeof detail === 'string';

export function createAsk(base: string, send: typeof fetch, environment: Environment): Ask {
  return async (route, accept, headers = {}, body = null) => {
    const late = new AbortController();
    let response: Response | undefined;
    let text = '';
    let silence: AuthErrorKind = 'late';
    const answered = async (): Promise<void> => {
      const got = await send(`${base}/auth/${route}`, {
        method: 'POST',
        credentials: 'include',
        redirect: 'error', // the gateway sends none
        keepalive: true, // continues after the page is closed
        signal: late.signal,
        headers,
        body,
      });
      text = await got.text();
      response = got; // a truncated answer counts as none
    };
    await atMost(
      ANSWER_MS,
      answered().catch(() => {
        silence = 'offline';
      }),
      environment,
    );
    late.abort();
    if (!response) throw new AuthError(silence);

    const { status, headers: fields } = response;
    const header = (name: string): string => fields.get(name) ?? '';
    const json = attempt(() => JSON.parse(text)) ?? {};
    const accepted =
      status === (route === 'password/forgot' ? 202 : 200) ? attempt(() => accept(json, header)) : undefined;
    if (accepted) return accepted;
    const retryAfterSeconds = Number(header('retry-after')) || undefined;
    // Answers of proxies and portals have another scheme, or no JSON with `detail`; those of other servers are mostly 404.
    // A 401 to `password` asks for a token, as that of another service would; it ends nothing.
    const isOurs =
      typeof json.detail === 'string' &&
      status !== 404 &&
      (route === 'password' || /^(cookie|$)/i.test(header('www-authenticate')));
    if (!isOurs) throw new AuthError('unexpected', status, undefined, retryAfterSeconds);
    throw new AuthError('refused', status, json.detail, retryAfterSeconds, json.reason, json.errors);
  };
}
