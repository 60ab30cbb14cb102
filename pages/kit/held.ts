/** Rows that are asked for again and again, and do not move while they are read. */
import { useState } from 'preact/hooks';

export interface Held<Row> {
  /** Undefined until the first answer is there */
  shown: Row[] | undefined;
  /** Whether the newest answer has other rows */
  isChanged: boolean;
  /** Number of rows that are not shown yet */
  newCount: number;
  /** Shows the newest answer. */
  show(): void;
}

/** Rows that are still there take the values of the newest answer; others wait until `show`. */
export function useHeld<Row>(latest: Row[] | undefined, keyOf: (row: Row) => string): Held<Row> {
  const [held, setHeld] = useState<string[]>();
  const [known] = useState(() => new Map<string, Row>());
  for (const row of latest ?? []) known.set(keyOf(row), row);
  if (held === undefined && latest !== undefined) setHeld(latest.map(keyOf));
  const keys = latest?.map(keyOf) ?? [];
  const newCount = keys.filter((key) => held !== undefined && !held.includes(key)).length;
  return {
    shown: held?.flatMap((key) => known.get(key) ?? []),
    isChanged: latest !== undefined && held !== undefined && keys.join() !== held.join(),
    newCount,
    show: () => setHeld(keys),
  };
}
