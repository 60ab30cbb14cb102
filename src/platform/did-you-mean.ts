/** Interface 2 and 9: the name that was probably meant. */
import { closestMatch } from 'leven';

/** The closest known word: one letter away, or two for words of five letters or more; undefined if none is that close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const maxDistance = word.length < 5 ? 1 : 2;
  // Three letters away, but the most common slip: one proxy, several proxies.
  const spellings = new Set([word, word.replace(/ies$/i, 'Y'), word.replace(/y$/i, 'IES')]);
  for (const spelling of spellings) {
    const closest = closestMatch(spelling, known, { maxDistance });
    if (closest !== undefined) return closest;
  }
  return undefined;
}
