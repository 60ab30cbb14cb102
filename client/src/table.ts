/** CONTRACT 13: what the client knows, and what it does about what happens, as a table without a gap. */
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
  /** A refresh was answered for a session that has been left or replaced meanwhile. */
  | 'outdated'
  /** `logout` was called. */
  | 'leave'
  /** The gateway did not confirm it. */
  | 'stayed'
  /** The session was ended by a logout, here or in another tab. */
  | 'ended'
  /** Another tab has begun another session. */
  | 'replaced';

export type Effect =
  | 'nothing'
  /** Begin a refresh, unless one is under way. It is repeated for as long as the state wants a token. */
  | 'refresh'
  /** Use the token from now on. */
  | 'take'
  /** Use the token of the session before no more. */
  | 'drop'
  /** Drop the token, and say that the session has ended. */
  | 'forget'
  /** Log out, since that answer has brought the cookie back. */
  | 'log out again';

export type Table = Record<State, Record<Event, readonly [State, Effect]>>;

// biome-ignore format: a row a state
export const TABLE = {
  unknown: {
    wanted: ['unknown', 'refresh'], granted: ['signed-in', 'take'], refused: ['signed-out', 'forget'],
    failed: ['unknown', 'nothing'], outdated: ['unknown', 'nothing'], leave: ['leaving', 'nothing'],
    stayed: ['unknown', 'nothing'], ended: ['signed-out', 'forget'], replaced: ['resuming', 'drop'],
  },
  resuming: {
    wanted: ['resuming', 'refresh'], granted: ['signed-in', 'take'], refused: ['signed-out', 'forget'],
    failed: ['resuming', 'nothing'], outdated: ['resuming', 'nothing'], leave: ['leaving', 'nothing'],
    stayed: ['resuming', 'nothing'], ended: ['signed-out', 'forget'], replaced: ['resuming', 'drop'],
  },
  'signed-in': {
    wanted: ['renewing', 'refresh'], granted: ['signed-in', 'take'], refused: ['signed-out', 'forget'],
    failed: ['signed-in', 'nothing'], outdated: ['signed-in', 'nothing'], leave: ['leaving', 'nothing'],
    stayed: ['signed-in', 'nothing'], ended: ['signed-out', 'forget'], replaced: ['resuming', 'drop'],
  },
  renewing: {
    wanted: ['renewing', 'refresh'], granted: ['signed-in', 'take'], refused: ['signed-out', 'forget'],
    failed: ['renewing', 'nothing'], outdated: ['renewing', 'nothing'], leave: ['leaving', 'nothing'],
    stayed: ['renewing', 'nothing'], ended: ['signed-out', 'forget'], replaced: ['resuming', 'drop'],
  },
  leaving: {
    wanted: ['leaving', 'nothing'], granted: ['leaving', 'nothing'], refused: ['leaving', 'nothing'],
    failed: ['leaving', 'nothing'], outdated: ['leaving', 'nothing'], leave: ['leaving', 'nothing'],
    stayed: ['resuming', 'refresh'], ended: ['signed-out', 'forget'], replaced: ['leaving', 'drop'],
  },
  'signed-out': {
    wanted: ['signed-out', 'nothing'], granted: ['signed-in', 'take'], refused: ['signed-out', 'nothing'],
    failed: ['signed-out', 'nothing'], outdated: ['signed-out', 'log out again'], leave: ['leaving', 'nothing'],
    stayed: ['signed-out', 'nothing'], ended: ['signed-out', 'nothing'], replaced: ['resuming', 'drop'],
  },
} as const satisfies Table;

/** Whether a refresh goes on. */
export const WANTS_TOKEN = {
  unknown: true,
  resuming: true,
  'signed-in': false,
  renewing: true,
  leaving: false,
  'signed-out': false,
} as const satisfies Record<State, boolean>;

/** What the page is told. */
export const STATUS = {
  unknown: 'loading',
  resuming: 'loading',
  'signed-in': 'signed-in',
  renewing: 'signed-in',
  leaving: 'loading',
  'signed-out': 'signed-out',
} as const satisfies Record<State, AuthState['status']>;
