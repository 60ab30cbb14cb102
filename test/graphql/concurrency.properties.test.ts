/** The limit of each caller, for any order in which their work ends. (Interface 7) */
import fc from 'fast-check';
import type { Caller } from '../../src/callers/caller.js';
import { createConcurrency } from '../../src/graphql/concurrency.js';
import { createBudget, TimeSpent } from '../../src/platform/budget.js';

const here = () => false;

const caller = (id: number): Caller => ({
  callerType: 'cron',
  keyId: `ck_${id}`,
  serviceName: 'x',
  scopes: [],
});

test('Interface 7: no caller has more than two turns at once, and all get theirs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(fc.nat(3), { maxLength: 60 }), async (scheduler, ids) => {
      const concurrency = createConcurrency();
      const running = new Map<number, number>();
      let most = 0;
      const asked = ids.map(async (id) => {
        await scheduler.schedule(Promise.resolve()); // some start after others have finished
        return concurrency.ofCaller(caller(id), 'reads', here, async () => {
          const count = (running.get(id) ?? 0) + 1;
          running.set(id, count);
          most = Math.max(most, count);
          await scheduler.schedule(Promise.resolve());
          running.set(id, (running.get(id) ?? 0) - 1);
          return id;
        });
      });
      await scheduler.waitFor(Promise.all(asked));
      expect(await Promise.all(asked)).toEqual(ids);
      expect(most).toBeLessThanOrEqual(2);
    }),
  );
});

test('Interface 7: failed work returns its turn', async () => {
  const concurrency = createConcurrency();
  const fail = () => concurrency.ofCaller(caller(1), 'reads', here, () => Promise.reject(new Error('no')));
  for (let i = 0; i < 5; i += 1) await expect(fail()).rejects.toThrow('no');
  expect(await concurrency.ofCaller(caller(1), 'reads', here, async () => 'done')).toBe('done');
});

test('Interface 7: waiting work of a client that has disconnected is not done', async () => {
  const concurrency = createConcurrency();
  let gone = false;
  const isGone = () => gone;
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const running = [1, 2].map(() => concurrency.ofCaller(caller(1), 'reads', isGone, () => held));
  const done: string[] = [];
  const waiting = concurrency.ofCaller(caller(1), 'reads', isGone, async () => void done.push('a read'));
  const change = concurrency.ofCaller(caller(1), 'changes', here, async () => void done.push('a change'));
  await change; // changes do not wait for reads
  gone = true;
  release();
  await expect(waiting).rejects.toThrow('The client has disconnected');
  await Promise.all(running);
  expect(done).toEqual(['a change']);
});

/** How a read of this caller ends whose time is up while it waits, or at work */
async function late({ isAnswered, isAtWork }: { isAnswered: boolean; isAtWork: boolean }): Promise<unknown> {
  const concurrency = createConcurrency();
  const works = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const read = ({ promise }: PromiseWithResolvers<void>) =>
    concurrency.ofCaller(caller(1), 'reads', here, () => promise);
  const [first, ...others] = works.map(read); // the third waits
  const budget = createBudget(50);
  const ends = concurrency
    .within(budget)
    .ofCaller(caller(1), 'reads', here, () => budget.spend(() => new Promise(() => undefined)));
  if (isAnswered) works[0]?.resolve(); // then the third is at work
  if (isAtWork) works[1]?.resolve();
  const error = await ends.catch((refused: unknown) => refused);
  for (const { resolve } of works) resolve();
  await Promise.all([first, ...others]);
  return error;
}

test('Interface 7: who waits too long behind reads that are answered is refused as too many, behind none it is an outage', async () => {
  for (const isAtWork of [false, true]) {
    expect(await late({ isAnswered: true, isAtWork })).toMatchObject({ extensions: { reason: 'too_many_waiting' } });
  }
  expect(await late({ isAnswered: false, isAtWork: false })).toBeInstanceOf(TimeSpent);
});
