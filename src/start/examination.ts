/** Findings of `doctor` in the running gateway. Everybody who asks shares one run. (Interface 11) */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PrintedFinding } from '../doctor/finding.js';
import type { Clock } from '../platform/clock.js';

export interface Examined {
  /** When the run ended */
  checkedAt: Date;
  findings: PrintedFinding[];
}

export interface Examination {
  /**
   * Runs it, unless that was done in the last minute, and waits for a run of somebody else.
   * @returns what the previous run found if this one takes too long, which then goes on; undefined if it is the first, and
   * once `stop` was called
   * @throws whatever prevents the run
   */
  latest(): Promise<Examined | undefined>;
  /** Ends a run, and waits until its connections are closed. */
  stop(): Promise<void>;
}

/** How long a result is for everybody: milliseconds. */
const FRESH_MS = 60_000;
/** How long a question waits: milliseconds. A check may take 8 s, and an answer is due sooner. */
const WAITED_MS = 3_500;

export function createExamination(
  clock: Clock,
  examine: (signal: AbortSignal) => Promise<PrintedFinding[]>,
): Examination {
  const ending = new AbortController();
  const { signal } = ending;
  let known: Examined | undefined;
  let running: Promise<Examined> | undefined;
  const isFresh = ({ checkedAt }: Examined): boolean =>
    Math.abs(clock.now().getTime() - checkedAt.getTime()) < FRESH_MS; // the clock may be set back
  const run = async (): Promise<Examined> => {
    try {
      const findings = await examine(signal);
      known = { checkedAt: clock.now(), findings };
      return known;
    } finally {
      running = undefined;
    }
  };
  return {
    latest: async () => {
      if (signal.aborted) return undefined;
      if (known !== undefined && isFresh(known)) return known;
      running ??= run();
      try {
        return (await Promise.race([running, sleep(WAITED_MS, undefined, { ref: false })])) ?? known;
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      }
    },
    stop: async () => {
      ending.abort();
      await running?.catch(() => undefined);
    },
  };
}
