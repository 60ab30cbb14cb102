/** Interface 7: turns of callers, for any order in which their work ends. */
import fc from 'fast-check';
import type { Caller } from '../../src/callers/caller.js';
import { createTurns } from '../../src/graphql/turns.js';

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
      const turns = createTurns();
      const running = new Map<number, number>();
      let most = 0;
      const asked = ids.map(async (id) => {
        await scheduler.schedule(Promise.resolve()); // some start after others have finished
        return turns.ofCaller(caller(id), 'reads', here, async () => {
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
  const turns = createTurns();
  const fail = () => turns.ofCaller(caller(1), 'reads', here, () => Promise.reject(new Error('no')));
  for (let i = 0; i < 5; i += 1) await expect(fail()).rejects.toThrow('no');
  expect(await turns.ofCaller(caller(1), 'reads', here, async () => 'done')).toBe('done');
});

test('Interface 7: waiting work of a client that has disconnected is not done', async () => {
  const turns = createTurns();
  let gone = false;
  const isGone = () => gone;
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const running = [1, 2].map(() => turns.ofCaller(caller(1), 'reads', isGone, () => held));
  const done: string[] = [];
  const waiting = turns.ofCaller(caller(1), 'reads', isGone, async () => void done.push('a read'));
  const change = turns.ofCaller(caller(1), 'changes', here, async () => void done.push('a change'));
  await change; // changes do not wait for reads
  gone = true;
  release();
  await expect(waiting).rejects.toThrow('The client has disconnected');
  await Promise.all(running);
  expect(done).toEqual(['a change']);
});
