/** Interface 6: nonces of which this process knows that they are used, or is about to learn it. In memory alone. */
import { LRUCache } from 'lru-cache';

/** By key id and nonce */
export type KnownNonces = LRUCache<string, true>;

/** Some 3 MB. Whether a nonce is used, the table of them decides: of those that are forgotten here it is asked. */
const MAX_KNOWN = 10_000;

export function createKnownNonces(): KnownNonces {
  return new LRUCache({ max: MAX_KNOWN });
}
