/** An answer as views show it, and the rows of a list, which come page by page. */
import type { Problem } from './problem.js';

export interface Answer<Data> {
  /** The last answer; also while the next one is on its way, or could not be had */
  data: Data | undefined;
  problem: Problem | undefined;
  isLoading: boolean;
  /** Asks again. */
  reload(): void;
}

/** What every connection of the schema has. */
export interface Connection<Row> {
  nodes: Row[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export interface Rows<Row> {
  /** Undefined until the first page is there */
  rows: Row[] | undefined;
  hasMore: boolean;
  problem: Problem | undefined;
  isLoading: boolean;
  /** Reads the next page. */
  more(): void;
  /** Reads the first page again, and forgets the others. */
  reload(): void;
}
