/** Logs repeated lines a few times, with their number, so that an outage does not fill the disk. (Interface 14) */

const PERIOD_MS = 10_000;
/** Kinds that are counted separately at one time; all others count as one. */
const MAX_KINDS = 100;

/** A field of a line: how many similar lines were left out before it. Absent if none were. */
export interface Repeated {
  repeated?: number;
}

export type LogLine = (more: Repeated) => void;

export interface Sampling {
  /**
   * Logs the first `most` lines of a kind in ten seconds at once, and counts the others. At the end the newest of them is
   * logged with that count, and counts for the next ten seconds.
   */
  sample(kind: string, most: number, log: LogLine): void;
  /** Logs at once what was counted. */
  flush(): void;
}

interface Kind {
  logged: number;
  leftOut: number;
  newest?: LogLine;
}

/** @param after a timer: calls a function after so many milliseconds */
export function createSampling(after: (ms: number, call: () => void) => void = later): Sampling {
  const kinds = new Map<string, Kind>();

  const logLeftOut = (kind: Kind): void => {
    if (kind.newest === undefined) return;
    kind.newest(kind.leftOut === 1 ? {} : { repeated: kind.leftOut - 1 });
    kind.logged = 1;
    kind.leftOut = 0;
    delete kind.newest;
  };
  const endPeriod = (name: string, kind: Kind): void => {
    if (kind.newest === undefined) return void kinds.delete(name);
    logLeftOut(kind);
    after(PERIOD_MS, () => endPeriod(name, kind));
  };
  return {
    sample: (wanted, most, log) => {
      const name = kinds.has(wanted) || kinds.size < MAX_KINDS ? wanted : 'other';
      let kind = kinds.get(name);
      if (kind === undefined) {
        const begun: Kind = { logged: 0, leftOut: 0 };
        kind = begun;
        kinds.set(name, begun);
        after(PERIOD_MS, () => endPeriod(name, begun));
      }
      if (kind.logged < most) {
        kind.logged += 1;
        return log({});
      }
      kind.leftOut += 1;
      kind.newest = log;
    },
    flush: () => {
      for (const kind of kinds.values()) logLeftOut(kind);
    },
  };
}

function later(ms: number, call: () => void): void {
  setTimeout(call, ms).unref();
}
