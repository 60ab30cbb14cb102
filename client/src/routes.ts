/** Spec 4: the three routes, asked by `fetch`, and what their answers mean. */
import { AuthError } from './auth-error.js';
import { attempt, type Environment } from './environment.js';
import { type Grant, readGrant } from './grant.js';

/** How long an answer is waited for. The gateway itself answers within 5 s. */
export const ANSWER_MS = 10_000;

export interface Routes {
  /** @throws {AuthError} */
  login(body: string): Promise<Grant>;
  /** @throws {AuthError} or {Refused} */
  refresh(retryField: string): Promise<Grant>;
  /** @throws {AuthError} */
  logout(): Promise<void>;
}

interface Answer {
  status: number;
  headers?: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: whatever answers; each field is looked at before it is used
  body?: any;
}

export function createRoutes(base: string, send: typeof fetch, environment: Environment): Routes {
  /** Never rejects: without an answer the status is 0. A redirect is none: the gateway gives no such. */
  const post = (route: string, init: RequestInit): Promise<Answer> =>
    new Promise((resolve) => {
      const late = new AbortController();
      const done = (answer: Answer): void => {
        environment.clearTimeout(timer);
        resolve(answer);
      };
      const timer = environment.setTimeout(() => {
        late.abort();
        done({ status: 0 });
      }, ANSWER_MS);
      const asked = async (): Promise<Answer> => {
        const response = await send(`${base}/auth/${route}`, {
          method: 'POST',
          credentials: 'include',
          redirect: 'error',
          signal: late.signal,
          ...init,
        });
        const { status, headers } = response;
        const text = await response.text(); // one that breaks off here is no answer
        return { status, headers, body: attempt(() => JSON.parse(text)) };
      };
      asked().then(done, () => done({ status: 0 }));
    });

  return {
    login: async (body) => {
      const answer = await post('login', { headers: { 'content-type': 'application/json' }, body });
      return grantOf(answer) ?? fail(answer);
    },
    refresh: async (retryField) => {
      const answer = await post('refresh', { headers: { 'refresh-retry': retryField }, keepalive: true });
      return grantOf(answer) ?? fail(answer);
    },
    logout: async () => {
      const answer = await post('logout', { keepalive: true });
      if (answer.status !== 200 || typeof answer.body?.message !== 'string') fail(answer);
    },
  };
}

function grantOf({ status, body }: Answer): Grant | undefined {
  return status === 200 ? readGrant(body?.access_token) : undefined;
}

/** A 401 of the gateway itself; a proxy or portal has another scheme, or no JSON with a `detail`. */
export class Refused extends AuthError {}

function fail({ status, headers, body }: Answer): never {
  const isOurs = typeof body?.detail === 'string';
  const scheme = headers?.get('www-authenticate') ?? 'Cookie';
  const seconds = Number.parseInt(headers?.get('retry-after') ?? '', 10);
  const Reason = status === 401 && isOurs && /^cookie\b/i.test(scheme) ? Refused : AuthError;
  throw new Reason(
    status,
    isOurs ? body.detail : status ? 'That was no answer of the gateway' : 'The gateway did not answer',
    seconds >= 0 ? seconds : undefined,
  );
}
