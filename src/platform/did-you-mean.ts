/** Interface 2 and 9: the name that was probably meant. */
import { closestMatch } from 'leven';

/** The known word that is one letter away, or two in a word of five or more; undefined where none is so near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const singular = word.replace(/ies$/i, 'Y'); // three letters away in spelling, and yet the commonest slip
  return closestMatch(singular, known, { maxDistance: word.length < 5 ? 1 : 2 });
}
