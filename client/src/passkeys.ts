/** The entry `@auth-gateway/client/passkeys`: logging in and proving who one is by WebAuthn. (Interface 20) */
import { AuthError } from './auth-error.js';
import { type Ceremony, ceremonyOf, passkeyOptions, type RecoveryCodes, addPasskey as store } from './factors.js';
import { inside } from './inside.js';
import type { AuthClient, User } from './types.js';
import { askPasskey, createPasskey, isAutofillAvailable } from './webauthn.js';

export { isAutofillAvailable };

export interface PasskeyLoginOptions {
  /** Ends the wait for the user. */
  signal?: AbortSignal | undefined;
  /**
   * Offers passkeys in the suggestions of a field with `autocomplete="username webauthn"`, until one is chosen or another
   * function of this entry is called. Begin when somebody acts: each request for a ceremony counts for the login limit of
   * the address. A dialog that follows within four minutes needs no second one.
   */
  autofill?: boolean;
}

/** A ceremony ends after 5 minutes. What is offered in a field is replaced before that, once somebody acts. */
const FRESH_MS = 240_000;
const ACTS = ['pointerdown', 'keydown'] as const;

/** The call that waits for the user. A browser takes one at a time. */
let current: AbortController | undefined;

/** The ceremony of a login that nobody has completed yet. */
interface Begun {
  beganAt: number;
  answer: Promise<Ceremony>;
}

/** An offer and the dialog after it share one. */
const unused = new WeakMap<AuthClient, Begun>();

/**
 * Logs in with a passkey in the place of the password. What all functions of this entry throw: `NotAllowedError` if the user
 * cancels or has no passkey, `AbortError` if another call has replaced this one, `NotSupportedError` without WebAuthn.
 * @returns the user
 * @throws {AuthError} 401 with the reason `invalid_credentials` or `challenge_invalid`. Otherwise as `login`
 * @throws {DOMException} or the reason of `signal`
 */
export function logInWithPasskey(client: AuthClient, options: PasskeyLoginOptions = {}): Promise<User> {
  return alone(options.signal, async (ended) => {
    const chosen = await (options.autofill ? offer(client, ended) : complete(client, begin(client), ended));
    return inside(client).enter('login/passkey', chosen);
  });
}

/**
 * Completes a login that wants a second factor.
 * @throws {AuthError} as `secondFactor`
 * @throws {DOMException} as `logInWithPasskey`
 */
export function secondFactorByPasskey(client: AuthClient, signal?: AbortSignal): Promise<User> {
  return alone(signal, async (ended) => {
    const { ask: send, session } = inside(client);
    const challenge = session.half?.challenge;
    if (!challenge)
      throw new AuthError('refused', 401, 'No login wants a second factor', undefined, 'challenge_invalid');
    const { publicKey } = await send('login/passkey/options', ceremonyOf, { challenge }).catch((error: AuthError) => {
      if (error.reason === 'challenge_invalid') client.cancelSecondFactor();
      throw error;
    });
    return client.secondFactor({ credential: await askPasskey(publicKey, ended) });
  });
}

/**
 * Proves again who is logged in.
 * @throws {AuthError} as `confirm`
 * @throws {DOMException} as `logInWithPasskey`
 */
export function confirmByPasskey(client: AuthClient, signal?: AbortSignal): Promise<void> {
  return alone(signal, async (ended) => {
    const { ceremony, publicKey } = await inside(client).askWithToken('confirm/options', ceremonyOf, {});
    await client.confirm({ ceremony, credential: await askPasskey(publicKey, ended) });
  });
}

/**
 * Makes a passkey on this device, or on one that the user chooses.
 * @param name by which the user knows it: `Laptop`
 * @throws {AuthError} as `addPasskey` of the entry `factors`
 * @throws {DOMException} `InvalidStateError` if the device has one already. Otherwise as `logInWithPasskey`
 */
export function addPasskey(
  client: AuthClient,
  name: string,
  signal?: AbortSignal,
): Promise<RecoveryCodes & { id: string }> {
  return alone(signal, async (ended) => {
    const { ceremony, publicKey } = await passkeyOptions(client);
    return store(client, { ceremony, credential: await createPasskey(publicKey, ended), name });
  });
}

async function alone<T>(signal: AbortSignal | undefined, run: (ended: AbortSignal) => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  current?.abort();
  const own = new AbortController();
  current = own;
  const stopFollowing = follow(own, signal);
  try {
    return await run(own.signal);
  } finally {
    stopFollowing();
  }
}

interface Chosen {
  ceremony: string;
  credential: object;
}

/** @returns the one that was begun before, as long as it is fresh and unused; otherwise a new one */
function begin(client: AuthClient): Begun {
  const before = unused.get(client);
  if (before && isFresh(before)) return before;
  const answer = inside(client).ask('login/passkey/options', ceremonyOf, {});
  const ceremony = { beganAt: Date.now(), answer };
  unused.set(client, ceremony);
  answer.catch(() => forget(client, ceremony));
  return ceremony;
}

const isFresh = ({ beganAt }: Begun): boolean => Date.now() - beganAt < FRESH_MS;

function forget(client: AuthClient, ceremony: Begun): void {
  if (unused.get(client) === ceremony) unused.delete(client);
}

async function complete(client: AuthClient, begun: Begun, ended: AbortSignal, isOffer?: boolean): Promise<Chosen> {
  const { ceremony, publicKey } = await begun.answer;
  const credential = await askPasskey(publicKey, ended, isOffer);
  forget(client, begun); // any answer of the gateway uses it up
  return { ceremony, credential };
}

async function offer(client: AuthClient, ended: AbortSignal): Promise<Chosen> {
  for (;;) {
    const own = new AbortController();
    const ceremony = begin(client);
    const stopFollowing = follow(own, ended);
    const stopWatching = watch(() => {
      if (!isFresh(ceremony)) own.abort();
    });
    try {
      return await complete(client, ceremony, own.signal, true);
    } catch (error) {
      if (ended.aborted || !own.signal.aborted) throw error;
    } finally {
      stopFollowing();
      stopWatching();
    }
  }
}

/** Runs it at each act of a person: an idle page asks for nothing. */
function watch(run: () => void): () => void {
  const stopped = new AbortController();
  for (const act of ACTS) document.addEventListener(act, run, { signal: stopped.signal });
  return () => stopped.abort();
}

function follow(own: AbortController, signal: AbortSignal | undefined): () => void {
  const abort = (): void => own.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  return () => signal?.removeEventListener('abort', abort);
}
