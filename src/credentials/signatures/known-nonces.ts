/** Nonces that this process has seen, in memory only: a first check in front of the table of nonces. (Interface 6) */
import { LRUCache } from 'lru-cache';

/** Keyed by key id and nonce */
export type KnownNonces = LRUCache<string, true>;

/** About 3 MB. The table decides about nonces that were evicted here. */
const MAX_KNOWN = 10_000;

export function createKnownNonces(): KnownNonces {
  return new LRUCache({ max: MAX_KNOWN });
}
