/** Sampling of log lines, against any sequence of events: every line is counted, and few are logged. (Interface 14) */
import fc from 'fast-check';
import { createSampling } from '../../src/platform/sampling.js';

const PERIOD_MS = 10_000;

interface Line {
  atMs: number;
  kind: string;
  event: number;
  repeated: number;
}

/** Sampling by a clock that is moved. */
function sampled() {
  let nowMs = 0;
  let calls: Array<{ atMs: number; call: () => void }> = [];
  const lines: Line[] = [];
  const sampling = createSampling((ms, call) => calls.push({ atMs: nowMs + ms, call }));
  let events = 0;
  return {
    lines,
    flush: sampling.flush,
    happens: (kind: string, most: number) => {
      const event = events++;
      sampling.sample(kind, most, ({ repeated = 0 }) => lines.push({ atMs: nowMs, kind, event, repeated }));
    },
    pass: (ms: number) => {
      const untilMs = nowMs + ms;
      const due = () => calls.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      for (let next = due(); next !== undefined; next = due()) {
        const { atMs, call } = next;
        calls = calls.filter((other) => other !== next);
        nowMs = atMs;
        call();
      }
      nowMs = untilMs;
    },
    waiting: () => calls.length,
  };
}

const KINDS = ['a', 'b', 'c'];
const steps = fc.array(fc.tuple(fc.constantFrom(...KINDS), fc.integer({ min: 0, max: 15_000 }), fc.nat(40)));

test('each line stands for itself and those that it repeats, in their order, and none is left in the end', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 12 }), fc.boolean(), (sequence, most, byFlush) => {
      const { flush, happens, lines, pass, waiting } = sampled();
      const happened: Record<string, number[]> = {};
      let event = 0;
      for (const [kind, ms, times] of sequence) {
        for (let i = 0; i < times; i += 1) {
          happens(kind, most);
          happened[kind] = [...(happened[kind] ?? []), event++];
        }
        pass(ms);
      }
      if (byFlush) flush();
      else pass(3 * PERIOD_MS);
      for (const kind of KINDS) {
        let count = 0;
        for (const line of lines.filter((each) => each.kind === kind)) {
          count += 1 + line.repeated;
          expect(line.event).toBe(happened[kind]?.[count - 1]); // the newest of those that it stands for
        }
        expect(count).toBe(happened[kind]?.length ?? 0);
      }
      pass(3 * PERIOD_MS);
      expect(waiting()).toBe(0);
    }),
  );
});

test('the first of a kind is logged at once, and no more than are allowed in ten seconds', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 12 }), (sequence, most) => {
      const { happens, lines, pass } = sampled();
      const seen = new Set<string>();
      for (const [kind, ms, times] of sequence) {
        const before = lines.length;
        for (let i = 0; i < times; i += 1) happens(kind, most);
        if (times > 0 && !seen.has(kind)) expect(lines.length - before).toBe(Math.min(times, most));
        if (times > 0) seen.add(kind);
        pass(ms);
      }
      for (const { atMs, kind } of lines) {
        const within = lines.filter((line) => line.kind === kind && line.atMs >= atMs && line.atMs < atMs + PERIOD_MS);
        expect(within.length).toBeLessThanOrEqual(most === 1 ? 1 : 2 * most);
      }
    }),
  );
});

test('a kind that has been quiet for a while is logged at once again', () => {
  const { happens, lines, pass } = sampled();
  happens('a', 1);
  happens('a', 1);
  pass(2 * PERIOD_MS);
  happens('a', 1);
  expect(lines.map(({ atMs, repeated }) => [atMs, repeated])).toEqual([
    [0, 0],
    [PERIOD_MS, 0],
    [2 * PERIOD_MS, 0],
  ]);
});

test('memory is bounded: a hundred kinds are counted separately, all others as one', () => {
  const { happens, lines, pass, waiting } = sampled();
  for (let i = 0; i < 10_000; i += 1) happens(`kind ${i}`, 1);
  expect([lines.length, waiting()]).toEqual([101, 101]);
  pass(PERIOD_MS);
  expect(lines.reduce((count, { repeated }) => count + 1 + repeated, 0)).toBe(10_000);
});
