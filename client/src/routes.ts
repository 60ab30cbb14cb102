/** Requests to the routes below `/auth` and to `/graphql`, and the meaning of their answers. (Spec 4, Interface 15, 20 and 21) */
import { AuthError, type AuthErrorKind } from './auth-error.js';
import { atMost, attempt, type Environment } from './environment.js';

/** How long to wait for an answer. The gateway answers within 5 s. */
export const ANSWER_MS = 10_000;
/** A download has no size that is known before. */
export const DOWNLOAD_MS = 300_000;

export type Route =
  | 'login'
  | `login/${'factor' | 'passkey' | 'passkey/options'}`
  | 'refresh'
  | 'logout'
  | 'password'
  | 'password/forgot'
  | 'confirm'
  | 'confirm/options'
  | `factors/${string}`
  | 'email'
  | `email/${'redeem' | 'undo'}`
  | 'account'
  | 'account/export'
  | 'gate'
  | '../graphql';

/** @returns undefined, or throws, if the answer is not from the gateway */
export type Accept<T> = (
  // biome-ignore lint/suspicious/noExplicitAny: the server may be any; `accept` checks what it reads
  body: any,
  header: (name: string) => string,
  text: string,
) => T | undefined;

/**
 * @param accept reads body and headers of the answer that the route gives if all is well, and of a failure with a `challenge`
 * @param headers of a request without a body
 * @throws {AuthError} for any other answer and for none
 */
export type Ask = <T>(
  route: Route,
  accept: Accept<T>,
  body?: object | null,
  headers?: Record<string, string>,
  method?: 'POST' | 'DELETE' | 'GET',
) => Promise<T>;

/** Reads the answer to a logout (Spec 2.4). */
export const messageOf = ({ message }: { message?: string }): string | undefined => message;

/** Reads the answer to a changed password (Interface 15). */
export const sessionsEndedOf = ({ sessions_ended: sessionsEnded }: { sessions_ended: number }) =>
  sessionsEnded >= 0 ? { sessionsEnded } : undefined;

/** Reads a 204 (Interface 20 and 21), which has no type. */
export const isEmpty: Accept<true> = (_, header) => header('content-type') === '' || undefined;

/** Reads a 202 (Interface 15 and 21): that the request was taken, whatever comes of it. */
export const isTaken = ({ detail }: { detail?: string }): boolean => typeof detail === 'string';

export function createAsk(base: string, send: typeof fetch, environment: Environment): Ask {
  return async (route, accept, body = null, headers = {}, method = 'POST') => {
    const late = new AbortController();
    let response: Response | undefined;
    let text = '';
    let silence: AuthErrorKind = 'late';
    const answered = async (): Promise<void> => {
      const got = await send(`${base}/auth/${route}`, {
        method,
        credentials: 'include',
        redirect: 'error', // the gateway sends none
        keepalive: true, // continues after the page is closed
        signal: late.signal,
        headers: body ? { 'content-type': 'application/json' } : headers,
        body: body && JSON.stringify(body),
      });
      text = await got.text();
      response = got; // a truncated answer counts as none
    };
    await atMost(
      method === 'GET' ? DOWNLOAD_MS : ANSWER_MS,
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
    const isWell = response.ok ? (status === 202) === /^email$|forgot/.test(route) : json.challenge;
    const accepted = isWell ? attempt(() => accept(json, header, text)) : undefined;
    if (accepted) return accepted;
    const retryAfterSeconds = +header('retry-after') || undefined;
    const challenge = header('www-authenticate');
    const about = json.errors?.[0]; // of GraphQL, which says the same in its own form
    const { detail = about?.message, reason = about?.extensions?.reason } = json;
    const needsFactor = /acr_values/.test(challenge) || !!about?.extensions?.acrValues;
    // Answers of proxies and portals have another realm, or no JSON with `detail`; those of other servers are mostly 404.
    const isOurs = typeof detail === 'string' && (status !== 404 || reason) && /^$|auth-gateway/.test(challenge);
    if (!isOurs) throw new AuthError('unexpected', status, undefined, retryAfterSeconds);
    const errors = json.detail && json.errors;
    const asRest = reason === 'confirmation_required' ? 401 : status;
    throw new AuthError('refused', asRest, detail, retryAfterSeconds, reason, errors, needsFactor);
  };
}
