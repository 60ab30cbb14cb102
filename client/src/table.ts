/** The states of the client, and its reaction to every event in every state. (Interface 13) */
import type { AuthState } from './types.js';

export type State =
  /** Without storage it is not known whether there is a session. */
  | 'unknown'
  /** There is a session, but no token yet. */
  | 'resuming'
  | 'signed-in'
  /** Signed in, and the token is being renewed. */
  | 'renewing'
  /** A logout is wanted that the gateway has not confirmed. */
  | 'leaving'
  | 'signed-out'
  /** A login wants a second factor. Nobody is logged in. */
  | 'half'
  /** A login wants a second factor. If it is given up, the session before continues. */
  | 'switching';

export type Event =
  /** A token is requested, and there is no fresh one. */
  | 'wanted'
  /** A login in this or another tab returned a token. */
  | 'entered'
  /** A login in this tab wants a second factor. */
  | 'half'
  /** The login that wants a second factor was given up, or has expired. */
  | 'cancel'
  /** A refresh in this or another tab returned a token. */
  | 'granted'
  /** The gateway answered a refresh with 401. */
  | 'refused'
  /** A refresh or a logout got no answer, or a temporary one. */
  | 'failed'
  /** A refresh returned a token of a session that has been left or replaced in the meantime. */
  | 'outdated'
  /** `logout` was called in this or another tab, or before the page was loaded. */
  | 'leave'
  /** The gateway refused the logout. */
  | 'stayed'
  /** A logout in this or another tab ended the session, or the deletion of the account. */
  | 'ended'
  /** Another tab has started another session. */
  | 'replaced';

export type Effect =
  /** Start a refresh unless one is running. It is repeated as long as the state wants a token. */
  | 'refresh'
  /** Use the token from now on. */
  | 'take'
  /** Stop using the token, and forget a login that wants a second factor. */
  | 'drop'
  /** Drop the token and report the end of the session. */
  | 'forget'
  /** Log out again because that answer has restored the cookie of a session that is over or to be ended. */
  | 'leave';

/** For each event the next state and the effect; for each state its status for the page, and whether it wants a token. */
export type Table = Record<
  State,
  Record<Event, readonly [State, Effect?]> & { status: AuthState['status']; isWanted: boolean }
>;

/** The common reactions: the session continues until something ends or replaces it. */
const within = <S extends State, T extends AuthState['status'], W extends boolean>(state: S, status: T, isWanted: W) =>
  ({
    status,
    isWanted,
    wanted: [state, 'refresh'],
    entered: ['signed-in', 'take'],
    half: ['switching', 'drop'],
    cancel: [state],
    granted: ['signed-in', 'take'],
    refused: ['signed-out', 'forget'],
    failed: [state],
    outdated: [state],
    leave: ['leaving', 'drop'],
    stayed: [state],
    ended: ['signed-out', 'forget'],
    replaced: ['resuming', 'drop'],
  }) as const;

/** Those in which nobody is to be logged in, whatever a refresh says. */
const outside = <S extends State, T extends AuthState['status']>(state: S, status: T) =>
  ({
    ...within(state, status, false),
    wanted: [state],
    half: ['half', 'drop'],
    refused: [state],
    outdated: [state, 'leave'],
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
    ...outside('leaving', 'signing-out'),
    half: ['leaving'],
    granted: ['leaving'],
    stayed: ['resuming', 'refresh'],
    replaced: ['resuming', 'refresh'],
  },
  'signed-out': {
    ...outside('signed-out', 'signed-out'),
    ended: ['signed-out'],
  },
  half: {
    ...outside('half', 'second-factor'),
    cancel: ['signed-out', 'drop'],
  },
  switching: {
    ...within('switching', 'second-factor', false),
    wanted: ['switching'],
    half: ['switching', 'drop'],
    cancel: ['resuming', 'refresh'],
    granted: ['switching'],
  },
} as const satisfies Table;
