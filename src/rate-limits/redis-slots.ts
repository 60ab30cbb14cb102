/** Finds keys that are on given masters of a Redis cluster. */
import { Command } from 'ioredis';

/** Enough even if a master has few slots. */
const MOST_TRIES = 1_000;

/**
 * One key on each master.
 * @param slots for each slot of the cluster its master, then its replicas
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
