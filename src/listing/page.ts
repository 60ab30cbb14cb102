/** Keyset pagination as in Relay: page 1,000 costs as much as page 1. */
import type { Database } from '../db/database.js';
import { isStatementTimeout } from '../db/outage.js';
import { type RawBuilder, sql } from '../db/sql.js';
import { TimeSpent } from '../platform/budget.js';
import { isUuid } from '../platform/ids.js';
import { hasNul } from '../platform/text.js';
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
  /** Where the next page begins, if not after the last row: a search may read many rows and show few. */
  endCursor?: string;
}

/** Number of rows of a listing, over all pages. */
export interface Count {
  count: number;
  /** `at_least` if counting stopped at `MAX_COUNTED` */
  precision: 'exact' | 'at_least';
}

export const MAX_ROWS = 100;
export const FIRST_REFUSED = `first must be 1 to ${MAX_ROWS}`;
export const MAX_COUNTED = 10_000;

/** @throws {AdminRefusal} */
export function checkFirst({ first }: PageRequest): void {
  if (!Number.isInteger(first) || first < 1 || first > MAX_ROWS) {
    throw new AdminRefusal('invalid_page', FIRST_REFUSED, { argument: 'first' });
  }
}

/** Joins those conditions that are given. */
export function allOf(...conditions: Array<RawBuilder<unknown> | false | undefined>): RawBuilder<unknown> {
  return sql.join([sql`true`, ...conditions.filter(Boolean)], sql` and `);
}

/** A cursor is the sort key of its row, opaque to clients. */
export function encodeCursor(...key: string[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** @param parts number of texts in the key @throws {AdminRefusal} */
export function decodeCursor(cursor: string, parts: number): string[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const isPart = (part: unknown): part is string => typeof part === 'string' && !hasNul(part);
    if (Array.isArray(key) && key.length === parts && key.every(isPart)) return key;
  } catch {
    // refused below
  }
  throw notACursor();
}

/** @throws {AdminRefusal} if the text is not a cursor of a listing by id */
export function decodeIdCursor(cursor: string): string {
  const [id = ''] = decodeCursor(cursor, 1);
  if (!isUuid(id)) throw notACursor();
  return id;
}

/** The position of a row in a listing by time. */
export interface TimeCursor {
  /** In microseconds, which a Date cannot hold */
  exactly: string;
  toTheMillisecond: Date;
  /** Distinguishes rows of the same instant */
  rest: string[];
}

const EXACT_TIME = /^((?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})\d{3}Z$/;

/** The column as `TimeCursor.exactly`. */
export function exactTime(column: string): RawBuilder<string> {
  return sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/**
 * @param parts checks each text after the time
 * @throws {AdminRefusal} if the text is not a cursor of this listing, or its time does not exist
 */
export function decodeTimeCursor(cursor: string, ...parts: Array<(text: string) => boolean>): TimeCursor {
  const [exactly = '', ...rest] = decodeCursor(cursor, 1 + parts.length);
  const [, text] = EXACT_TIME.exec(exactly) ?? [];
  const toTheMillisecond = new Date(`${text}Z`);
  const exists = !Number.isNaN(toTheMillisecond.getTime()) && toTheMillisecond.toISOString() === `${text}Z`;
  if (!exists || !parts.every((isPart, i) => isPart(rest[i] ?? ''))) throw notACursor();
  return { exactly, toTheMillisecond, rest };
}

function notACursor(): AdminRefusal {
  return new AdminRefusal('invalid_page', 'after is not a cursor of this listing', { argument: 'after' });
}

/** Drops the extra row that was read to see whether another page follows. */
export function pageOf<T>(rows: readonly T[], first: number, cursorOf: (row: T) => string): Page<T> {
  return {
    rows: rows.slice(0, first).map((row) => ({ cursor: cursorOf(row), row })),
    hasNextPage: rows.length > first,
  };
}

/**
 * @throws {AdminRefusal} if it takes too long: the statement timed out, or the request has used up its time
 */
export async function readRows<Row>(db: Database, query: RawBuilder<Row>): Promise<Row[]> {
  try {
    return await db.admin.read(query);
  } catch (error) {
    const isTooMuch = isStatementTimeout(error) || (error instanceof TimeSpent && error.hasAnswers);
    if (!isTooMuch) throw error;
    const refusal = new AdminRefusal('too_much_to_read', 'This takes too long to read; ask for less');
    throw error instanceof TimeSpent ? Object.assign(refusal, { cause: error }) : refusal;
  }
}

/** @param query reads one row more than the page has @throws {AdminRefusal} also for an invalid page */
export async function readPage<Row>(
  db: Database,
  page: PageRequest,
  query: RawBuilder<Row>,
  cursorOf: (row: Row) => string,
): Promise<Page<Row>> {
  checkFirst(page);
  return pageOf(await readRows(db, query), page.first, cursorOf);
}

/**
 * Counts the rows of a query up to `MAX_COUNTED`.
 * @param query any columns, without limit
 * @throws {AdminRefusal} if that takes too long
 */
export async function countRows(db: Database, query: RawBuilder<unknown>): Promise<Count> {
  const limited = sql<{ count: number }>`
    select count(*)::int as count from (${query} limit ${MAX_COUNTED + 1}) as counted`;
  const [{ count } = { count: 0 }] = await readRows(db, limited);
  return count > MAX_COUNTED ? { count: MAX_COUNTED, precision: 'at_least' } : { count, precision: 'exact' };
}

/** Reads every page of a listing, for the command line. */
export async function everyRow<T>(list: (page: PageRequest) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  let after: string | undefined;
  for (;;) {
    const { rows, hasNextPage, endCursor } = await list({ first: MAX_ROWS, after });
    all.push(...rows.map(({ row }) => row));
    if (!hasNextPage) return all;
    after = endCursor ?? rows.at(-1)?.cursor;
  }
}
