/** Which passwords are let in, and for how long they wait, by a clock that the tests move. */
import {
  createPasswordQueue,
  Overloaded,
  type PasswordQueue,
  type Place,
} from '../../src/credentials/passwords/password-queue.js';

/** Takes places until none is left. */
function fill({ takePlace }: PasswordQueue): Place[] {
  const places: Place[] = [];
  for (;;) {
    try {
      places.push(takePlace());
    } catch (error) {
      expect(error).toBeInstanceOf(Overloaded);
      return places;
    }
  }
}

test.each([
  // Those at work, and as many as have their turn within 2 s: one at least.
  { cores: 2, hashSeconds: 0.1, places: 2 + 40 },
  { cores: 2, hashSeconds: 0.5, places: 2 + 8 },
  { cores: 1, hashSeconds: 0.5, places: 1 + 4 },
  { cores: 2, hashSeconds: 60, places: 2 + 1 },
  { cores: 64, hashSeconds: 0.01, places: 1_024 },
])('$places logins are let in on $cores cores with $hashSeconds s a hash', ({ cores, hashSeconds, places }) => {
  const queue = createPasswordQueue(cores, hashSeconds);
  const taken = fill(queue);
  expect(taken).toHaveLength(places);
  expect(queue.requireRoom).toThrow(Overloaded);
  taken[0]?.[Symbol.dispose]();
  taken[0]?.[Symbol.dispose](); // once is enough
  queue.requireRoom();
  expect(fill(queue)).toHaveLength(1);
});

test('fewer are let in while turns take long, and more again later', async () => {
  let nowMs = 0;
  const queue = createPasswordQueue(1, 0.1, () => nowMs);
  const pass = async (seconds: number): Promise<void> => {
    nowMs += seconds * 1000;
  };
  /** Two at a time, so that one waits for the other. */
  const roomAfterTurnsOf = async (seconds: number): Promise<number> => {
    for (let i = 0; i < 200; i += 1) {
      const both = [queue.takePlace(), queue.takePlace()];
      await Promise.all(both.map((place) => queue.inTurn(place, () => pass(seconds))));
    }
    const places = fill(queue);
    for (const place of places) place[Symbol.dispose]();
    return places.length;
  };
  expect(await roomAfterTurnsOf(0.45)).toBe(1 + 4);
  expect(await roomAfterTurnsOf(0.06)).toBe(1 + 33);
  expect(await roomAfterTurnsOf(3.9)).toBe(1 + 1);
  expect(await roomAfterTurnsOf(0.45)).toBe(1 + 4);
});

test('up to 16 passwords to be set are let in while logins are refused', () => {
  const queue = createPasswordQueue(1, 1);
  fill(queue);
  const changes = Array.from({ length: 16 }, () => queue.takePlaceOfChange());
  expect(queue.takePlaceOfChange).toThrow(Overloaded);
  changes[0]?.[Symbol.dispose]();
  queue.takePlaceOfChange();
  expect(queue.requireRoom).toThrow(Overloaded);
});

test('as many are at work as there are cores, the others in the order of their coming', async () => {
  const queue = createPasswordQueue(2, 0.01);
  const done: Array<() => void> = [];
  const begun: number[] = [];
  const places = [0, 1, 2, 3].map(() => queue.takePlace());
  const all = places.map((place, i) =>
    queue.inTurn(place, () => {
      begun.push(i);
      return new Promise<void>((resolve) => done.push(resolve));
    }),
  );
  await Promise.resolve();
  for (let ended = 0; ended < 4; ended += 1) {
    while (done.length <= ended) await Promise.resolve();
    expect([begun.length, queue.waiting()]).toEqual([Math.min(ended + 2, 4), Math.max(2 - ended, 0)]);
    done[ended]?.();
    await all[ended];
  }
  expect(begun).toEqual([0, 1, 2, 3]);
});

test('a place that has waited more than 4 s is refused at its turn, without hashing', async () => {
  let nowMs = 0;
  const queue = createPasswordQueue(1, 0.01, () => nowMs);
  let done = 0;
  const waiting = (seconds: number): Promise<void> => {
    const place = queue.takePlace();
    nowMs += seconds * 1000;
    return queue.inTurn(place, async () => {
      done += 1;
    });
  };
  await waiting(3);
  await expect(waiting(4.001)).rejects.toBeInstanceOf(Overloaded);
  expect(done).toBe(1);
  queue.requireRoom();
});
