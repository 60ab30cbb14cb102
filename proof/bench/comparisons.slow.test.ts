/** Who takes turns with whom, and in which order. */
import { type Comparison, comparisonsOf } from './comparisons.js';
import { inRounds, type Measured } from './rounds.js';
import { type Part, Unanswered, type Work } from './work.js';

const SECONDS = 0.6;

/** @param run what each slice does */
function work(name: string, numbers: Array<number | undefined>, run: () => void = () => undefined, stretch = 1): Work {
  const parts = numbers.map((connections): Part => {
    const row = { what: name, ...(connections !== undefined && { connections }), rate: 1 };
    const measure = async () => {
      run();
      return [row];
    };
    return { ...(connections !== undefined && { connections }), prepare: async () => measure };
  });
  return { name, parts, stretch };
}

/** @param strangers of each measurement in turn, then none */
function measuring(comparisons: Comparison[], { signal = new AbortController().signal, strangers = [0] } = {}) {
  const measured: Measured = { slices: [], failed: [] };
  const watch = () => ({ share: () => strangers.shift() ?? 0 });
  const how = { rounds: 1, watch, interrupted: signal, say: () => undefined, onRound: () => undefined };
  return { measured, done: inRounds(comparisons, how, measured) };
}

test('works of a group are compared at each number of connections, and with what has none', () => {
  const works = [
    work('login', [16, 64], undefined, 3),
    work('argon2', [undefined], undefined, 3),
    work('refresh', [1, 64]),
    work('statement', [1, 64]),
    work('logout', [64]),
    work('start', [undefined, undefined]),
  ];
  const groups = [['refresh', 'peer', 'statement', 'logout'], ['login', 'argon2'], ['start']];
  const comparisons = comparisonsOf(works, groups, SECONDS);
  expect(comparisons.map(({ sides, passes }) => [sides.map((side) => side.work).join(), passes])).toEqual([
    ['refresh,statement', 2],
    ['refresh,statement,logout', 4],
    ['login,argon2', 2],
    ['login,argon2', 2],
    ['start,start', 2],
  ]);
  expect(comparisons[2]?.sides[0]?.seconds).toBeCloseTo(3 * SECONDS);
});

test('every second pass goes the other way round, so that neither side is always the later one', async () => {
  const works = ['a', 'b', 'c'].map((name) => work(name, [64]));
  const { measured, done } = measuring(comparisonsOf(works, [['a', 'b', 'c']], SECONDS));
  await done;
  expect(measured.slices.map((slice) => `${slice.work}${slice.pass}`).join(' ')).toBe(
    'a1 b1 c1 c2 b2 a2 a3 b3 c3 c4 b4 a4',
  );
});

test('a disturbed slice is measured once more, and the quieter of the two counts', async () => {
  const ran = [] as string[];
  const works = ['a', 'b'].map((name) => work(name, [1], () => void ran.push(name)));
  const strangers = [0.1, 0.2, 0.3, 0.5, 0.4]; // a; b, and once more; b, and once more; a
  const { measured, done } = measuring(comparisonsOf(works, [['a', 'b']], SECONDS), { strangers });
  await done;
  expect(measured.slices.map((slice) => [slice.work, slice.strangers])).toEqual([
    ['a', 0.1],
    ['b', 0.2],
    ['b', 0.4],
    ['a', 0],
  ]);
  expect(ran.join(' ')).toBe('a b b b b a');
});

test.each([
  ['is left out if it was disturbed', 0.9, []],
  ['is a failure if nobody disturbed it', 0.05, ['nothing was answered']],
])('a slice without an answer %s', async (_what, stranger, failures) => {
  let ran = 0;
  const unanswered = work('a', [1], () => {
    ran += 1;
    if (ran < 3) throw new Unanswered();
  });
  const strangers = [stranger, stranger, stranger, stranger]; // of both looks at it, and once more
  const { measured, done } = measuring(comparisonsOf([unanswered], [['a']], SECONDS), { strangers });
  await done;
  expect(measured.failed.map(({ why }) => why)).toEqual(failures);
  expect(measured.slices.flatMap(({ rows }) => rows)).toEqual([]);
});

test('what fails is reported, and the others go on', async () => {
  const failing = work('a', [1], () => {
    throw new Error('answered 503');
  });
  const { measured, done } = measuring(comparisonsOf([failing, work('b', [1])], [['a', 'b']], SECONDS));
  await done;
  expect(measured.failed).toEqual([
    { work: 'a', why: 'answered 503' },
    { work: 'a', why: 'answered 503' },
  ]);
  expect(measured.slices.map((slice) => slice.work)).toEqual(['b', 'b']);
});

test('an interruption ends it; what it breaks is neither a failure nor a figure', async () => {
  const interruption = new AbortController();
  let slices = 0;
  const interrupting = work('b', [1], () => {
    slices += 1;
    if (slices < 2) return;
    interruption.abort(new Error('interrupted'));
    throw new Error('the connection was closed');
  });
  const comparisons = comparisonsOf([work('a', [1]), interrupting], [['a', 'b']], SECONDS);
  const { measured, done } = measuring(comparisons, { signal: interruption.signal });
  await expect(done).rejects.toThrow('interrupted');
  expect(measured.failed).toEqual([]);
  expect(measured.slices.map((slice) => slice.work)).toEqual(['a', 'b']);
});
