/**
 * The times at which the readiness poller looks, the fake ones of Jest. Its checks are tested elsewhere. (Interface 10)
 * @jest-environment node
 */
import { jest } from '@jest/globals';
import { createReadinessPoller } from '../../src/readiness/poller.js';
import type { Checks } from '../../src/readiness/readiness.js';

let looks: number;
let found: Checks;
let poller: ReturnType<typeof createReadinessPoller>;
beforeEach(() => {
  jest.useFakeTimers();
  looks = 0;
  found = { database: 'ok', clock: 'ok' };
  poller = createReadinessPoller({
    check: async () => {
      looks += 1;
      return found;
    },
  });
});
afterEach(() => {
  jest.useRealTimers();
});

/** How often it looks in so many milliseconds. */
async function looksIn(ms: number): Promise<number> {
  const before = looks;
  await jest.advanceTimersByTimeAsync(ms);
  return looks - before;
}

test('it looks every five seconds while all is well, and every second while it is not', async () => {
  poller.begin();
  expect(await looksIn(15_000)).toBe(3);
  found = { database: 'ok', clock: 'skewed' };
  await looksIn(5_000);
  expect(await looksIn(10_000)).toBe(10);
  found = { database: 'ok', clock: 'ok' };
  await looksIn(1_000);
  expect(await looksIn(15_000)).toBe(3);
});

test('asked to look soon it looks at once, though not twice in a second', async () => {
  poller.begin();
  await looksIn(5_000);
  expect(await looksIn(2_000)).toBe(0);
  poller.checkSoon();
  expect(await looksIn(0)).toBe(1);
  for (let i = 0; i < 100; i += 1) poller.checkSoon();
  expect(await looksIn(999)).toBe(0);
  expect(await looksIn(1)).toBe(1);
  expect(await looksIn(4_999)).toBe(0);
});

test('it looks at nothing before it is begun, and after it is stopped', async () => {
  poller.checkSoon();
  expect(await looksIn(60_000)).toBe(0);
  poller.begin();
  await poller.stop();
  poller.checkSoon();
  expect(await looksIn(60_000)).toBe(0);
});
