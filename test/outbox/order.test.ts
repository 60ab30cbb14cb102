/** Every event is sent once, in order, and tried again after a failure. (Interface 17) */

import pg from 'pg';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createWebhook, listWebhooks, replayWebhook, resumeWebhook } from '../../src/admin/webhooks.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { until } from '../support/until.js';
import { type Receiver, startReceiver } from './receiver.js';

let receiver: Receiver;
let gateway: TestGateway;
beforeEach(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({ env: { WEBHOOK_HOSTS: receiver.authority }, outboxPollMs: 20 });
});
afterEach(async () => {
  await gateway.close();
  await receiver.close();
});

test('Interface 17: a webhook receives its own creation, then every event, in order', async () => {
  await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  for (let i = 0; i < 5; i += 1) await gateway.user();
  await receiver.reached(6);
  expect(receiver.types()).toEqual(['webhook_created', ...Array(5).fill('user_created')]);
  const sequences = receiver.received.map(({ json }) => json.data.sequence);
  expect(sequences).toEqual(sequences.toSorted());
});

test('Interface 17: an event that fails is parked, tried again when it is due, and others go on', async () => {
  await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url, includeEmails: true });
  await receiver.reached(1);
  receiver.reply(({ json }) => ({ status: json.data.metadata.email === 'bad@example.com' ? 500 : 204 }));
  const tries = () => receiver.received.filter(({ json }) => json.data.metadata.email === 'bad@example.com').length;
  const next = async (): Promise<void> => {
    const { id } = await gateway.user();
    await until('the receiver or the row has it', () => receiver.received.some(({ json }) => json.data.user_id === id));
  };
  await gateway.user({ email: 'bad@example.com' });
  await until('the receiver or the row has it', () => tries() === 1);
  await next();
  let tried = tries(); // with the one by which the receiver was probed
  const delays = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, 86_400];
  for (const [failures, seconds] of delays.entries()) {
    // It is due so long after its answer was read, which must be before the clock moves on.
    await until('the failure is stored', async () => (await attemptsOf()) === failures + 1);
    gateway.clock.advance(seconds * 0.79);
    await next();
    expect([seconds, tries()]).toEqual([seconds, tried]);
    gateway.clock.advance(seconds * 0.42);
    tried += 1;
    await until('the receiver or the row has it', () => tries() === tried);
  }
});

test('Interface 17: a receiver that was away for an hour gets everything, in order', async () => {
  await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  await receiver.reached(1);
  receiver.reply(() => ({ status: 503 }));
  const users = [];
  for (let i = 0; i < 8; i += 1) {
    users.push(await gateway.user());
    gateway.clock.advance(450);
  }
  // Back between a probe and the next attempt, it would get what is new before what has failed.
  await until('it is down, and rests', async () => {
    const { claimed_by, failures, retry_at } = await stateOf();
    return failures >= 3 && claimed_by === null && retry_at !== null && retry_at > gateway.clock.now();
  });
  const before = receiver.received.length;
  receiver.reply(() => ({ status: 204 }));
  await until('everything has arrived', () => {
    gateway.clock.advance(80); // a probe is due, whenever the last failure was stored
    return delivered(before).length === users.length;
  });
  expect(delivered(before)).toEqual(users.map(({ id }) => id));
  const sequences = receiver.received.slice(before).map(({ json }) => json.data.sequence);
  expect(sequences).toEqual(sequences.toSorted());
});

test('Interface 17: three events that a receiver cannot read do not hold up those that it can', async () => {
  await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url, includeEmails: true });
  await receiver.reached(1);
  const isBad = (email: string | undefined): boolean => email?.startsWith('bad') === true;
  receiver.reply(({ json }) => ({ status: isBad(json.data.metadata.email) ? 422 : 204 }));
  for (const email of ['bad1@example.com', 'bad2@example.com', 'bad3@example.com']) await gateway.user({ email });
  await until('all three have failed', async () => (await lagOf()).parkedCount === 3);
  const good = await gateway.user();
  gateway.clock.advance(7);
  await until('the next one is sent', () => delivered(0).includes(good.id));
  const better = await gateway.user();
  await until('and what follows', () => delivered(0).includes(better.id));
  expect((await lagOf()).parkedCount).toBe(3);
});

test('Interface 17: a receiver that goes away while failed events are tried again counts as down', async () => {
  await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  await receiver.reached(1);
  receiver.reply(() => ({ status: 503 }));
  for (let i = 0; i < 8; i += 1) {
    await gateway.user();
    await until('it has failed', async () => {
      gateway.clock.advance(80); // a probe is due, whenever the one before was
      return (await lagOf()).parkedCount === i + 1;
    });
  }
  await rests();
  await gateway.rows(`update outbox_cursors set failures = 0, retry_at = null`);
  const tried = receiver.received.length;
  gateway.clock.advance(100_000);
  await until('it is down', async () => (await stateOf()).failures >= 3);
  await rests();
  expect(receiver.received.length - tried).toBeLessThan(8);
});

test('Interface 17: 410 pauses a webhook, with an event of its own, and resuming it sends what has waited', async () => {
  const { webhook } = await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  await receiver.reached(1);
  receiver.reply(() => ({ status: 410 }));
  const { id } = await gateway.user();
  await until('the receiver or the row has it', async () => (await lagOf()).pausedBy === 'receiver');
  const events = await gateway.rows(
    `select metadata, ip_address from audit_events where event_type = 'webhook_paused'`,
  );
  expect(events).toEqual([{ metadata: { by: 'receiver', webhook_id: webhook.id }, ip_address: 'gateway' }]);
  receiver.reply(() => ({ status: 204 }));
  const before = receiver.received.length;
  await resumeWebhook(gateway.app, COMMAND_LINE, webhook.id);
  await until('the receiver or the row has it', () => receiver.types().includes('webhook_resumed'));
  expect(receiver.received[before]?.json.data.user_id).toBe(id);
  expect(receiver.types().slice(before)).toEqual(['user_created', 'webhook_paused', 'webhook_resumed']);
});

test('Interface 17: Retry-After is respected, and a replay sends the same ids again', async () => {
  const { webhook } = await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  await receiver.reached(1);
  receiver.reply(() => ({ status: 429, headers: { 'retry-after': '7200' } }));
  await gateway.user();
  await until('the receiver or the row has it', async () => (await lagOf()).parkedCount === 1);
  receiver.reply(() => ({ status: 204 }));
  const tried = receiver.received.length;
  gateway.clock.advance(7_000);
  const later = await gateway.user();
  gateway.clock.advance(300);
  await until('the receiver or the row has it', () => delivered(tried).includes(later.id));
  expect(delivered(tried)).toHaveLength(2);
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  const before = receiver.received.length;
  await gateway.rows('select pg_sleep(0)');
  await replayWebhook(gateway.app, COMMAND_LINE, webhook.id, new Date(0));
  await until('the receiver or the row has it', () => receiver.types().slice(before).includes('webhook_replayed'));
  const again = receiver.received.slice(before).map(({ headers }) => headers['webhook-id']);
  for (const id of ids) expect(again).toContain(id);
});

test('Interface 17: a replay is not undone by an attempt that was under way', async () => {
  const { webhook } = await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  await receiver.reached(1);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  let asked = false;
  receiver.reply(async ({ json }) => {
    if (json.type !== 'user_created' || asked) return { status: 204 };
    asked = true;
    await answered;
    return { status: 204 };
  });
  await gateway.user();
  await until('it is asked', () => asked);
  await replayWebhook(gateway.app, COMMAND_LINE, webhook.id, new Date(0));
  await until('it is claimed again', () => receiver.types().includes('webhook_replayed'));
  answer();
  await until(
    'the first attempt is over',
    () => receiver.types().filter((type) => type === 'user_created').length === 2,
  );
  await gateway.user();
  await until('it goes on', () => receiver.types().filter((type) => type === 'user_created').length === 3);
  expect(receiver.types().filter((type) => type === 'webhook_created')).toHaveLength(2);
  expect(receiver.types().filter((type) => type === 'webhook_replayed')).toHaveLength(1);
});

test('Interface 17: an event that the audit log has dropped waits no more', async () => {
  await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  await receiver.reached(1);
  receiver.reply(() => ({ status: 500 }));
  const { id } = await gateway.user();
  await until('it is parked', async () => (await lagOf()).parkedCount === 1);
  await gateway.rows('delete from audit_events where user_id = $1', [id]);
  gateway.clock.advance(10);
  await until('it is dropped', async () => (await lagOf()).parkedCount === 0);
});

test('Interface 17: an event that appears behind the front is sent, once', async () => {
  const { webhook } = await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  await receiver.reached(1);
  await rests(); // or its turn would store its own place over the one that follows
  await gateway.rows(`update outbox_cursors set settled_at = settled_at - interval '1 minute' where id = $1`, [
    webhook.id,
  ]);
  await gateway.rows(
    `insert into audit_events (id, event_type, entity_type, ip_address, user_agent, metadata, created_at, written_at)
     values (gen_random_uuid(), 'logout', 'user', '192.0.2.1', null, '{}', now(), now() - interval '30 seconds')`,
  );
  await gateway.user();
  await until('the receiver or the row has it', () => receiver.types().includes('logout'));
  await gateway.user();
  await until(
    'the receiver or the row has it',
    () => receiver.types().filter((type) => type === 'user_created').length === 2,
  );
  expect(receiver.types().filter((type) => type === 'logout')).toHaveLength(1);
});

test('Interface 17: the claim of an instance that was killed ends, and another goes on', async () => {
  const { webhook } = await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  await receiver.reached(1);
  await rests();
  await gateway.rows(
    `update outbox_cursors set claimed_by = gen_random_uuid(), claimed_until = clock_timestamp() + interval '1 hour' where id = $1`,
    [webhook.id],
  );
  await gateway.user();
  expect(receiver.received).toHaveLength(1);
  await gateway.rows(`update outbox_cursors set claimed_until = clock_timestamp() - interval '1 second'`);
  await receiver.reached(2);
  expect(receiver.types()).toEqual(['webhook_created', 'user_created']);
});

test('Interface 17: an event that is written late is sent in its place', async () => {
  await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  await receiver.reached(1);
  const client = new pg.Client({ connectionString: gateway.database.url });
  await client.connect();
  await client.query('begin');
  await client.query(
    `insert into audit_events (id, event_type, entity_type, ip_address, user_agent, metadata, created_at)
     values (gen_random_uuid(), 'logout', 'user', '192.0.2.1', null, '{}', now())`,
  );
  await gateway.user();
  expect(receiver.received).toHaveLength(1);
  await client.query('commit');
  await client.end();
  await receiver.reached(3);
  expect(receiver.types()).toEqual(['webhook_created', 'logout', 'user_created']);
});

/** The users of the events that were received behind a place, in order. */
const delivered = (from: number): string[] =>
  receiver.received.slice(from).flatMap(({ json }) => json.data.user_id ?? []);

/** The turn is over, and what it did is stored. */
function rests(): Promise<void> {
  return until('it rests', async () => (await stateOf()).claimed_by === null);
}

async function lagOf() {
  const { rows } = await listWebhooks(gateway.app, { first: 1 });
  const [found] = rows;
  if (found === undefined) throw new Error('no webhook');
  return found.row;
}

/** Failed attempts of the one event that is parked */
async function attemptsOf(): Promise<number | undefined> {
  const [row] = await gateway.rows<{ attempts: number }>('select attempts from outbox_events where due_at is not null');
  return row?.attempts;
}

interface State {
  claimed_by: string | null;
  failures: number;
  retry_at: Date | null;
}

async function stateOf(): Promise<State> {
  const [row] = await gateway.rows<State>('select claimed_by, failures, retry_at from outbox_cursors');
  if (row === undefined) throw new Error('no cursor');
  return row;
}
