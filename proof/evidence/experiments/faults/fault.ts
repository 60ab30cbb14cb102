/** What a fault is: a row of a table that says how it begins and ends, and what may be answered meanwhile. */
import type { Instance } from '../../lab/gateways.js';
import type { PostgresServer } from '../../lab/postgres-server.js';
import { PROBES, type ProbeName } from '../../lab/probes.js';

/**
 * - `right`: the answer that is given when all is well
 * - `503`: and a cookie is neither set nor cleared
 * - `either`
 * - `busy`: right, or 503 if more passwords wait than can be hashed; not each time
 * - `any`: also another, but for a 500
 */
export type Expected = 'right' | '503' | 'either' | 'busy' | 'any';

export interface Stand {
  /** Which is asked */
  instance: Instance;
  /** The server itself, past whatever is between it and the gateway */
  db: PostgresServer;
}

export interface Fault<S extends Stand = Stand> {
  /** Goes on after "while" */
  name: string;
  /** Also in the small size: quick, and well again soon */
  small?: true;
  /** How long it lasts, if not as long as others: seconds */
  seconds?: number;
  /** What the database answers to the gateway may be lost: nobody knows whether a rotation has happened. */
  losesAnswers?: true;
  /** What the limiter has counted is lost by it. */
  losesCounts?: true;
  /** @returns what ends it, which may itself find something wrong, in words */
  begin(stand: S): Promise<() => unknown>;
  expected: Partial<Record<ProbeName, Expected>>;
}

/** Where a fault says nothing; what needs no store has to be right. */
export const USUALLY: Record<ProbeName, Expected> = { ...all('either'), live: 'right' };

export const ALL_RIGHT = all('right');

/** Nothing can be asked of the database. */
export const NO_DATABASE: Fault['expected'] = {
  login: '503',
  refresh: '503',
  logout: '503',
  signature: '503',
  listing: '503',
  change: '503',
  ready: '503',
};

/** The database is read, and takes no writes. */
export const NO_WRITES: Fault['expected'] = {
  login: '503',
  refresh: '503',
  logout: '503',
  change: '503',
  ready: '503',
};

function all(expected: Expected): Record<ProbeName, Expected> {
  return Object.fromEntries(PROBES.map((name) => [name, expected])) as Record<ProbeName, Expected>;
}
