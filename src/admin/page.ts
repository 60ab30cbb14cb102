/** Relay-style pages by keyset: page 1,000 costs what page 1 costs. */
import { type RawBuilder, sql } from 'kysely';
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
  /** Where the next page begins, if that is not behind the last row: a search may look at many rows and show few. */
  endCursor?: string;
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
  throw notACursor();
}

/** A time in microseconds, as PostgreSQL orders it, and as text, which a Date could not hold. */
const EXACT_TIME = /^((?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})\d{3}Z$/;

/** The column as such a text, for a cursor. */
export function exactTime(column: string): RawBuilder<string> {
  return sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** To the millisecond. @throws {AdminRefusal} for a text that is no such time */
export function readExactTime(exactly: string): Date {
  const [, text] = EXACT_TIME.exec(exactly) ?? [];
  const time = new Date(`${text}Z`);
  if (Number.isNaN(time.getTime()) || time.toISOString() !== `${text}Z`) throw notACursor();
  return time;
}

export function notACursor(): AdminRefusal {
  return new AdminRefusal('invalid_page', 'after is not a cursor of this listing');
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

/** Every row of a listing, page after page: for the command line. */
export async function everyRow<T>(list: (page: PageRequest) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  let after: string | undefined;
  for (;;) {
    const { rows, hasNextPage, endCursor } = await list({ first: MOST_ROWS, after });
    all.push(...rows.map(({ row }) => row));
    if (!hasNextPage) return all;
    after = endCursor ?? rows.at(-1)?.cursor;
  }
}
