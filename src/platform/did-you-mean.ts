/** Interface 2 and 9: the name that was probably meant. */
import { closestMatch } from 'leven';

/** The closest known word: one letter away, or two for words of five letters or more; undefined if none is that close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const maxDistance = word.length < 5 ? 1 : 2;
  // Three letters away, but the most common slip: one proxy, several proxies.
  const spellings = new Set([word, word.replace(/ies$/i, 'Y'), word.replace(/y$/i, 'IES')]);
  for (const spelling of spellings) {
    // Words of another length are further away. Leaving them out spares most of the work: an environment has a hundred names.
    const possible = known.filter(({ length }) => Math.abs(length - spelling.length) <= maxDistance);
    const closest = closestMatch(spelling, possible, { maxDistance });
    if (closest !== undefined) return closest;
  }
  return undefined;
}
