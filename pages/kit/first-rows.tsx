/** The first rows of a table that is whole, and the others on demand: a phone shows some at a time. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface Props<Row> {
  rows: readonly Row[];
  /** How many are shown at first */
  most?: number;
  children(shown: readonly Row[]): ComponentChildren;
}

export function FirstRows<Row>({ rows, most = 5, children }: Props<Row>) {
  const [isWhole, setWhole] = useState(false);
  const isLong = rows.length > most + 1; // a button in the place of one row would save nothing
  return (
    <>
      {children(isLong && !isWhole ? rows.slice(0, most) : rows)}
      {isLong && (
        <p class="more">
          <button type="button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show less' : `Show all ${rows.length}`}
          </button>
        </p>
      )}
    </>
  );
}
