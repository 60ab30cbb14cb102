/** A `fetch` that adds the token to requests for trusted origins. (Interface 13) */
import type { Session } from './session.js';
import type { AuthClient } from './types.js';

/** @param origins the trusted origins */
export function createAuthorizedFetch(
  send: typeof fetch,
  origins: ReadonlySet<string>,
  getAccessToken: AuthClient['getAccessToken'],
  session: Session,
): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { origin } = new URL(request.url);
    // Many unrelated documents have the origin `null`, for example files.
    const isTrusted = origin !== 'null' && origins.has(origin) && !request.headers.has('authorization');
    const token = isTrusted && (await getAccessToken(request));
    if (!token) return send(request);

    // The body in `init` can be sent again unless it is a stream; that of a Request cannot, so it is cloned.
    const isStream = init?.body instanceof ReadableStream;
    const copy = input instanceof Request && !init?.body ? request.clone() : undefined;
    const { sid } = session;
    const response = await send(authorized(request, token));
    // Browsers remove the token on a redirect to another origin, so a 401 from there does not mean that it is invalid.
    const isMoved = response.url && new URL(response.url).origin !== origin;
    // A new token would not help: a proof is wanted (RFC 9470), or the ceremony is over.
    const wantsProof = /insufficient_user|Cookie/.test(`${response.headers.get('www-authenticate')}`);
    if (response.status !== 401 || isMoved || isStream || wantsProof) return response;

    const { held } = session;
    if (held?.token === token) held.endsAt = 0;
    const next = await getAccessToken(request).catch(() => request.signal.throwIfAborted());
    // A request of one session is not repeated in another.
    if (!next || session.sid !== sid) return response;
    void response.body?.cancel().catch(() => undefined); // the connection may be broken
    return send(authorized(copy ?? new Request(input, init), next));
  };
}

function authorized(request: Request, token: string): Request {
  request.headers.set('authorization', `Bearer ${token}`);
  return request;
}
