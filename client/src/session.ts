/** Interface 13: what this page knows of its session. The table decides; here it is done. */
import type { Environment } from './environment.js';
import type { Grant } from './grant.js';
import type { Store } from './store.js';
import { type Effect, type Event as Happened, type State, TABLE } from './table.js';
import type { AuthClient, AuthEvents, AuthState } from './types.js';

/** Before its expiry, a token is renewed this early, or by a fifth of its life. */
const AHEAD_MS = 60_000;

/** A token, and until when it can be sent. */
export type Held = Grant & { endsAt: number };

/** What an event brings with it. */
interface About {
  held?: Held | undefined;
  /** Of the session that another tab has begun */
  sid?: string | undefined;
  signedOut?: AuthEvents['signed-out'] | undefined;
}

export interface Session {
  /** For the page */
  page: Pick<AuthClient, 'on' | 'subscribe' | 'state'>;
  sid?: string | undefined;
  held?: Held | undefined;
  /** Counts what leaves or replaces the session: the answer to a refresh that is under way is of the one before. */
  epoch: number;
  /** @returns what was done */
  step(event: Happened, about?: About): Effect | undefined;
  /** Another tab may have logged out, or logged in as somebody else, and its message be on the way. */
  look(): void;
  /** The token, where it can be sent now. */
  usable(): string | undefined;
  /** It need not be replaced yet. */
  isFresh(): boolean;
  /** A refresh goes on. */
  isWanted(): boolean;
  emit<E extends keyof AuthEvents>(event: E, happened: AuthEvents[E]): void;
}

/** @param refresh called where a token is wanted, and with false where none is any more */
export function createSession(store: Store, environment: Environment, refresh: (isWanted: boolean) => void): Session {
  const listeners = new EventTarget();
  const { sid: markedSid } = store.read();
  let state: State = store.isShared() ? (markedSid ? 'resuming' : 'signed-out') : 'unknown';
  let snapshot: AuthState = { status: TABLE[state].status };
  /** The session that ended last: storage may still show it for a moment. */
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
    const { status } = TABLE[state];
    const next = { status, user: status === 'signed-in' ? session.held?.user : undefined };
    if (JSON.stringify(next) === JSON.stringify(snapshot)) return;
    snapshot = next;
    emit('changed');
  }

  /** A listener that throws harms no other, and its error is reported as any that nobody caught. */
  function on(event: string, listener: (happened: never) => void): () => void {
    const hear = (told: Event): void => listener((told as CustomEvent).detail as never);
    listeners.addEventListener(event, hear);
    return () => listeners.removeEventListener(event, hear);
  }

  function emit(event: string, detail?: unknown): void {
    listeners.dispatchEvent(new CustomEvent(event, { detail }));
  }

  /** How long the token is still good for */
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
        if (state === 'unknown') step('wanted');
        return on('changed', () => listener());
      },
      on,
    },
  };
  return session;
}
