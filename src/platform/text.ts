/** What is text: Unicode without NUL and without halves of surrogate pairs, neither of which PostgreSQL stores. */

export function hasNul(text: string): boolean {
  return text.includes('\0');
}

export function isText(text: string): boolean {
  return !hasNul(text) && text.isWellFormed();
}

/** U+FFFD stands for what is not text. */
export function toText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
