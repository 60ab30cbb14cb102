/**
 * Rounds of short slices. A machine's speed drifts, so what is compared takes turns: in a pass each side has a slice, and
 * the next pass goes the other way round (A B, B A, …). A ratio is taken within a pass, of slices that are seconds apart.
 */
import type { Comparison, Side } from './comparisons.js';
import { type Row, runOnce, Unanswered, type Work } from './work.js';

/** One side in one pass: the quietest of its measurements */
export interface Slice {
  work: string;
  round: number;
  /** Counts through all rounds; slices of one pass are neighbours */
  pass: number;
  /** Of the CPU of the whole machine, what others have used meanwhile */
  strangers: number;
  rows: Row[];
}

export interface Failed {
  work: string;
  why: string;
}

/** What there is so far, also if the run is interrupted */
export interface Measured {
  slices: Slice[];
  failed: Failed[];
}

/** Above this share of the machine strangers have disturbed a slice. */
export const NOISY = 0.1;
/** How often a disturbed slice is tried again, and how often in all: a machine that is never quiet is to be done some time. */
const AGAIN = 1;
const AGAIN_IN_ALL = 24;

/** The longest path, of a signed request, becomes faster for seconds. */
const WARM_UP_SECONDS = 4;

export interface Rounds {
  rounds: number;
  /** Begins to look for strangers */
  watch(): { share(): number };
  /** An interrupt ends the servers too: errors after it are no failures. */
  interrupted: AbortSignal;
  say(line: string): void;
  /** After each round, the first is 1 */
  onRound(round: number): void;
}

/** @param measured is added to */
export async function inRounds(comparisons: readonly Comparison[], how: Rounds, measured: Measured): Promise<void> {
  let againLeft = AGAIN_IN_ALL;
  let pass = 0;

  const measureOnce = async ({ work, part, seconds }: Side, round: number): Promise<Slice> => {
    const run = await part.prepare(seconds);
    const watching = how.watch();
    const rows = await run().catch((error: unknown) => {
      if (error instanceof Unanswered && watching.share() > NOISY) return [];
      throw error;
    });
    const strangers = watching.share();
    how.interrupted.throwIfAborted();
    for (const row of rows) how.say(`round ${round}: ${lineOf(row)}; strangers ${(strangers * 100).toFixed(0)} %`);
    return { work, round, pass, strangers, rows };
  };
  const measure = async (side: Side, round: number): Promise<Slice> => {
    let quietest = await measureOnce(side, round);
    for (let tries = 0; quietest.strangers > NOISY && tries < AGAIN && againLeft > 0; tries += 1) {
      how.say('disturbed, once more');
      againLeft -= 1;
      const another = await measureOnce(side, round);
      if (another.strangers < quietest.strangers) quietest = another;
    }
    return quietest;
  };

  for (let round = 1; round <= how.rounds; round += 1) {
    for (const { sides, passes } of comparisons) {
      for (let turn = 0; turn < passes; turn += 1) {
        pass += 1;
        for (const side of turn % 2 === 0 ? sides : sides.toReversed()) {
          try {
            measured.slices.push(await measure(side, round));
          } catch (error) {
            how.interrupted.throwIfAborted();
            const why = error instanceof Error ? error.message : String(error);
            measured.failed.push({ work: side.work, why });
            how.say(`${side.work} failed: ${why}`);
          }
        }
      }
    }
    how.onRound(round);
  }
}

/** Each work once, so that it is compiled. A failure is reported in its round. */
export async function warmUp(works: readonly Work[]): Promise<void> {
  for (const work of works) await runOnce(work, WARM_UP_SECONDS).catch(() => undefined);
}

function lineOf({ what, connections, ...figures }: Row): string {
  const shown = Object.entries(figures).map(([name, figure]) => `${name} ${Number(figure.toPrecision(4))}`);
  return `${what}${connections === undefined ? '' : ` at ${connections}`}: ${shown.join(', ')}`;
}
