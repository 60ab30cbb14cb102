/** Interface 9: `audit tail --follow`: every event once, though instances commit them out of order. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEventFilter, AuditRow } from '../audit/log.js';
import { addSeconds, type Clock } from '../platform/clock.js';
import type { Terminal } from './terminal.js';

/** How often it looks: milliseconds. */
const LOOK_AGAIN_MS = 1_000;
/**
 * How long ago a new event may have happened: seconds. It has the time at which its change began, by the clock of its
 * instance, which may be a minute from ours; a change may take 20 s until it is committed.
 */
const LOOK_BACK_SECONDS = 90;

/** The audit log, as it is followed. */
export interface FollowedLog {
  /** Events of a filter, the newest first, `most` of them at most */
  latest(filter: AuditEventFilter, most: number): Promise<AuditRow[]>;
  /** For `fromTransaction` of the next look */
  oldestTransaction(): Promise<string>;
}

/**
 * Prints the latest `lines` events, then each new one, until the terminal wants no more. A look reads what has been
 * committed since the one before: what other transactions had written then is known, unless they go on.
 * @param print in the order in which they happened
 */
export async function follow(
  { clock, terminal }: { clock: Clock; terminal: Terminal },
  filter: AuditEventFilter,
  lines: number,
  { latest, oldestTransaction }: FollowedLog,
  print: (events: AuditRow[]) => void,
): Promise<void> {
  const stopped = terminal.untilStopped();
  let [newest] = await latest(filter, 1);
  let from = lookBack(clock, newest, filter.since ?? undefined);
  let oldest = await oldestTransaction();
  const fresh = () => latest({ ...filter, since: from, fromTransaction: oldest }, Number.POSITIVE_INFINITY);

  const before = await fresh(); // read first: what comes meanwhile is among the latest, or new
  const shown = await latest(filter, lines);
  print(shown.toReversed());
  let known = new Set([...before, ...shown].map(({ id }) => id));

  while (await pause(stopped)) {
    const next = await oldestTransaction(); // before the look: what is committed between the two is read twice, and known
    const events = await fresh();
    print(events.filter(({ id }) => !known.has(id)).reverse());
    known = new Set(events.map(({ id }) => id));
    oldest = next;
    newest = events[0] ?? newest;
    from = lookBack(clock, newest, from);
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
