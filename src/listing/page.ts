/** Pages of a list, and its count. (Interface 11) */
import type { Database } from '../db/database.js';
import { isStatementTimeout } from '../db/outage.js';
import { type RawBuilder, sql } from '../db/sql.js';
import { TimeSpent } from '../platform/budget.js';
import { encodeCursor, MAX_ROWS, type PageRequest, type Walk } from './keyset.js';
import { AdminRefusal } from './refusal.js';

export interface Page<T> {
  rows: Array<{ cursor: string; row: T }>;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  /** Where the previous page ends, and where the next one begins: a search may read many rows and show few. */
  startCursor: string | null;
  endCursor: string | null;
}

export const NO_ROWS: Page<never> = {
  rows: [],
  hasNextPage: false,
  hasPreviousPage: false,
  startCursor: null,
  endCursor: null,
};

/** Number of rows of a listing, over all pages. */
export interface Count {
  count: number;
  /** `at_least` if counting stopped at `MAX_COUNTED` */
  precision: 'exact' | 'at_least';
}

export const MAX_COUNTED = 10_000;

/** Joins those conditions that are given. */
export function allOf(...conditions: Array<RawBuilder<unknown> | false | undefined>): RawBuilder<unknown> {
  return sql.join([sql`true`, ...conditions.filter(Boolean)], sql` and `);
}

/** The key of a row, as `Walk.key` reads it. */
export interface Keyed {
  key: string[];
}

/**
 * @param rows as the walk has read them, with the extra row that shows whether another page follows
 * @param stoppedAt key of the last row examined, if rows after it were not examined
 */
export function pageOf<Row extends Keyed, T>(
  { size, isBackward, from }: Walk,
  rows: readonly Row[],
  shown: (row: Row) => T,
  stoppedAt: string[] | null = null,
): Page<T> {
  const isFull = rows.length > size;
  const edges = rows.slice(0, size).map((row) => ({ cursor: encodeCursor(...row.key), row: shown(row) }));
  const further = isFull || stoppedAt === null ? (edges.at(-1)?.cursor ?? null) : encodeCursor(...stoppedAt);
  const near = edges[0]?.cursor ?? null;
  const isMore = isFull || stoppedAt !== null;
  const hasFrom = from !== undefined;
  return isBackward
    ? { rows: edges.reverse(), hasPreviousPage: isMore, startCursor: further, hasNextPage: hasFrom, endCursor: near }
    : { rows: edges, hasPreviousPage: hasFrom, startCursor: near, hasNextPage: isMore, endCursor: further };
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

/** @param query reads the rows of a walk, one more than the page has @throws {AdminRefusal} if it takes too long */
export async function readPage<Row extends Keyed>(
  db: Database,
  walk: Walk,
  query: RawBuilder<Row>,
): Promise<Page<Row>> {
  return pageOf(walk, await readRows(db, query), (row) => row);
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
  let after: string | null = null;
  for (;;) {
    const { rows, hasNextPage, endCursor } = await list({ first: MAX_ROWS, after });
    all.push(...rows.map(({ row }) => row));
    if (!hasNextPage) return all;
    after = endCursor;
  }
}
