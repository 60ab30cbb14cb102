/** Keyset pagination as in Relay, forward and backward: page 1,000 costs as much as page 1. (Interface 11 and 24) */
import { type RawBuilder, sql } from '../db/sql.js';
import { isUuid } from '../platform/ids.js';
import { hasNul } from '../platform/text.js';
import { AdminRefusal } from './refusal.js';

export type Direction = 'asc' | 'desc';

/** An order of a list: columns that together are unique, all in one direction. */
export interface Order {
  columns: readonly Column[];
  direction: Direction;
  /** Last part of its cursors, so that no other order takes them. The oldest orders have none: clients hold their cursors. */
  name?: string;
}

interface Column {
  sql: RawBuilder<unknown>;
  type: keyof typeof FITS;
  /** Only of the first column: rows without a value are last in both directions. */
  isNullable: boolean;
}

export function column(name: string, type: Column['type'], isNullable = false): Column {
  return { sql: sql.ref(name), type, isNullable };
}

/** Forward the first rows behind the cursor `after`, backward the last ones in front of `before`. Null is as if left out. */
export interface PageRequest {
  /** Rows wanted, 1 to 100 */
  first?: number | null | undefined;
  after?: string | null | undefined;
  /** Rows wanted, 1 to 100 */
  last?: number | null | undefined;
  before?: string | null | undefined;
}

/** The field by which a list is ordered; without a direction in that of `Orders`. */
export interface Ordering<Field extends string> {
  field: Field;
  direction?: Direction;
}

export interface OrderedPageRequest<Field extends string> extends PageRequest {
  order?: Ordering<Field> | null | undefined;
}

/** By field: its order in the direction that is older than the other, or more usual. */
export type Orders<Field extends string> = Record<Field, Order>;

export const MAX_ROWS = 100;
/** Rows of a page if a request does not say how many. */
export const DEFAULT_ROWS = 50;

export const rowsRefused = (argument: 'first' | 'last') => `${argument} must be 1 to ${MAX_ROWS}`;

/** @param usual the field if the request names none @throws {AdminRefusal} as `Walk` */
export function walkBy<Field extends string>(
  orders: Orders<Field>,
  usual: Field,
  { order, ...page }: OrderedPageRequest<Field>,
): Walk {
  const { field, direction } = order ?? { field: usual };
  const own = orders[field];
  const isOwn = direction === undefined || direction === own.direction;
  return new Walk(isOwn ? own : { columns: own.columns, direction, name: `${field} ${direction}` }, page);
}

/** Reads a page in the order of a list, or from behind against it. */
export class Walk {
  readonly size: number;
  /** One row more shows whether another page follows. */
  readonly limit: number;
  readonly isBackward: boolean;
  /** Of the columns, as they are read */
  readonly isDescending: boolean;
  /** Key of the row next to the page; undefined at the end of the list */
  readonly from: readonly string[] | undefined;

  /** @throws {AdminRefusal} for arguments that do not fit, or a cursor of another order */
  constructor(
    private readonly order: Order,
    { first, after, last, before }: PageRequest,
  ) {
    this.isBackward = last != null || before != null;
    if (this.isBackward && (first != null || after != null)) {
      const message = 'first and after go forward, last and before go backward: send only one of these pairs';
      throw new AdminRefusal('invalid_page', message, { argument: first != null ? 'first' : 'after' });
    }
    this.size = first ?? last ?? DEFAULT_ROWS;
    if (!Number.isInteger(this.size) || this.size < 1 || this.size > MAX_ROWS) {
      const argument = this.isBackward ? 'last' : 'first';
      throw new AdminRefusal('invalid_page', rowsRefused(argument), { argument });
    }
    this.limit = this.size + 1;
    const cursor = this.isBackward ? before : after;
    if (cursor != null) this.from = decodeCursor(order, cursor, this.isBackward ? 'before' : 'after');
    this.isDescending = (order.direction === 'desc') !== this.isBackward;
  }

  /** SQL: the parts of the key of a row, which are its cursor */
  get key(): RawBuilder<string[]> {
    const { columns, name } = this.order;
    return sql`array[${sql.join([...columns.map(keyPart), ...(name === undefined ? [] : [sql.lit(name)])])}]`;
  }

  /** For `order by`. @param columns SQL of the columns, if they have other names there */
  rows(...columns: Array<RawBuilder<unknown>>): RawBuilder<unknown> {
    return this.sorted(columns, this.isDescending, this.isBackward);
  }

  /** For `order by`: the opposite of `rows` */
  get reversed(): RawBuilder<unknown> {
    return this.sorted([], !this.isDescending, !this.isBackward);
  }

  private sorted(named: Array<RawBuilder<unknown>>, isDescending: boolean, isNullFirst: boolean): RawBuilder<unknown> {
    const direction = sql.raw(isDescending ? 'desc' : 'asc');
    const nulls = sql.raw(isNullFirst ? ' nulls first' : ' nulls last');
    return sql.join(
      this.order.columns.map((own, i) => sql`${named[i] ?? own.sql} ${direction}${own.isNullable ? nulls : sql``}`),
    );
  }

  /** The rows after `from`, compared as a whole, so that an index of the columns serves. @param columns as of `rows` */
  beyond(...columns: Array<RawBuilder<unknown>>): RawBuilder<unknown> {
    const { order, from, isBackward } = this;
    if (from === undefined) return sql`true`;
    const than = sql.raw(this.isDescending ? '<' : '>');
    const compared = order.columns.map((own, i) => columns[i] ?? own.sql);
    const values = order.columns.map(({ type }, i) => sql`${from[i]}::${sql.raw(type)}`);
    const whole = sql`(${sql.join(compared)}) ${than} (${sql.join(values)})`;
    const [first] = compared;
    if (!order.columns[0]?.isNullable) return whole;
    if (from[0] !== NEVER) return isBackward ? whole : sql`(${whole} or ${first} is null)`;
    const rest = sql`(${sql.join(compared.slice(1))}) ${than} (${sql.join(values.slice(1))})`;
    return isBackward ? sql`(${first} is not null or ${rest})` : sql`${first} is null and ${rest}`;
  }
}

/** In the key of a row without a value, in its place. */
const NEVER = 'never';

function keyPart({ sql: column, type, isNullable }: Column): RawBuilder<unknown> {
  const text = type === 'timestamptz' ? exactTime(column) : sql`${column}::text`;
  return isNullable ? sql`coalesce(${text}, ${sql.lit(NEVER)})` : text;
}

/** A time in microseconds, which a Date cannot hold */
export function exactTime(column: RawBuilder<unknown>): RawBuilder<string> {
  return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

const EXACT_TIME = /^((?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})\d{3}Z$/;

/** Whether a text is in a key of that type, so that PostgreSQL takes it. */
const FITS = {
  timestamptz: (text: string): boolean => {
    const [, toTheMillisecond] = EXACT_TIME.exec(text) ?? [];
    const time = new Date(`${toTheMillisecond}Z`);
    return !Number.isNaN(time.getTime()) && time.toISOString() === `${toTheMillisecond}Z`;
  },
  uuid: isUuid,
  text: (text: string): boolean => !hasNul(text),
  smallint: (text: string): boolean => /^\d$/.test(text),
};

/** A cursor is the key of its row, opaque to clients. */
export function encodeCursor(...key: readonly string[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** @throws {AdminRefusal} if the text is not a cursor of this order */
export function decodeCursor(
  { columns, name }: Pick<Order, 'columns' | 'name'>,
  cursor: string,
  argument: string,
): string[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const isKey = (parts: unknown[]): parts is string[] =>
      parts.length === columns.length + (name === undefined ? 0 : 1) &&
      parts.every((part) => typeof part === 'string') &&
      parts[columns.length] === name &&
      columns.every(({ type, isNullable }, i) => FITS[type](parts[i] ?? '') || (isNullable && parts[i] === NEVER));
    if (Array.isArray(key) && isKey(key)) return key;
  } catch {
    // refused below
  }
  throw new AdminRefusal('invalid_page', `${argument} is not a cursor of this listing`, { argument });
}
