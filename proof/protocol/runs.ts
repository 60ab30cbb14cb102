/** The runs of the model: with which bounds, and which faults must be found. docs/protocol.md prints them. */

export interface Run {
  name: string;
  /** Of the model */
  defines: string[];
}

const KEYS = 'RETRIES';
const bounds = (slots: number, refreshes: number, copies: number, uses: number, logouts: number, proofs: number) => [
  `SLOTS=${slots}`,
  `REFRESHES=${refreshes}`,
  `COPIES=${copies}`,
  `USES=${uses}`,
  `LOGOUTS=${logouts}`,
  `PROOFS=${proofs}`,
];

/** Seconds each: for the slow tests */
export const SMALL: Run[] = [
  { name: 'owner with keys', defines: [KEYS, ...bounds(2, 2, 0, 0, 1, 1)] },
  { name: 'thief without the key', defines: [KEYS, ...bounds(2, 2, 1, 1, 1, 0)] },
  { name: 'thief with the key', defines: [KEYS, 'WITH_KEY', ...bounds(2, 2, 1, 1, 1, 0)] },
  { name: 'owner without keys, tabs at once, and a thief', defines: ['UNFAIR', ...bounds(2, 2, 1, 1, 1, 0)] },
];

/** Up to a minute each: for `npm run protocol` */
export const LARGE: Run[] = [
  { name: 'owner with keys, three requests at once', defines: [KEYS, ...bounds(3, 3, 0, 0, 1, 1)] },
  { name: 'owner with keys, four refreshes', defines: [KEYS, ...bounds(2, 4, 0, 0, 1, 1)] },
  { name: 'thief without the key, three requests at once', defines: [KEYS, ...bounds(3, 2, 1, 1, 1, 0)] },
  { name: 'thief without the key, who comes twice', defines: [KEYS, ...bounds(2, 2, 2, 2, 1, 0)] },
  { name: 'thief with the key, who comes twice', defines: [KEYS, 'WITH_KEY', ...bounds(3, 2, 1, 2, 1, 0)] },
  { name: 'owner without keys, tabs at once, and a thief', defines: ['UNFAIR', ...bounds(3, 2, 1, 1, 1, 1)] },
];

/** No request goes round for ever: each loop that has an end in the model has one in each run. */
export const ENDS: Run = { name: 'each request ends', defines: [KEYS, ...bounds(2, 2, 1, 1, 1, 0)] };

/** In words */
export const INVARIANTS: Record<number, string> = {
  1: 'At every moment, a session has at most one live record.',
  2: 'Once a theft has been answered, its session has no live record, and never again.',
  3: 'Once a logout has been answered, nobody is given a token for the token that it came with; if that was live, no record of the session is.',
  4: 'An owner with a client that sends keys is never answered as a theft, unless somebody else has used a token, or after a logout.',
  5: 'Once a thief without the key has been given a token, the owner is given none: the next refresh that is answered ends the session.',
  6: 'Once a confirmation has been answered, the live record has its proof, whatever rotations came in between.',
};

export interface Mutant extends Run {
  /** Invariant that it must break */
  breaks: number;
  /** The fault of the field that it stands for */
  after: string;
}

const HONEST = [KEYS, ...bounds(2, 2, 0, 0, 1, 1)];
const ROBBED = [KEYS, ...bounds(2, 2, 1, 1, 0, 0)];

export const MUTANTS: Mutant[] = [
  {
    name: 'the record is checked in one statement and claimed in another',
    after: 'Keycloak, CVE-2026-1035',
    breaks: 1,
    defines: ['M_CHECK_THEN_CLAIM', ...ROBBED],
  },
  {
    name: 'a transaction under READ COMMITTED claims what its first look found',
    after: 'zeroid, issue 16',
    breaks: 5,
    defines: ['M_READ_COMMITTED', ...ROBBED],
  },
  {
    name: 'an instance that has restarted accepts what was used before',
    after: 'Keycloak, CVE-2026-9802',
    breaks: 5,
    defines: ['M_START_TIME', ...ROBBED],
  },
  {
    name: 'a used token has a period of grace, and gets a successor of its own',
    after: 'VilnaCRM, issue 474',
    breaks: 1,
    defines: ['M_GRACE', ...ROBBED],
  },
  {
    name: 'a theft looks for live records once',
    after: 'Better Auth, `invalidate-family-race`',
    breaks: 2,
    defines: ['M_ONE_LOOK', ...ROBBED],
  },
  {
    name: 'a logout leaves the proof of retry',
    after: 'our own: a late refresh after a logout',
    breaks: 3,
    defines: ['M_LOGOUT_LEAVES_RETRIES', ...HONEST],
  },
  {
    name: 'the client makes a new key for each attempt',
    after: 'our own: lost answers that look like theft',
    breaks: 4,
    defines: ['M_NEW_KEY', ...HONEST],
  },
  {
    name: 'a rotation copies the proof from before its wait',
    after: 'our own: a confirmation during a rotation',
    breaks: 6,
    defines: ['M_STALE_PROOF', ...HONEST],
  },
];

/** Of which all behaviours are carried out by the program, or in the small size a part that covers them. */
export const REPLAYED: Run[] = [
  { name: 'a refresh, and a thief at the same time', defines: [KEYS, ...bounds(2, 1, 1, 1, 0, 0)] },
  { name: 'two refreshes with lost answers, and a logout', defines: [KEYS, ...bounds(2, 2, 0, 0, 1, 0)] },
  { name: 'two refreshes without keys, and a thief', defines: bounds(2, 2, 1, 1, 0, 0) },
];

/** In the large size alone */
export const REPLAYED_TOO: Run[] = [
  { name: 'a refresh, a logout, and a thief', defines: [KEYS, ...bounds(2, 1, 1, 1, 1, 0)] },
];
