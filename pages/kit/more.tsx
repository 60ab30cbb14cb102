/** The button for the next page of a list. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Rows } from './rows.js';

interface Props {
  read: Rows<unknown>;
  label: string;
  /** What the rows are in */
  list: RefObject<HTMLElement>;
  /** Selects a row in it */
  row: string;
}

/** It has the focus while the page is read, so it is never disabled. If it goes away, the first new row gets the focus. */
export function More({ read: { rows, hasMore, isLoading, more }, label, list, row }: Props) {
  const before = useRef<{ rows: number; elements: number }>();
  const elements = () => list.current?.querySelectorAll<HTMLElement>(row) ?? [];

  useEffect(() => {
    if (before.current === undefined || before.current.rows === rows?.length) return;
    const [first] = [...elements()].slice(before.current.elements);
    before.current = undefined;
    if (first === undefined || document.activeElement !== document.body) return;
    first.tabIndex = -1;
    first.focus({ preventScroll: true });
  });

  if (!hasMore) return null;
  const press = (): void => {
    if (isLoading) return;
    before.current = { rows: rows?.length ?? 0, elements: elements().length };
    more();
  };
  return (
    <p class="more">
      <button type="button" onClick={press} aria-disabled={isLoading}>
        {isLoading ? 'Loading…' : label}
      </button>
    </p>
  );
}
