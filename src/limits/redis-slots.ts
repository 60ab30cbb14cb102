/** Which keys of a cluster of Redis are on which of its masters. */
import { Command } from 'ioredis';

/** Enough for masters of very different shares. */
const MOST_TRIES = 1_000;

/**
 * A key for each master.
 * @param slots for each slot of the cluster its master, then its replicas
 * @param prefix of each key
 */
export function keysOfMasters(slots: string[][], prefix: string): string[] {
  const masters = new Set(slots.map(([master]) => master));
  const keys = new Map<string | undefined, string>();
  for (let i = 0; keys.size < masters.size && i < MOST_TRIES; i += 1) {
    const key = `${prefix}:${i}`;
    const [master] = slots[new Command('set', [key]).getSlot()] ?? [];
    if (!keys.has(master)) keys.set(master, key);
  }
  return [...keys.values()];
}
