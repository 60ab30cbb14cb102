/** A seeded source of choices: one for each request, so that any one of them can be made again by itself. */

export interface Dice {
  /** 0 to 2^32 - 1 */
  next(): number;
  /** Both ends are in it. */
  int(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Some of these, each at most once, in their order. */
  some<T>(from: readonly T[]): T[];
  /** As many as wanted, none to `most`. */
  list<T>(most: number, make: () => T): T[];
  bytes(length: number): Buffer;
  /** A value that looks like a secret, and that only this request knows. */
  secret: Secret;
}

export interface Secret {
  /** A word for texts, names of enum values and keys */
  word: string;
  /** The same for numbers; fits 32 bits */
  digits: string;
}

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** What every secret word begins with, in any case. */
export const MARK = 'Zq7';

export function diceOf(seed: number, index: number): Dice {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0; // mulberry32
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const int = (from: number, to: number): number => from + (next() % (to - from + 1));
  const pick = <T>(from: readonly T[]): T => from[int(0, from.length - 1)] as T;
  const chance = (probability: number): boolean => next() / 2 ** 32 < probability;
  const many = <T>(length: number, make: () => T): T[] => Array.from({ length }, make);
  const word = MARK + many(9, () => LETTERS[int(0, LETTERS.length - 1)]).join('');
  return {
    next,
    int,
    chance,
    pick,
    some: (from) => from.filter(() => chance(0.5)),
    list: (most, make) => many(int(0, most), make),
    bytes: (length) => Buffer.from(many(length, () => int(0, 255))),
    secret: { word, digits: `9${many(8, () => int(0, 9)).join('')}` },
  };
}
