/** Changes by operators while a turn is under way. (Interface 17) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { deleteWebhook, pauseWebhook, replayWebhook, resumeWebhook } from '../../src/admin/webhooks.js';
import { holdNew } from '../support/postgres/hold.js';
import { until } from '../support/until.js';
import {
  createWithHeldAttempt,
  cursorOf,
  end,
  eventOf,
  gateway,
  held,
  idOf,
  isAtRest,
  leftOf,
  only,
  receiver,
  start,
  startAnother,
  usersOf,
} from './engine.js';

beforeEach(() => start());
afterEach(end);

test('Interface 17: a pause ends the turn that is under way, and what it sent may come again when it is resumed', async () => {
  const { webhookId, userId } = await createWithHeldAttempt();
  const { id: second } = await gateway.user();
  await pauseWebhook(only().app, COMMAND_LINE, webhookId);
  const paused = await cursorOf(webhookId);
  held.end();
  await receiver.reached(1);
  await only().close(); // which waits for its turns
  expect(await cursorOf(webhookId)).toEqual(paused);
  expect(await gateway.rows('select from outbox_events')).toEqual([]);
  expect(usersOf(receiver.received)).toEqual([userId]);

  await startAnother();
  await resumeWebhook(only().app, COMMAND_LINE, webhookId);
  await until('it goes on', () => usersOf(receiver.received).includes(second));
  expect(receiver.received.map(idOf)).toEqual([await eventOf(userId), await eventOf(userId), await eventOf(second)]);
});

test.each([204, 500])(
  'Interface 17: nothing is left of a webhook that is deleted during an attempt that is answered %i',
  async (status) => {
    const { webhookId } = await createWithHeldAttempt(status);
    await gateway.user();
    await deleteWebhook(only().app, COMMAND_LINE, webhookId);
    held.end();
    await receiver.reached(1);
    await only().close(); // which waits for its turns
    expect(receiver.received).toHaveLength(1);
    expect(await leftOf(webhookId)).toEqual([[], [], []]);
  },
);

test.each([204, 500])(
  'Interface 17: nothing is left of a webhook that is deleted while an answer %i is being stored',
  async (status) => {
    const { webhookId } = await createWithHeldAttempt(status);
    await using storing = await holdNew('outbox_events', gateway);
    held.end();
    await storing.waiting(1);
    const deleted = deleteWebhook(only().app, COMMAND_LINE, webhookId);
    await storing.waiting(2);
    await storing.release();
    await deleted;
    expect(await leftOf(webhookId)).toEqual([[], [], []]);
  },
);

test('Interface 17: a replay drops an older event, also while its failure is being stored', async () => {
  // Ahead of PostgreSQL, by whose time events are older or not; so the second attempt is not due, however long this takes.
  gateway.clock.advance(3_600);
  const { webhookId, userId } = await createWithHeldAttempt(500);
  await using storing = await holdNew('outbox_events', gateway);
  held.end();
  await storing.waiting(1);
  const replayed = replayWebhook(only().app, COMMAND_LINE, webhookId, gateway.clock.now());
  await storing.waiting(2);
  await storing.release();
  await replayed;
  const { id: next } = await gateway.user();
  gateway.clock.advance(100_000); // more than the longest delay
  await until('a later one has arrived', () => usersOf(receiver.received).includes(next));
  await until('nothing waits', () => isAtRest(webhookId));
  expect(usersOf(receiver.received)).toEqual([userId, next]);
});
