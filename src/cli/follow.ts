/** Interface 9: `audit tail --follow`: every event once, though instances commit them out of order. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEventFilter, AuditRow } from '../admin/audit-log.js';
import { addSeconds, type Clock } from '../platform/clock.js';
import type { Terminal } from './terminal.js';

/** How often it looks: milliseconds. */
const LOOK_AGAIN_MS = 1_000;
/**
 * How far back it looks each time: seconds. An event has the time at which its change began, by the clock of its
 * instance, which may be a minute from ours; a change may take 20 s until it is committed.
 */
const LOOK_BACK_SECONDS = 90;

/**
 * Prints the latest `lines` events, then each new one, until the terminal wants no more.
 * @param latest events of a filter, the newest first
 * @param print in the order in which they happened
 */
export async function follow(
  { clock, terminal }: { clock: Clock; terminal: Terminal },
  filter: AuditEventFilter,
  lines: number,
  latest: (filter: AuditEventFilter, most: number) => Promise<AuditRow[]>,
  print: (events: AuditRow[]) => void,
): Promise<void> {
  const stopped = terminal.untilStopped();
  const [newest] = await latest(filter, 1);
  let from = lookBack(clock, newest, filter.since ?? undefined);
  const recent = () => latest({ ...filter, since: from }, Number.POSITIVE_INFINITY);

  const before = await recent(); // read first: what comes meanwhile is among the latest, or new
  const shown = await latest(filter, lines);
  print(shown.toReversed());
  let known = new Set([...before, ...shown].map(({ id }) => id));

  while (await pause(stopped)) {
    const events = await recent();
    print(events.filter(({ id }) => !known.has(id)).reverse());
    known = new Set(events.map(({ id }) => id));
    from = lookBack(clock, events[0], from);
  }
}

/** The beginning of what is looked at: it never goes back, or what has long been there would seem new. */
function lookBack(clock: Clock, newest: AuditRow | undefined, before: Date | undefined): Date {
  const now = clock.now();
  const latest = newest === undefined || newest.createdAt > now ? now : newest.createdAt;
  const from = addSeconds(latest, -LOOK_BACK_SECONDS);
  return before !== undefined && before > from ? before : from;
}

/** @returns false where it is not to go on */
function pause(stopped: AbortSignal): Promise<boolean> {
  return sleep(LOOK_AGAIN_MS, true, { signal: stopped }).catch(() => false);
}
