/** Interface 14: what happens thousands of times is told a few times, and how often: an outage must not fill the disk. */

const PERIOD_MS = 10_000;
/** Kinds that are told apart at one time; what is beyond counts as one more. */
const MAX_KINDS = 100;

/** A field of a line: how many more of its kind it stands for, which have not been told; not there where none. */
export interface Repeated {
  repeated?: number;
}

export type Tell = (more: Repeated) => void;

export interface Sampling {
  /**
   * Tells at once what comes first of its kind. What comes then, within ten seconds and beyond `most`, is counted; at
   * their end the newest is told for all of them, and counts for the next ten seconds.
   */
  sample(kind: string, most: number, tell: Tell): void;
  /** Tells at once what was counted. */
  flush(): void;
}

interface Kind {
  told: number;
  untold: number;
  newest?: Tell;
}

/** @param after calls something after so many milliseconds */
export function createSampling(after: (ms: number, call: () => void) => void = later): Sampling {
  const kinds = new Map<string, Kind>();

  const tellUntold = (kind: Kind): void => {
    if (kind.newest === undefined) return;
    kind.newest(kind.untold === 1 ? {} : { repeated: kind.untold - 1 });
    kind.told = 1;
    kind.untold = 0;
    delete kind.newest;
  };
  const endPeriod = (name: string, kind: Kind): void => {
    if (kind.newest === undefined) return void kinds.delete(name);
    tellUntold(kind);
    after(PERIOD_MS, () => endPeriod(name, kind));
  };
  return {
    sample: (wanted, most, tell) => {
      const name = kinds.has(wanted) || kinds.size < MAX_KINDS ? wanted : 'other';
      let kind = kinds.get(name);
      if (kind === undefined) {
        const begun: Kind = { told: 0, untold: 0 };
        kind = begun;
        kinds.set(name, begun);
        after(PERIOD_MS, () => endPeriod(name, begun));
      }
      if (kind.told < most) {
        kind.told += 1;
        return tell({});
      }
      kind.untold += 1;
      kind.newest = tell;
    },
    flush: () => {
      for (const kind of kinds.values()) tellUntold(kind);
    },
  };
}

function later(ms: number, call: () => void): void {
  setTimeout(call, ms).unref();
}
