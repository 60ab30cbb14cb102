/** Whether what a process holds rises. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../experiment.js';
import type { Postgres } from './postgres.js';
import { descriptorsOf, memoryOf } from './process.js';
import { slope } from './stats.js';

/** What a line fitted through the samples may rise by in the time that is judged */
const MOST = { mib: 20, descriptors: 20, connections: 20 };
/** At the beginning pools and caches fill: that is not judged. */
const WARM_UP_SHARE = 1 / 3;

export type Sampled = keyof typeof MOST;

interface Sample extends Record<Sampled, number> {
  second: number;
}

/** Looks every second at a process and the connections of the database. */
export function startSamples(pid: number, db: Postgres): { stop(): Promise<Sample[]> } {
  const startedMs = performance.now();
  const samples: Sample[] = [];
  let isOver = false;
  const look = async (): Promise<void> => {
    while (!isOver) {
      const [{ connections } = { connections: 0 }] = await db.query<{ connections: number }>(
        "select count(*)::integer as connections from pg_stat_activity where backend_type = 'client backend'",
      );
      const second = (performance.now() - startedMs) / 1000;
      samples.push({ second, mib: memoryOf(pid).residentMib, descriptors: descriptorsOf(pid), connections });
      await sleep(1_000);
    }
  };
  const looking = look();
  return {
    stop: async () => {
      isOver = true;
      await looking;
      return samples;
    },
  };
}

/**
 * @param when as in `under steady work`
 * @param expectedSeconds how long that was to take
 */
export function judgeRise(what: Sampled, when: string, samples: Sample[], expectedSeconds: number): Row {
  const judged = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const perSecond = slope(judged.map((sample) => [sample.second, sample[what]]));
  const seconds = (judged.at(-1)?.second ?? 0) - (judged[0]?.second ?? 0);
  return {
    what: `a rise of more than ${MOST[what]} ${what} ${when}`,
    trials: judged.length,
    least: expectedSeconds / 3, // a machine that is busy looks less often
    violations: perSecond * seconds > MOST[what] ? 1 : 0,
    figures: { rise_per_minute: perSecond * 60, last: judged.at(-1)?.[what] ?? 0, seconds },
  };
}
