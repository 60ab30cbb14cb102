/** What is measured in turns: works that are compared, at the same number of connections. */
import { JUDGED, type Part, type Work } from './work.js';

export interface Side {
  work: string;
  part: Part;
  /** Of a slice */
  seconds: number;
}

export interface Comparison {
  sides: Side[];
  /** How often in a round each side has a slice: an even number, so that neither side is always the later one */
  passes: number;
}

/** At the number that goals are of, and at any other or where slices are long. Nothing takes turns with itself. */
const PASSES = { judged: 4, other: 2, alone: 1 };

/**
 * @param groups names of works that are compared with one another
 * @param seconds of a slice that is not stretched
 */
export function comparisonsOf(
  works: readonly Work[],
  groups: ReadonlyArray<readonly string[]>,
  seconds: number,
): Comparison[] {
  return groups.flatMap((names) => {
    const group = names.flatMap((name) => works.filter((work) => work.name === name));
    const all = group.flatMap(({ name, parts, stretch = 1 }) =>
      parts.map((part) => ({ work: name, part, seconds: seconds * stretch })),
    );
    const numbers = new Set(all.flatMap(({ part: { connections } }) => connections ?? []));
    const asked: Array<number | undefined> = numbers.size === 0 ? [undefined] : [...numbers];
    return asked.map((number) => {
      const sides = all.filter(({ part: { connections } }) => connections === undefined || connections === number);
      const isLong = sides.some((side) => side.seconds > seconds);
      const passes = sides.length === 1 ? PASSES.alone : number === JUDGED && !isLong ? PASSES.judged : PASSES.other;
      return { sides, passes };
    });
  });
}
