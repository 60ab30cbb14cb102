/**
 * The time that one request may wait for its stores, on a clock that the test moves. (Interface 5)
 * @jest-environment node
 */
import { jest } from '@jest/globals';
import { createBudget, TimeSpent } from '../../src/platform/budget.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const takes =
  (ms: number, fails = false) =>
  () =>
    new Promise<string>((resolve, reject) =>
      setTimeout(() => (fails ? reject(new Error('failed')) : resolve('answer')), ms),
    );
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
/** The result of the work, once it is known. */
const outcome = (work: Promise<unknown>) =>
  work.then(
    (value) => value,
    (error: unknown) => error,
  );

test('what follows has what is left, and nothing where nothing is', async () => {
  const budget = createBudget(1_000);
  const first = budget.spend(takes(600));
  await pass(600);
  expect(await first).toBe('answer');
  await pass(10_000); // a body that is sent slowly, or a password that is checked
  const second = outcome(budget.spend(takes(600)));
  await pass(399);
  budget.check();
  await pass(1);
  expect(await second).toBeInstanceOf(TimeSpent);
  expect(() => budget.check()).toThrow(TimeSpent);
  const begun = jest.fn(takes(1));
  await expect(budget.spend(begun)).rejects.toThrow(TimeSpent);
  expect(begun).not.toHaveBeenCalled();
});

test('what goes on at once counts once, and ends at once', async () => {
  const budget = createBudget(1_000);
  const all = Promise.all([budget.spend(takes(600)), budget.spend(takes(600)), budget.spend(takes(300))]);
  await pass(600);
  await all;
  budget.check();
  const late = Promise.all([outcome(budget.spend(takes(900))), outcome(budget.spend(takes(400)))]);
  await pass(400);
  expect((await late)[0]).toBeInstanceOf(TimeSpent);
});

test('what is waited for otherwise counts until it ends, which it does once', async () => {
  const budget = createBudget(1_000);
  const ended = budget.wait();
  await pass(700);
  ended();
  ended();
  await pass(5_000);
  budget.check();
  budget.wait();
  await pass(300);
  expect(() => budget.check()).toThrow(TimeSpent);
});

test.each([
  [false, 'a store that has said nothing', 2_000, false],
  [true, 'a store that has answered', 400, false],
  [true, 'a store that has failed', 400, true],
])('whether there were answers: %s of %s', async (hasAnswers, _what, ms, fails) => {
  const budget = createBudget(1_000);
  const first = outcome(budget.spend(takes(ms, fails)));
  await pass(1_000);
  await first;
  const last = outcome(budget.spend(takes(2_000)));
  await pass(1_000);
  expect(await last).toMatchObject({ hasAnswers });
});
