/** A table; in a narrow place each row becomes a card, whose cells have the names of their columns. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { More } from './more.js';
import type { Rows } from './rows.js';
import { Empty, Loading, ProblemNotice } from './states.js';

export interface Sort {
  /** Undefined if the rows are sorted by another column */
  direction: 'asc' | 'desc' | undefined;
  onSort(): void;
}

export interface Column<Row> {
  name: string;
  cell(row: Row): ComponentChildren;
  /** In the place of the name, such as a checkbox for all rows */
  head?: ComponentChildren;
  /** A name for screen readers alone, such as that of a column of buttons */
  isNameHidden?: boolean;
  align?: 'end';
  /** The link in it is where the row leads, which can be clicked anywhere. */
  isTarget?: boolean;
  sort?: Sort;
  /** For a short text, such as a time; the other columns share the rest. */
  width?: 'narrow' | 'time' | 'tick';
}

/** The column of what can be done with a row, without a name to see. */
export function actions<Row>(cell: Column<Row>['cell']): Column<Row> {
  return { name: 'Actions', isNameHidden: true, align: 'end', cell };
}

interface TableProps<Row> {
  /** Names the table for screen readers */
  caption: string;
  columns: ReadonlyArray<Column<Row> | false>;
  rows: readonly Row[];
  keyOf(row: Row): string;
  /** Marks a row, for example of a search */
  isMarked?: (row: Row) => boolean;
}

const SORTED = { asc: 'ascending', desc: 'descending' } as const;

export function Table<Row>({ caption, columns, rows, keyOf, isMarked }: TableProps<Row>) {
  const shown = columns.filter((column) => column !== false);
  return (
    <table class={shown.length > 5 ? 'crowded' : undefined}>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {shown.map(({ name, head, isNameHidden, align, width, sort }) => (
            <th
              key={name}
              scope="col"
              class={[align, width, sort && 'sortable'].filter(Boolean).join(' ') || undefined}
              aria-sort={sort?.direction && SORTED[sort.direction]}
            >
              {sort === undefined ? (
                (head ?? <span class={isNameHidden ? 'unseen' : undefined}>{name}</span>)
              ) : (
                <button type="button" class="sort" onClick={sort.onSort}>
                  {name}
                </button>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} class={isMarked?.(row) ? 'marked' : undefined} onClick={followFromTime}>
            {shown.map(({ name, isNameHidden, cell, align, width, isTarget }) => (
              <td
                key={name}
                class={[align, width !== 'narrow' && width, isTarget && 'target'].filter(Boolean).join(' ')}
              >
                {!isNameHidden && (
                  <span class="label" aria-hidden="true">
                    {name}
                  </span>
                )}
                <div class="value">{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A time is above the link that covers the row, for its title; it leads there too. */
function followFromTime({ target, currentTarget }: MouseEvent): void {
  if (!(target as Element).matches('time')) return;
  (currentTarget as Element).querySelector<HTMLElement>('.target a')?.click();
}

interface ListProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  read: Rows<Row>;
  /** What is shown in place of a table without rows */
  empty: ComponentChildren;
}

/** The rows of a list with its states and a button for more. */
export function List<Row>({ read, empty, ...table }: ListProps<Row>) {
  const { rows, hasMore, isLoading, problem } = read;
  const list = useRef<HTMLDivElement>(null);
  return (
    <div aria-busy={isLoading} ref={list}>
      <ProblemNotice problem={problem} />
      {rows === undefined && problem === undefined && <Loading />}
      {rows?.length === 0 && !hasMore && <Empty>{empty}</Empty>}
      {rows !== undefined && rows.length > 0 && <Table rows={rows} {...table} />}
      <More read={read} label="Show more" list={list} row="tbody tr" />
    </div>
  );
}

export interface Count {
  count: number;
  precision: 'exact' | 'at_least';
}

/** `1 user`, `10,000 users or more` */
export function countText(count: Count | null | undefined, noun: string): string {
  if (count == null) return '';
  const number = count.count.toLocaleString('en-GB');
  return `${number} ${noun}${count.count === 1 ? '' : 's'}${count.precision === 'exact' ? '' : ' or more'}`;
}
