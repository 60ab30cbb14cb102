/** Interface 10: when the watch looks. Its times are the fake ones of Jest; what it looks at is tested elsewhere. */
import { EventEmitter } from 'node:events';
import { jest } from '@jest/globals';
import type { Request, Response } from 'express';
import type { Checks } from '../../src/http/readiness.js';
import { createWatch } from '../../src/http/watch.js';

let looks: number;
let found: Checks;
let watch: ReturnType<typeof createWatch>;
beforeEach(() => {
  jest.useFakeTimers();
  looks = 0;
  found = { database: 'ok', clock: 'ok' };
  watch = createWatch({
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

function answer(statusCode: number): void {
  const response = Object.assign(new EventEmitter(), { statusCode });
  watch.middleware({} as Request, response as unknown as Response, () => undefined);
  response.emit('close');
}

test('it looks every five seconds while all is well, and every second while it is not', async () => {
  watch.begin();
  expect(await looksIn(15_000)).toBe(3);
  found = { database: 'ok', clock: 'skewed' };
  await looksIn(5_000);
  expect(await looksIn(10_000)).toBe(10);
  found = { database: 'ok', clock: 'ok' };
  await looksIn(1_000);
  expect(await looksIn(15_000)).toBe(3);
});

test('an answer of 503 makes it look at once, though not twice in a second', async () => {
  watch.begin();
  await looksIn(5_000);
  answer(200);
  expect(await looksIn(2_000)).toBe(0);
  answer(503);
  expect(await looksIn(0)).toBe(1);
  for (let i = 0; i < 100; i += 1) answer(503);
  expect(await looksIn(999)).toBe(0);
  expect(await looksIn(1)).toBe(1);
  expect(await looksIn(4_999)).toBe(0);
});

test('it looks at nothing before it is begun, and after it is stopped', async () => {
  answer(503);
  expect(await looksIn(60_000)).toBe(0);
  watch.begin();
  await watch.stop();
  answer(503);
  expect(await looksIn(60_000)).toBe(0);
});
