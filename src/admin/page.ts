/** Relay-style pages by keyset: page 1,000 costs what page 1 costs. */
import { AdminRefusal } from './refusal.js';

export interface PageRequest {
  /** Rows wanted, 1 to 100 */
  first: number;
  /** Cursor of the row before the page */
  after?: string | null | undefined;
}

export interface Page<T> {
  rows: Array<{ cursor: string; row: T }>;
  hasNextPage: boolean;
}

const MOST_ROWS = 100;

/** @throws {AdminRefusal} */
export function checkFirst({ first }: PageRequest): void {
  if (!Number.isInteger(first) || first < 1 || first > MOST_ROWS) {
    throw new AdminRefusal('invalid_page', `first is 1 to ${MOST_ROWS}`);
  }
}

/** A cursor is the sort key of its row; opaque to callers. */
export function encodeCursor(...key: string[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** @param parts how many texts the key has @throws {AdminRefusal} */
export function decodeCursor(cursor: string, parts: number): string[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(key) && key.length === parts && key.every(isText)) return key;
  } catch {
    // answered below, as any other text that is no cursor
  }
  throw new AdminRefusal('invalid_page', 'after is not a cursor of this listing');
}

/** PostgreSQL has no text with NUL. */
function isText(part: unknown): part is string {
  return typeof part === 'string' && !part.includes('\0');
}

/** Cuts the one row that was read beyond the page to see whether another page follows. */
export function pageOf<T>(rows: readonly T[], first: number, cursorOf: (row: T) => string): Page<T> {
  return {
    rows: rows.slice(0, first).map((row) => ({ cursor: cursorOf(row), row })),
    hasNextPage: rows.length > first,
  };
}
