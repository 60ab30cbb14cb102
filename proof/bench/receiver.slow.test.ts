/** What a receiver of the bench counts: each event once, by its id. */
import { openReceiver } from './receiver.js';

const ends: Array<() => unknown> = [];
const lab = { defer: (end: () => unknown) => void ends.push(end) };
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

test('an event counts when it comes for the first time, and others do not count', async () => {
  const { url, arrivalsOf } = await openReceiver(lab);
  const send = (id: string) => fetch(url, { method: 'POST', headers: { 'webhook-id': id }, body: '{}' });
  await send('earlier');
  const counts: number[] = [];
  const arriving = arrivalsOf(['a', 'b'], (count) => counts.push(count));
  const statuses: number[] = [];
  for (const id of ['other', 'b', 'b', 'a']) statuses.push((await send(id)).status);
  const came = await arriving;
  expect(statuses).toEqual([204, 204, 204, 204]);
  expect([...came.keys()]).toEqual(['b', 'a']);
  expect(came.get('b')).toBeLessThanOrEqual(came.get('a') ?? 0);
  expect(counts).toEqual([1, 2]);
});

test('says how many events have not come', async () => {
  const { arrivalsOf } = await openReceiver(lab, 1);
  await expect(arrivalsOf(['a', 'b'])).rejects.toThrow('2 events have not come');
});
