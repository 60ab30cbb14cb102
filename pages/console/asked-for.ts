/** A dialog that an address asks for, as the list of commands does: `/console/users?new=user`. */
import { useEffect } from 'preact/hooks';
import { place, setQuery } from '../kit/location.js';

/** Opens it once, and takes the field out of the address, so that a reload does not open it again. */
export function useAskedFor(open: (what: string) => void): void {
  const asked = place.value.query.get('new');
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each request
  useEffect(() => {
    if (asked === null) return;
    setQuery({ new: undefined }, { replace: true });
    open(asked);
  }, [asked]);
}
