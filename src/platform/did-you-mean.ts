/** The name that was probably meant. (Interface 2 and 9) */

/** The closest known word: one letter away, or two for words of five letters or more; undefined if none is that close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const maxEdits = word.length < 5 ? 1 : 2;
  // Three letters away, but the most common slip: one proxy, several proxies.
  const spellings = new Set([word, word.replace(/ies$/i, 'Y'), word.replace(/y$/i, 'IES')]);
  for (const spelling of spellings) {
    for (let edits = 0; edits <= maxEdits; edits += 1) {
      const closest = known.find((name) => isWithin(edits, spelling, name));
      if (closest !== undefined) return closest;
    }
  }
  return undefined;
}

/** Whether so many letters changed, added or left out make one word of the other. */
function isWithin(edits: number, from: string, to: string): boolean {
  if (from === to) return true;
  if (edits === 0 || Math.abs(from.length - to.length) > edits) return false;
  if (from[0] === to[0]) return isWithin(edits, from.slice(1), to.slice(1));
  const [less, lessOfTo] = [from.slice(1), to.slice(1)];
  return isWithin(edits - 1, less, lessOfTo) || isWithin(edits - 1, less, to) || isWithin(edits - 1, from, lessOfTo);
}
