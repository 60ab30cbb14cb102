/** The command `audit tail --follow` prints every event once, although instances commit them out of order. (Interface 9) */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEventFilter, AuditRow } from '../audit/log.js';
import { addSeconds, type Clock } from '../platform/clock.js';
import type { Terminal } from './terminal.js';

const POLL_MS = 1_000;
/**
 * Largest age of a new event: seconds. Its time is the start of its change by the clock of its instance, which may differ
 * from ours by a minute, and a change may take 20 s to commit.
 */
const LOOK_BACK_SECONDS = 90;

export interface FollowedLog {
  /** At most `most` events, newest first */
  latest(filter: AuditEventFilter, most: number): Promise<AuditRow[]>;
  /** For `fromTransaction` of the next poll */
  oldestTransaction(): Promise<string>;
}

/**
 * Prints the latest `lines` events, then each new one, until the terminal signals a stop. A poll reads the events of all
 * transactions that were open at the previous poll or have begun since; of these, the ones already printed are known.
 * @param print is given events in the order in which they happened
 */
export async function follow(
  { clock, terminal }: { clock: Clock; terminal: Terminal },
  filter: AuditEventFilter,
  lines: number,
  { latest, oldestTransaction }: FollowedLog,
  print: (events: AuditRow[]) => void,
): Promise<void> {
  const stopped = terminal.stopSignal();
  let [newest] = await latest(filter, 1);
  let from = lookBack(clock, newest, filter.since ?? undefined);
  let oldest = await oldestTransaction();
  const fresh = () => latest({ ...filter, since: from, fromTransaction: oldest }, Number.POSITIVE_INFINITY);

  const before = await fresh(); // read first: an event that arrives in between is among the latest, or new
  const shown = await latest(filter, lines);
  print(shown.toReversed());
  let known = new Set([...before, ...shown].map(({ id }) => id));

  while (await pause(stopped)) {
    const next = await oldestTransaction(); // before reading: an event that is committed between the two is read twice, and known
    const events = await fresh();
    print(events.filter(({ id }) => !known.has(id)).reverse());
    known = new Set(events.map(({ id }) => id));
    oldest = next;
    newest = events[0] ?? newest;
    from = lookBack(clock, newest, from);
  }
}

/** Start of the next poll. It never moves back: older events are no longer known, and would be printed again. */
function lookBack(clock: Clock, newest: AuditRow | undefined, before: Date | undefined): Date {
  const now = clock.now();
  const latest = newest === undefined || newest.createdAt > now ? now : newest.createdAt;
  const from = addSeconds(latest, -LOOK_BACK_SECONDS);
  return before !== undefined && before > from ? before : from;
}

/** @returns false if stopped */
function pause(stopped: AbortSignal): Promise<boolean> {
  return sleep(POLL_MS, true, { signal: stopped }).catch(() => false);
}
