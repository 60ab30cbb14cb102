/** A table; in a narrow place each row becomes a card, whose cells have the names of their columns. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { More } from './more.js';
import type { Rows } from './rows.js';
import { Empty, Loading, ProblemNotice } from './states.js';

export interface Column<Row> {
  name: string;
  cell(row: Row): ComponentChildren;
  /** A name for screen readers alone, such as that of a column of buttons */
  isNameHidden?: boolean;
  align?: 'end';
  /** For a short text, such as a time; the other columns share the rest. */
  width?: 'narrow' | 'time';
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

export function Table<Row>({ caption, columns, rows, keyOf, isMarked }: TableProps<Row>) {
  const shown = columns.filter((column) => column !== false);
  return (
    <table class={shown.length > 5 ? 'crowded' : undefined}>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {shown.map(({ name, isNameHidden, align, width }) => (
            <th key={name} scope="col" class={[align, width].filter(Boolean).join(' ') || undefined}>
              <span class={isNameHidden ? 'unseen' : undefined}>{name}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} class={isMarked?.(row) ? 'marked' : undefined}>
            {shown.map(({ name, isNameHidden, cell, align }) => (
              <td key={name} class={align}>
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
