/** Interface 13: a `fetch` that adds the token, for trusted origins alone. */
import type { Session } from './session.js';
import type { AuthClient } from './types.js';

/** @param origins which are trusted */
export function createAuthorizedFetch(
  send: typeof fetch,
  origins: ReadonlySet<string>,
  getAccessToken: AuthClient['getAccessToken'],
  session: Session,
): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { origin } = new URL(request.url);
    // `null` is the origin of many, such as files.
    const isTrusted = origin !== 'null' && origins.has(origin) && !request.headers.has('authorization');
    const token = isTrusted && (await getAccessToken(request));
    if (!token) return send(request);

    // What `init` has can be read again, but for a stream; a Request cannot.
    const isStream = init?.body instanceof ReadableStream;
    const copy = input instanceof Request && !init?.body ? request.clone() : undefined;
    const { sid } = session;
    const response = await send(authorized(request, token));
    // A browser takes the token off where a redirect leaves the origin, and so a 401 from there says nothing of it.
    const isMoved = response.url && new URL(response.url).origin !== origin;
    if (response.status !== 401 || isMoved || isStream) return response;

    const { held } = session;
    if (held?.token === token) held.endsAt = 0;
    const next = await getAccessToken(request).catch(() => request.signal.throwIfAborted());
    // What was asked for in one session is not repeated in another.
    if (!next || session.sid !== sid) return response;
    void response.body?.cancel().catch(() => undefined); // it may have broken off
    return send(authorized(copy ?? new Request(input, init), next));
  };
}

function authorized(request: Request, token: string): Request {
  request.headers.set('authorization', `Bearer ${token}`);
  return request;
}
