/** Text: Unicode without NUL and lone surrogates, neither of which PostgreSQL stores. */

export function hasNul(text: string): boolean {
  return text.includes('\0');
}

export function isText(text: string): boolean {
  return !hasNul(text) && text.isWellFormed();
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** For the content of an element, and of an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** Replaces NUL and lone surrogates by U+FFFD. */
export function toText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
