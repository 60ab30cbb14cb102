/** Interface 13: the session as this page knows it. Carries out what the state table decides. */
import type { Environment } from './environment.js';
import type { Grant } from './grant.js';
import type { Store } from './store.js';
import { type Effect, type Event as Happened, type State, TABLE } from './table.js';
import type { AuthClient, AuthEvents, AuthState, User } from './types.js';

/** A token is renewed this long before its expiry, or a fifth of its lifetime if that is less. */
const AHEAD_MS = 60_000;

/** A token and the time until which it can be sent. */
export type Held = Grant & { endsAt: number };

/** Details of an event. */
interface About {
  held?: Held | undefined;
  /** ID of a session that another tab has started */
  sid?: string | undefined;
  signedOut?: AuthEvents['signed-out'] | undefined;
}

export interface Session {
  /** API for the page */
  page: Pick<AuthClient, 'on' | 'subscribe' | 'state'>;
  sid?: string | undefined;
  held?: Held | undefined;
  /** Increases when the session is left or replaced, so that the answer to an earlier refresh is recognised as outdated. */
  epoch: number;
  /** @returns the effect that was carried out */
  step(event: Happened, about?: About): Effect | undefined;
  /** Reads storage: another tab may have logged out or in, and its message may not have arrived yet. */
  look(): void;
  /** The token, if it can be sent now. */
  usable(): string | undefined;
  /** True if the token need not be renewed yet. */
  isFresh(): boolean;
  /** True while a refresh is to be repeated. */
  isWanted(): boolean;
  emit<E extends keyof AuthEvents>(event: E, happened: AuthEvents[E]): void;
}

/** @param refresh called with true if a token is wanted, and with false if none is wanted any more */
export function createSession(store: Store, environment: Environment, refresh: (isWanted: boolean) => void): Session {
  const listeners = new EventTarget();
  const { sid: markedSid } = store.read();
  let state: State = store.isShared() ? (markedSid ? 'resuming' : 'signed-out') : 'unknown';
  let snapshot: AuthState = stateOf(state);
  /** The session that ended last, which storage may still contain for a moment. */
  let endedSid: string | undefined;

  function step(event: Happened, about: About = {}): Effect | undefined {
    const { sid } = session;
    const wasSignedIn = snapshot.status === 'signed-in';
    const [next, effect] = TABLE[state][event];
    state = next;
    session.sid = effect === 'forget' ? undefined : (about.sid ?? about.held?.sid ?? sid);
    if (effect === 'forget') endedSid = sid;
    if (effect === 'take' || effect === 'drop' || effect === 'forget') session.held = about.held;
    if (event === 'leave' || session.sid !== sid) session.epoch += 1;

    show();
    const isWanted = session.isWanted();
    if (!isWanted || effect === 'refresh') refresh(isWanted);
    if (effect === 'take') {
      emit(wasSignedIn && session.sid === sid ? 'refreshed' : 'signed-in', { user: about.held?.user });
    }
    if (effect === 'forget' && sid) emit('signed-out', about.signedOut);
    return effect;
  }

  function show(): void {
    const next = stateOf(state, session.held?.user);
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
      const { sid } = store.read();
      if (!store.isShared() || sid === session.sid || (sid && sid === endedSid)) return;
      step(sid ? 'replaced' : 'ended', { sid, signedOut: { reason: 'logout' } });
    },
    usable: () => (TABLE[state].status === 'signed-in' && leftMs() > 0 ? session.held?.token : undefined),
    isFresh: () => leftMs() > Math.min(AHEAD_MS, (session.held?.lifetimeMs ?? 0) / 5),
    isWanted: () => TABLE[state].isWanted,
    emit,
    page: {
      state: () => snapshot,
      subscribe: (listener) => {
        if (state === 'unknown' || (state === 'resuming' && !environment.origin)) step('wanted');
        return on('changed', () => listener());
      },
      on,
    },
  };
  return session;
}

/** Who is signed in has a token. */
function stateOf(state: State, user?: User): AuthState {
  const { status } = TABLE[state];
  if (status !== 'signed-in') return { status };
  return user ? { status, user } : { status: 'loading' };
}
