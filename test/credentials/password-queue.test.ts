/** Which passwords are let in, and for how long they wait, by a clock that the tests move. */
import {
  createPasswordQueue,
  Overloaded,
  type PasswordQueue,
  type Slot,
} from '../../src/credentials/passwords/password-queue.js';

/** Takes slots until none is left. */
function fill({ takeSlot }: PasswordQueue): Slot[] {
  const slots: Slot[] = [];
  for (;;) {
    try {
      slots.push(takeSlot());
    } catch (error) {
      expect(error).toBeInstanceOf(Overloaded);
      return slots;
    }
  }
}

test.each([
  // Those at work, and as many as have their turn within 2 s: one at least.
  { cores: 2, hashSeconds: 0.1, slots: 2 + 40 },
  { cores: 2, hashSeconds: 0.5, slots: 2 + 8 },
  { cores: 1, hashSeconds: 0.5, slots: 1 + 4 },
  { cores: 2, hashSeconds: 60, slots: 2 + 1 },
  { cores: 64, hashSeconds: 0.01, slots: 1_024 },
])('$slots logins are let in on $cores cores with $hashSeconds s a hash', ({ cores, hashSeconds, slots }) => {
  const queue = createPasswordQueue(cores, hashSeconds);
  const taken = fill(queue);
  expect(taken).toHaveLength(slots);
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
      const both = [queue.takeSlot(), queue.takeSlot()];
      await Promise.all(both.map((slot) => queue.run(slot, () => pass(seconds))));
    }
    const slots = fill(queue);
    for (const slot of slots) slot[Symbol.dispose]();
    return slots.length;
  };
  expect(await roomAfterTurnsOf(0.45)).toBe(1 + 4);
  expect(await roomAfterTurnsOf(0.06)).toBe(1 + 33);
  expect(await roomAfterTurnsOf(3.9)).toBe(1 + 1);
  expect(await roomAfterTurnsOf(0.45)).toBe(1 + 4);
});

test('up to 16 passwords to be set are let in while logins are refused', () => {
  const queue = createPasswordQueue(1, 1);
  fill(queue);
  const changes = Array.from({ length: 16 }, () => queue.takeSlotOfChange());
  expect(queue.takeSlotOfChange).toThrow(Overloaded);
  changes[0]?.[Symbol.dispose]();
  queue.takeSlotOfChange();
  expect(queue.requireRoom).toThrow(Overloaded);
});

test('as many are at work as there are cores, the others in the order of their coming', async () => {
  const queue = createPasswordQueue(2, 0.01);
  const done: Array<() => void> = [];
  const begun: number[] = [];
  const slots = [0, 1, 2, 3].map(() => queue.takeSlot());
  const all = slots.map((slot, i) =>
    queue.run(slot, () => {
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

test('a slot that has waited more than 4 s is refused at its turn, without hashing', async () => {
  let nowMs = 0;
  const queue = createPasswordQueue(1, 0.01, () => nowMs);
  let done = 0;
  const waiting = (seconds: number): Promise<void> => {
    const slot = queue.takeSlot();
    nowMs += seconds * 1000;
    return queue.run(slot, async () => {
      done += 1;
    });
  };
  await waiting(3);
  await expect(waiting(4.001)).rejects.toBeInstanceOf(Overloaded);
  expect(done).toBe(1);
  queue.requireRoom();
});
