/** Ids of elements. */
import { useState } from 'preact/hooks';

let count = 0;

/** Preact 10.29's `useId` counts from zero again in what is drawn later, so a label could name the field of another form. */
export function useUniqueId(): string {
  const [id] = useState(() => {
    count += 1;
    return `id-${count}`;
  });
  return id;
}
