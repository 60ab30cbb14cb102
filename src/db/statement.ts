/** Statements: SQL next to the types of its parameters and rows. docs/architecture.md says which rooms run them. */

/** Types of PostgreSQL that statements use, and what the driver takes and gives for each. */
interface Values {
  /** As text, since a number cannot hold each */
  bigint: string;
  boolean: boolean;
  bytea: Uint8Array;
  integer: number;
  jsonb: unknown;
  text: string;
  'text[]': string[];
  timestamptz: Date;
  uuid: string;
}

type Type = keyof Values;

/** A parameter or column: its type; with `?`, or null; or a type of which it has some values only. */
export type Field = Type | `${Type}?` | Only<unknown>;

interface Only<T> {
  type: Type | `${Type}?`;
  /** Never there: it carries the type of the values. */
  values?: T;
}

/** For what holds less than its type: `only<Role>('text')`, `only<Role | null>('text?')`. */
export function only<T>(type: Type | `${Type}?`): Only<T> {
  return { type };
}

export type Fields = Record<string, Field>;

type ValueOf<F> =
  F extends Only<infer T>
    ? T
    : F extends `${infer Base extends Type}?`
      ? Values[Base] | null
      : F extends Type
        ? Values[F]
        : never;

export type ValuesOf<F extends Fields> = { [K in keyof F]: ValueOf<F[K]> };

/** SQL text with named parameters, next to the types of its parameters and rows. */
export interface Statement<Parameters extends Fields = Fields, Row extends Fields = Fields> {
  /** Under which a connection keeps it prepared */
  name: string;
  parameters: Parameters;
  row: Row;
  /** As PostgreSQL reads it, with `$1::uuid` in the place of `:jti` */
  text: string;
  /** Names of the parameters, in the order of their numbers */
  order: string[];
  /** Those of them that are JSON */
  json: ReadonlySet<string>;
  /** The form for many calls at once, if it has one */
  batch?: Batch;
}

/** What a statement gives a row of. */
export type RowOf<S> = S extends Statement<Fields, infer Row> ? ValuesOf<Row> : never;

/** Where statements run: on a pool, or inside a transaction. */
export interface Db {
  run<Parameters extends Fields, Row extends Fields>(
    statement: Statement<Parameters, Row>,
    values: ValuesOf<Parameters>,
  ): Promise<Array<ValuesOf<Row>>>;
}

/** `:name`, but not the second half of a cast. */
const PARAMETER = /(?<!:):([a-z][a-z0-9_]*)/g;

/**
 * Made once, when its file is loaded: `statement(name, types of the parameters, types of the columns)` before the SQL.
 * That these are the types of the migrated tables is tested.
 * @throws {TypeError} if the parameters are not those of the text
 */
export function statement<const Parameters extends Fields, const Row extends Fields>(
  name: string,
  parameters: Parameters,
  row: Row,
): (sql: TemplateStringsArray, ...parts: Array<string | number>) => Statement<Parameters, Row> {
  return (strings, ...parts) => {
    const sql = String.raw(strings, ...parts).trim();
    const order = [...new Set(Array.from(sql.matchAll(PARAMETER), ([, parameter = '']) => parameter))];
    if (order.toSorted().join() !== Object.keys(parameters).toSorted().join()) {
      throw new TypeError(`${name} declares ${Object.keys(parameters)} and uses ${order}`);
    }
    const text = sql.replace(PARAMETER, (_, parameter: string) => {
      return `$${order.indexOf(parameter) + 1}::${typeOf(parameters[parameter])}`;
    });
    const json = new Set(order.filter((parameter) => typeOf(parameters[parameter]) === 'jsonb'));
    return { name, parameters, row, text, order, json };
  };
}

/** The second form of a statement: each parameter is an array, with one element a call. */
export interface Batch extends Omit<Statement, 'parameters'> {
  /** Types of the arrays */
  parameters: Record<string, string>;
  /** How many batches may be on their way at a time */
  lanes: number;
  /** Two calls of the same identity are never in one batch: both would find what only the first may have */
  identity(values: Record<string, unknown>): unknown;
}

interface Options<Parameters extends Fields> {
  lanes: number;
  identity(values: ValuesOf<Parameters>): unknown;
}

/**
 * Adds the form for many calls to a statement that gives at most one row. Its SQL follows `with asked as (…),`, where
 * `asked` has a row for each call: its parameters, and its number `n`. The SQL returns rows as the other form does, with `n`.
 * It must not wait for a lock for long. A call without a row is sent again, alone, and has the last word: so the SQL leaves
 * out, and does nothing for, each call whose row is locked or that is to be refused.
 */
export function batched<Parameters extends Fields, Row extends Fields>(
  single: Statement<Parameters, Row>,
  { lanes, identity }: Options<Parameters>,
): (sql: TemplateStringsArray, ...parts: Array<string | number>) => Statement<Parameters, Row> {
  return (strings, ...parts) => {
    const { name, order, parameters, row } = single;
    const types = Object.fromEntries(order.map((parameter) => [parameter, `${typeOf(parameters[parameter])}[]`]));
    const arrays = order.map((parameter, i) => `$${i + 1}::${types[parameter]}`);
    const asked = `select ${order}, n::integer from unnest(${arrays}) with ordinality as calls (${order}, n)`;
    const batch = {
      ...single,
      name: `${name}_batch`,
      parameters: types,
      row: { ...row, n: 'integer' } as const,
      text: `with asked as materialized (${asked}), ${String.raw(strings, ...parts).trim()}`,
      lanes,
      identity: identity as Batch['identity'],
    };
    return { ...single, batch };
  };
}

/** The type without what TypeScript alone knows of it. */
export function typeOf(field: Field | undefined): string {
  return (typeof field === 'object' ? field.type : String(field)).replace(/\?$/, '');
}

/** The values in the order of their numbers; JSON as text, since the driver would take its arrays for PostgreSQL's. */
export function valuesOf({ order, json }: Statement, values: Record<string, unknown>): unknown[] {
  return order.map((name) => (json.has(name) ? JSON.stringify(values[name]) : values[name]));
}
