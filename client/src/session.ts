/** The session as this page knows it. Carries out what the state table decides. (Interface 13) */
import type { AuthError } from './auth-error.js';
import type { Environment } from './environment.js';
import type { Grant, Half } from './grant.js';
import type { Store } from './store.js';
import { type Effect, type Event as Happened, type State, TABLE } from './table.js';
import type { AuthClient, AuthEvents, AuthState } from './types.js';

/** A token is renewed this long before its expiry, or a fifth of its lifetime if that is less. */
const AHEAD_MS = 60_000;

/** A token and the time until which it can be sent. */
export type Held = Grant & { endsAt: number };

/** A login that wants a second factor until `expiresAt`: milliseconds since the epoch. */
type HeldHalf = Half & { expiresAt: number };

/** Details of an event. */
interface About {
  held?: Held | undefined;
  half?: HeldHalf | undefined;
  /** ID of a session that another tab has started */
  sid?: string | undefined;
  signedOut?: AuthEvents['signed-out'] | undefined;
  /** Why a logout is not confirmed */
  error?: AuthError | undefined;
}

export interface Session {
  /** API for the page */
  page: Pick<AuthClient, 'on' | 'subscribe' | 'state'>;
  sid?: string | undefined;
  held?: Held | undefined;
  /** The login that waits for its second factor. The challenge is nowhere else, so a reload forgets it. */
  half?: HeldHalf | undefined;
  /** Increases when the session is left or replaced, so that the answer to an earlier refresh is recognised as outdated. */
  epoch: number;
  /** @returns the effect that was carried out */
  step(event: Happened, about?: About): Effect | undefined;
  /** Reads storage: another tab may be logging out or have logged in, and its message may not have arrived yet. */
  look(): void;
  /** The token, if it can be sent now. */
  usable(): string | undefined;
  /** True if the token need not be renewed yet. */
  isFresh(): boolean;
  /** True while a refresh is to be repeated. */
  isWanted(): boolean;
  /** True while a logout is to be repeated. */
  isLeaving(): boolean;
  emit<E extends keyof AuthEvents>(event: E, happened: AuthEvents[E]): void;
}

/** @param react called with true if a token is wanted, and with false if none is wanted any more */
export function createSession(store: Store, environment: Environment, react: (isWanted: boolean) => void): Session {
  const listeners = new EventTarget();
  const { sid: markedSid, isLeaving } = store.read();
  let state: State = isLeaving ? 'leaving' : markedSid ? 'resuming' : store.isShared() ? 'signed-out' : 'unknown';
  let error: AuthError | undefined;
  let snapshot: AuthState = stateOf(state);
  /** The session that ended last, which storage may still contain for a moment. */
  let endedSid: string | undefined;
  /** What storage still said when the message of a login in another tab arrived; null once it says more. */
  let outdated: string | null | undefined = null;

  function step(event: Happened, about: About = {}): Effect | undefined {
    const { sid } = session;
    const wasSignedIn = snapshot.status === 'signed-in';
    const [next, effect] = TABLE[state][event];
    state = next;
    session.sid = effect === 'forget' ? undefined : (about.sid ?? about.held?.sid ?? sid);
    if (effect === 'forget') endedSid = sid;
    if (effect === 'take' || effect === 'drop' || effect === 'forget') {
      session.held = about.held;
      session.half = about.half;
    }
    if (event === 'leave' || session.sid !== sid) session.epoch += 1;
    if (effect === 'take' && session.sid !== sid) outdated = store.read().sid;

    error = about.error ?? (session.isLeaving() ? error : undefined);
    show();
    const isWanted = session.isWanted();
    if (!isWanted || effect === 'refresh') react(isWanted);
    if (effect === 'take') {
      emit(wasSignedIn && session.sid === sid ? 'refreshed' : 'signed-in', { user: about.held?.user });
    }
    if (effect === 'forget' && sid) emit('signed-out', about.signedOut);
    return effect;
  }

  function show(): void {
    const next = stateOf(state, session, error);
    if (JSON.stringify(next) === JSON.stringify(snapshot)) return;
    snapshot = next;
    emit('changed');
  }

  /** A listener that throws does not affect the others; its error is reported as uncaught. */
  function on(event: string, listener: (happened: never) => void): () => void {
    const hear = (event: Event): void => listener((event as CustomEvent).detail as never);
    listeners.addEventListener(event, hear);
    return () => listeners.removeEventListener(event, hear);
  }

  function emit(event: string, detail?: unknown): void {
    listeners.dispatchEvent(new CustomEvent(event, { detail }));
  }

  /** Remaining lifetime of the token */
  const leftMs = (): number => (session.held?.endsAt ?? 0) - environment.now();

  const session: Session = {
    sid: markedSid,
    epoch: 0,
    step,
    look: () => {
      const { sid, isLeaving } = store.read();
      if (!store.isShared() || (sid && sid === endedSid)) return;
      if (sid !== outdated || sid === session.sid) outdated = null;
      if (isLeaving ? session.isLeaving() : sid === session.sid || sid === outdated) return;
      step(isLeaving ? 'leave' : sid ? 'replaced' : 'ended', { sid, signedOut: { reason: 'logout' } });
    },
    usable: () => (TABLE[state].status === 'signed-in' && leftMs() > 0 ? session.held?.token : undefined),
    isFresh: () => leftMs() > Math.min(AHEAD_MS, (session.held?.lifetimeMs ?? 0) / 5),
    isWanted: () => TABLE[state].isWanted,
    isLeaving: () => state === 'leaving',
    emit,
    page: {
      state: () => snapshot,
      subscribe: (listener) => {
        if (state === 'unknown' || (!environment.origin && !session.held)) step('wanted');
        return on('changed', () => listener());
      },
      on,
    },
  };
  return session;
}

/** Who is signed in has a token. */
function stateOf(state: State, { held, half }: Pick<Session, 'held' | 'half'> = {}, error?: AuthError): AuthState {
  const { status } = TABLE[state];
  if (status === 'second-factor' && half) return { status, factors: half.factors, expiresAt: half.expiresAt };
  if (status === 'signing-out') return { status, error };
  if (held) return { status: 'signed-in', user: held.user };
  return { status: status === 'signed-out' ? status : 'loading' };
}
