/** The engine under outages, stops, several instances and receivers that are down. (Interface 17) */
import { randomUUID } from 'node:crypto';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createUser } from '../../src/admin/user-changes.js';
import { createWebhook, findWebhook, rotateWebhookSecret } from '../../src/admin/webhooks.js';
import { writeAudit } from '../../src/audit/write.js';
import { startCursor } from '../../src/outbox/cursor-changes.js';
import { claim } from '../../src/outbox/cursors.js';
import { requestReset } from '../mail/mailing.js';
import { startSmtpServer } from '../mail/smtp-server.js';
import { PASSWORD, startInstance } from '../support/gateway/gateway.js';
import { refusesRows, whileAway, withFault } from '../support/postgres/faults.js';
import { until } from '../support/until.js';
import {
  attemptsOf,
  captured,
  create,
  createWithHeldAttempt,
  cursorOf,
  end,
  eventOf,
  eventsOf,
  gateway,
  hasFailed,
  held,
  idOf,
  isAtRest,
  only,
  receiver,
  start,
  startAnother,
  usersOf,
} from './engine.js';
import { type Received, startReceiver } from './receiver.js';

beforeEach(() => start());
afterEach(end);

test('Interface 17: an outage of the database during an attempt loses nothing', async () => {
  const { webhookId, userId } = await createWithHeldAttempt();
  const { id: second } = await gateway.user();
  await whileAway(gateway.database, async () => {
    held.end();
    await until('what was sent cannot be stored', () => captured.text().includes('outbox: a turn failed'));
    await until('work is looked for in vain', () => captured.text().includes('outbox: the database does not answer'));
  });
  const { id: third } = await gateway.user();
  await until('everything has arrived', () => usersOf(receiver.received).includes(third));
  await until('everything is stored', () => isAtRest(webhookId));
  expect(new Set(usersOf(receiver.received))).toEqual(new Set([userId, second, third]));
  const ids = receiver.received.filter(({ json }) => json.data.user_id === userId).map(idOf);
  expect(ids.length).toBeGreaterThan(1);
  expect(ids).toEqual(Array(ids.length).fill(await eventOf(userId)));
});

test('Interface 17: a turn that could not store what it sent gives up its claim and sends it again', async () => {
  const { webhookId, userId } = await createWithHeldAttempt();
  await withFault(gateway, refusesRows('outbox_events'), async () => {
    held.end();
    // More than twice a claim would be longer than `until` waits.
    await until('it was sent three times', () => receiver.received.length >= 3);
  });
  await until('it is stored', () => isAtRest(webhookId));
  const count = receiver.received.length;
  const { id: next } = await gateway.user();
  await receiver.reached(count + 1);
  expect(usersOf(receiver.received)).toEqual([...Array(count).fill(userId), next]);
  expect(new Set(receiver.received.slice(0, count).map(idOf))).toEqual(new Set([await eventOf(userId)]));
});

test('Interface 17: a stop ends an attempt in flight, which counts as none, and another instance makes it again', async () => {
  const { webhookId, userId } = await createWithHeldAttempt();
  const eventId = await eventOf(userId);
  await only().close(); // the receiver holds its answer all the time
  expect(receiver.received).toEqual([]);
  expect(await cursorOf(webhookId)).toMatchObject({ failures: 0, claimed_by: null, last_outcome: null });
  expect(await gateway.rows('select from outbox_events where event_id = $1', [eventId])).toEqual([]);

  await startAnother();
  await receiver.reached(1);
  expect(receiver.received.map(idOf)).toEqual([eventId]);
});

describe('with two instances', () => {
  beforeEach(async () => {
    await end();
    await start(2);
  });

  test('Interface 17: each of twelve webhooks gets each event once, in order', async () => {
    const paths = Array.from({ length: 12 }, (_, i) => `/${i}`);
    for (const path of paths) await create(['user_created'], path);
    for (let i = 0; i < 30; i += 1) {
      const { app } = gateway.instances[i % 2] ?? only();
      await createUser(app, COMMAND_LINE, { email: `twelve${i}@example.com`, password: PASSWORD, role: 'viewer' });
    }
    await until('each has the last one', async () => {
      const last = (await eventsOf('user_created')).at(-1);
      return receiver.received.filter((one) => idOf(one) === last).length >= paths.length;
    });
    await until('all is stored', async () => {
      const ids = await gateway.rows<{ id: string }>('select id from webhooks');
      return (await Promise.all(ids.map(({ id }) => isAtRest(id)))).every(Boolean);
    });
    const events = await eventsOf('user_created');
    expect(events).toHaveLength(30);
    for (const path of paths) {
      const got = receiver.received.filter((one) => one.path.endsWith(`hook${path}`));
      expect(got.map(idOf)).toEqual(events);
      const sequences = got.map(({ json }) => json.data.sequence);
      expect(sequences).toEqual(sequences.toSorted());
    }
    const counts = await Promise.all(gateway.instances.map(attemptsOf));
    expect(counts.reduce((sum, count) => sum + count)).toBe(receiver.received.length);
  });
});

test('Interface 17: a receiver that is down is probed after 5, 10, 20, 40 and 60 s, and then as its Retry-After says', async () => {
  const id = await create(['user_created']);
  const healthy = await create(['user_created'], '/healthy');
  const isHealthy = ({ path }: Received) => path.endsWith('/healthy');
  const tries = () => receiver.received.filter((one) => !isHealthy(one)).length;
  receiver.reply((one) => ({ status: 204, isCut: !isHealthy(one) }));
  for (let failures = 1; failures <= 3; failures += 1) {
    await gateway.user();
    await until('it has failed', async () => hasFailed(id, failures));
  }
  /** Two events reach another webhook, and meanwhile nothing is sent here. */
  const expectNone = async (): Promise<void> => {
    const before = tries();
    for (let i = 0; i < 2; i += 1) {
      const user = await gateway.user();
      await until('another has it', () => usersOf(receiver.received.filter(isHealthy)).includes(user.id));
      await until('another has stored it', () => isAtRest(healthy));
    }
    expect(tries()).toBe(before);
  };
  const pause = async () =>
    (((await cursorOf(id)).retry_at?.getTime() ?? Number.NaN) - gateway.clock.now().getTime()) / 1000;

  for (const [i, seconds] of [5, 10, 20, 40, 60, 60].entries()) {
    expect(await pause()).toBeGreaterThanOrEqual(seconds * 0.79);
    expect(await pause()).toBeLessThanOrEqual(seconds * 1.21);
    gateway.clock.advance(seconds * 0.79);
    await expectNone();
    const before = tries();
    gateway.clock.advance(seconds * 0.42);
    await until('it is probed', async () => hasFailed(id, i + 4));
    expect(tries()).toBe(before + 2); // the first that has failed, and the next new one
  }

  receiver.reply((one) => (isHealthy(one) ? { status: 204 } : { status: 503, headers: { 'retry-after': '3600' } }));
  gateway.clock.advance(73);
  await until('it is probed', async () => hasFailed(id, 10));
  expect(await pause()).toBe(3600);
  gateway.clock.advance(3599);
  await expectNone();
  receiver.reply(() => ({ status: 204 }));
  const before = tries();
  gateway.clock.advance(1);
  await until('it is back', () => isAtRest(id));
  const sent = receiver.received.filter((one) => !isHealthy(one)).slice(before);
  expect(sent.map(idOf)).toEqual(await eventsOf('user_created'));
});

test('Interface 17: only wanted types arrive, and the cursor passes over the others', async () => {
  const id = await create(['user_created']);
  const lag = async () => (await findWebhook(only().app.db.admin, id)).lag;
  await until('its own creation is passed over', async () => (await lag()) === 0);
  const { id: first } = await gateway.user();
  await receiver.reached(1);
  for (let i = 0; i < 3; i += 1) await rotateWebhookSecret(only().app, COMMAND_LINE, id, 60);
  await until('they are passed over', async () => (await lag()) === 0);
  const { id: second } = await gateway.user();
  await until('a later one arrives', () => usersOf(receiver.received).includes(second));
  expect(receiver.types()).toEqual(['user_created', 'user_created']);
  expect(usersOf(receiver.received)).toEqual([first, second]);
});

test('Interface 17: a receiver that does not answer holds up no other webhook', async () => {
  const hanging = await create(['user_created'], '/hanging');
  const paths = Array.from({ length: 8 }, (_, i) => `/${i}`);
  for (const path of paths) await create(['user_created'], path);
  let asked = 0;
  receiver.reply(async ({ path }) => {
    if (path.endsWith('/hanging')) {
      asked += 1;
      await held.promise;
    }
    return { status: 204 };
  });
  const ids = [(await gateway.user()).id];
  await until('it hangs', () => asked === 1);
  for (let i = 0; i < 2; i += 1) ids.push((await gateway.user()).id);
  await receiver.reached(paths.length * ids.length);
  expect(asked).toBe(1);
  expect(await cursorOf(hanging)).toMatchObject({ claimed_by: expect.any(String), last_outcome: null, failures: 0 });
  for (const path of paths) expect(usersOf(receiver.received.filter((one) => one.path.endsWith(path)))).toEqual(ids);
});

test('Interface 17: a hundred receivers of one host that do not answer hold up neither another host nor mail', async () => {
  await using server = await startSmtpServer();
  const silent = await startReceiver();
  let [open, most] = [0, 0];
  silent.reply(async () => {
    open += 1;
    most = Math.max(most, open);
    await held.promise;
    return { status: 204 };
  });
  const mail = { MAIL: 'smtp', SMTP_URL: server.url, MAIL_FROM: 'auth@example.org' };
  const env = { WEBHOOK_HOSTS: `${silent.authority},${receiver.authority}`, ...mail };
  const instance = await startInstance(gateway.database, { env, clock: gateway.clock, outboxPollMs: 20 });
  await only().close();
  gateway.instances[0] = instance;
  try {
    const made = [];
    for (let i = 0; i < 99; i += 1)
      made.push(await createWebhook(instance.app, COMMAND_LINE, { url: `${silent.url}/${i}`, eventTypes: ['logout'] }));
    await create(['logout']);
    const user = await gateway.user();
    const logout = { eventType: 'logout', userId: user.id, ipAddress: '192.0.2.1', userAgent: '', metadata: {} };
    await writeAudit(instance.app.db, [logout as never], gateway.clock.now());
    await until('two hang', () => open === 2);
    const before = receiver.received.length;
    await writeAudit(instance.app.db, [logout as never], gateway.clock.now());
    await requestReset(instance, user);
    await receiver.reached(before + 1);
    await server.reached(1);
    expect([open, most]).toEqual([2, 2]);
  } finally {
    held.end();
    await silent.close();
  }
});

test('Interface 17: of webhooks that have work, the one whose last turn is longest ago goes first', async () => {
  await only().close();
  gateway.instances[0] = await startInstance(gateway.database, { clock: gateway.clock });
  const { db } = only().app;
  const ids = [1, 2, 3, 4].map((i) => `00000000-0000-4000-8000-00000000000${i}`);
  for (const id of ids) await startCursor(db.admin, id, 'webhook');
  await gateway.user();
  const [first, second, third, fourth] = ids;
  const ended = `update outbox_cursors set claimed_until = now() - $2 * interval '1 s' where id = $1`;
  for (const [seconds, id] of [third, first, fourth].entries()) await gateway.rows(ended, [id, 9 - seconds]);
  const claimed = [];
  for (let i = 0; i < 4; i += 1) {
    const me = randomUUID();
    claimed.push((await claim(db.admin, me, 'webhook', [], gateway.clock.now()))?.id);
  }
  expect(claimed).toEqual([second, third, first, fourth]);
});
