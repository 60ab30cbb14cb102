/** Interface 13: what the client knows, and what it does about what happens, as a table without a gap. */
import type { AuthState } from './types.js';

export type State =
  /** Nothing says whether there is a session: no storage. */
  | 'unknown'
  /** There is a session, and no token of it yet. */
  | 'resuming'
  | 'signed-in'
  /** Signed in, and the token is to be replaced. */
  | 'renewing'
  /** A logout is under way. */
  | 'leaving'
  | 'signed-out';

export type Event =
  /** A token is asked for, and there is none that is fresh. */
  | 'wanted'
  /** A token came: of a refresh or a login, here or in another tab. */
  | 'granted'
  /** The gateway answered a refresh with 401. */
  | 'refused'
  /** A refresh got no answer that settles it. */
  | 'failed'
  /** A refresh was answered with a token, for a session that has been left or replaced meanwhile. */
  | 'outdated'
  /** `logout` was called. */
  | 'leave'
  /** The gateway did not confirm it. */
  | 'stayed'
  /** The session was ended: by a logout here, or in another tab. */
  | 'ended'
  /** Another tab has begun another session. */
  | 'replaced';

export type Effect =
  /** Begin a refresh, unless one is under way. It is repeated for as long as the state wants a token. */
  | 'refresh'
  /** Use the token from now on. */
  | 'take'
  /** Use the token of the session before no more. */
  | 'drop'
  /** Drop the token, and say that the session has ended. */
  | 'forget'
  /** Log out again: that answer has brought the cookie back. */
  | 'leave';

/** What happens next, and what the page is told meanwhile, and whether a refresh goes on. */
export type Table = Record<
  State,
  Record<Event, readonly [State, Effect?]> & { status: AuthState['status']; isWanted: boolean }
>;

/** What is the same in most: the session goes on until something ends or replaces it. */
const within = <S extends State, T extends AuthState['status'], W extends boolean>(state: S, status: T, isWanted: W) =>
  ({
    status,
    isWanted,
    wanted: [state, 'refresh'],
    granted: ['signed-in', 'take'],
    refused: ['signed-out', 'forget'],
    failed: [state],
    outdated: [state],
    leave: ['leaving'],
    stayed: [state],
    ended: ['signed-out', 'forget'],
    replaced: ['resuming', 'drop'],
  }) as const;

export const TABLE = {
  unknown: within('unknown', 'loading', true),
  resuming: within('resuming', 'loading', true),
  'signed-in': {
    ...within('signed-in', 'signed-in', false),
    wanted: ['renewing', 'refresh'],
  },
  renewing: within('renewing', 'signed-in', true),
  leaving: {
    ...within('leaving', 'loading', false),
    wanted: ['leaving'],
    granted: ['leaving'],
    refused: ['leaving'],
    stayed: ['resuming', 'refresh'],
    replaced: ['leaving', 'drop'],
  },
  'signed-out': {
    ...within('signed-out', 'signed-out', false),
    wanted: ['signed-out'],
    refused: ['signed-out'],
    outdated: ['signed-out', 'leave'],
    ended: ['signed-out'],
  },
} as const satisfies Table;
