/** What a network does to one request and its answer, drawn by fast-check: the simplest is that it does nothing. */
import fc from 'fast-check';

export interface Fault {
  /** Between `fetch` and the cookie being read from the jar: milliseconds, as all times here */
  startMs: number;
  /** The request's way, and the answer's: how long, and whether it comes to its end */
  thereMs: number;
  backMs: number;
  /**
   * `request lost`: the server never has it. `answer lost`: nobody has the answer. `cut`: its head comes, with the
   * cookie, and its body breaks off. `unavailable`: something on the way answers 503 itself, `portal` a page with 200.
   * `limited`: there were too many requests, and nobody looks at this one.
   */
  kind: 'none' | 'request lost' | 'answer lost' | 'cut' | 'unavailable' | 'portal' | 'limited';
  /** After which a loss is an error of the network; undefined: nobody says anything, ever */
  toldMs: number | undefined;
  /** The request arrives again, so long after the first time; its first or its second answer goes back. */
  again: { ms: number; answer: 'first' | 'second' } | undefined;
  /** Whether a request goes on, and its answer still sets the cookie, when nobody waits for it any more */
  isLate: boolean;
  /** Which of the instances it arrives at */
  instance: number;
}

export const NO_FAULT: Fault = {
  startMs: 0,
  thereMs: 20,
  backMs: 20,
  kind: 'none',
  toldMs: 0,
  again: undefined,
  isLate: true,
  instance: 0,
};

/** Mostly short, sometimes as long as it gets. */
const delay = (maxMs: number): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.integer({ min: 0, max: Math.min(200, maxMs) }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: maxMs }) },
  );

/** @param maxMs how long a message may be on its way, either way */
export function faults(maxMs: number, kinds: readonly Fault['kind'][], isDoubled: boolean): fc.Arbitrary<Fault> {
  const some = fc.record({
    startMs: fc.nat(20),
    thereMs: delay(maxMs),
    backMs: delay(maxMs),
    kind: fc.oneof(
      { weight: 3, arbitrary: fc.constant('none' as const) },
      { weight: 2, arbitrary: fc.constantFrom('none' as const, ...kinds) },
    ),
    toldMs: fc.option(delay(maxMs), { nil: undefined }),
    again: isDoubled
      ? fc.option(fc.record({ ms: delay(maxMs), answer: fc.constantFrom('first', 'second') }), {
          nil: undefined,
          freq: 4,
        })
      : fc.constant(undefined),
    isLate: fc.boolean(),
    instance: fc.nat(1),
  });
  return fc.oneof({ weight: 2, arbitrary: fc.constant(NO_FAULT) }, { weight: 3, arbitrary: some });
}
