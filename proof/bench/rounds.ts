/** Rounds in turns: every part of every work once, then all again. What strangers have disturbed is measured anew. */
import { watchStrangers } from './cpu.js';
import type { Row, Work } from './work.js';

/** One part in one round: the quietest of its measurements */
export interface Measured {
  work: string;
  round: number;
  /** Of the CPU of the whole machine, what others have used meanwhile */
  strangers: number;
  rows: Row[];
}

export interface Failed {
  work: string;
  why: string;
}

/** Above this share of the machine a measurement is noisy. */
export const NOISY = 0.1;
/** How often a noisy one is tried again, and how often in all: a machine that is never quiet is to be done some time. */
const AGAIN = 2;
const AGAIN_IN_ALL = 12;

const WARM_UP_SECONDS = 1;

export interface Rounds {
  rounds: number;
  seconds: number;
  postmaster: number | undefined;
  say(line: string): void;
  /** After each round, the first is 1 */
  onRound(round: number): void;
}

export async function inRounds(works: Work[], how: Rounds): Promise<{ measured: Measured[]; failed: Failed[] }> {
  const measured: Measured[] = [];
  const failed: Failed[] = [];
  let againLeft = AGAIN_IN_ALL;

  const measureOnce = async (work: string, round: number, part: Work['parts'][number]): Promise<Measured> => {
    const watching = watchStrangers(how.postmaster);
    const rows = await part(how.seconds);
    const strangers = watching.share();
    for (const row of rows) how.say(`round ${round}: ${lineOf(row)}; strangers ${(strangers * 100).toFixed(0)} %`);
    return { work, round, strangers, rows };
  };
  const measure = async (...which: Parameters<typeof measureOnce>): Promise<Measured> => {
    let quietest = await measureOnce(...which);
    for (let tries = 0; quietest.strangers > NOISY && tries < AGAIN && againLeft > 0; tries += 1) {
      how.say('noisy, once more');
      againLeft -= 1;
      const another = await measureOnce(...which);
      if (another.strangers < quietest.strangers) quietest = another;
    }
    return quietest;
  };

  how.say('each is done once, so that it is compiled');
  for (const { parts } of works)
    await parts
      .at(-1)?.(WARM_UP_SECONDS)
      .catch(() => undefined); // is reported in its round
  for (let round = 1; round <= how.rounds; round += 1) {
    for (const { name, parts } of works) {
      for (const part of parts) {
        try {
          measured.push(await measure(name, round, part));
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          failed.push({ work: name, why });
          how.say(`${name} failed: ${why}`);
        }
      }
    }
    how.onRound(round);
  }
  return { measured, failed };
}

function lineOf({ what, connections, ...figures }: Row): string {
  const shown = Object.entries(figures).map(([name, figure]) => `${name} ${Number(figure.toPrecision(4))}`);
  return `${what}${connections === undefined ? '' : ` at ${connections}`}: ${shown.join(', ')}`;
}
