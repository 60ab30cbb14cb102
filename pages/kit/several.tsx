/** A list in a cell: the first few, and the others on demand. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface Props {
  items: readonly ComponentChildren[];
  /** How many are shown at first */
  most?: number;
}

export function Several({ items, most = 3 }: Props) {
  const [isWhole, setWhole] = useState(false);
  const isLong = items.length > most + 1; // a button in the place of one item would save nothing
  const shown = isLong && !isWhole ? items.slice(0, most) : items;
  return (
    <>
      <ul class="several">
        {shown.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the items of a row do not move
          <li key={index}>{item}</li>
        ))}
      </ul>
      {isLong && (
        <button type="button" class="small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${items.length}`}
        </button>
      )}
    </>
  );
}
