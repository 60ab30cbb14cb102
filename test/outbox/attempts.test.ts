/** The last attempts of each webhook, which the gateway stores. (Interface 17) */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { deleteWebhook, type ListedAttempt, listAttempts } from '../../src/admin/webhooks.js';
import { NIL } from '../../src/audit/order.js';
import { writeAudit } from '../../src/audit/write.js';
import type { OutboxKind } from '../../src/db/entities/outbox-cursor.js';
import { recordAttempt } from '../../src/outbox/attempts.js';
import { startCursor } from '../../src/outbox/cursor-changes.js';
import { advance } from '../../src/outbox/cursors.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { refusesRows, withFault } from '../support/postgres/faults.js';
import { until } from '../support/until.js';
import {
  captured,
  create,
  end,
  eventsOf,
  gateway,
  hasFailed,
  idOf,
  isAtRest,
  leftOf,
  only,
  receiver,
  start,
} from './engine.js';

const attemptsOf = async (id: string, { app }: Pick<TestGateway, 'app'> = only()): Promise<ListedAttempt[]> =>
  (await listAttempts(app.db.admin, [id])).get(id) ?? [];

describe('with a receiver', () => {
  beforeEach(() => start());
  afterEach(end);

  test('Interface 17: an attempt is stored with its event, number, end and outcome, newest first', async () => {
    receiver.reply(() => ({ status: receiver.received.length === 0 ? 500 : 204 }));
    const id = await create(['user_created']);
    const { id: first } = await gateway.user();
    await until('it has failed', () => hasFailed(id, 1));
    const failedAt = gateway.clock.now();
    gateway.clock.advance(10);
    await until('it was sent again', async () => (await isAtRest(id)) && receiver.received.length === 2);
    const [eventId] = await eventsOf('user_created');
    const same = { eventId, eventType: 'user_created', milliseconds: expect.any(Number) };
    expect(await attemptsOf(id)).toEqual([
      { ...same, webhookId: id, at: gateway.clock.now(), attempt: 2, outcome: 'delivered', status: 204 },
      { ...same, webhookId: id, at: failedAt, attempt: 1, outcome: 'http_error', status: 500 },
    ]);
    expect(receiver.received.map(({ json }) => json.data.user_id)).toEqual([first, first]);
    for (const { milliseconds } of await attemptsOf(id)) expect(milliseconds).toBeGreaterThanOrEqual(0);
  });

  test.each<[string, number | null, { status: number; isCut?: boolean; headers?: Record<string, string> }]>([
    ['http_error', 500, { status: 500 }],
    ['redirect', 302, { status: 302, headers: { location: '/elsewhere' } }],
    ['gone', 410, { status: 410 }],
    ['connection_failed', null, { status: 204, isCut: true }],
  ])('Interface 17: a failure is stored as %s, and nothing of the answer', async (outcome, status, reply) => {
    receiver.reply(() => ({ ...reply, body: 'a secret of the receiver' }));
    const id = await create(['user_created'], '/a-capability');
    await gateway.user();
    await until('it has failed', async () => (await attemptsOf(id)).length === 1);
    expect(await attemptsOf(id)).toMatchObject([{ outcome, status, attempt: 1 }]);
    const rows = JSON.stringify(await gateway.rows('select * from webhook_attempts'));
    expect(rows).not.toMatch(/secret|capability|elsewhere/);
  });

  test.each([
    ['target_refused', `url = 'https://elsewhere.example/'`],
    ['secret_unreadable', `sealed_secret = 'none'`],
  ])('Interface 17: what is not even sent is stored as %s', async (outcome, change) => {
    const id = await create(['user_created']);
    await until('its own creation is passed over', () => isAtRest(id));
    await gateway.rows(`update webhooks set ${change}`);
    await gateway.user();
    await until('it has failed', async () => (await attemptsOf(id)).length === 1);
    expect(await attemptsOf(id)).toMatchObject([{ outcome, status: null }]);
    expect(receiver.received).toEqual([]);
  });

  test('Interface 17: attempts are stored with the progress of the webhook, or neither is', async () => {
    const id = await create(['user_created']);
    await until('its own creation is passed over', () => isAtRest(id));
    await withFault(gateway, refusesRows('webhook_attempts'), async () => {
      await gateway.user();
      await until('it cannot be stored', () => captured.text().includes('outbox: a turn failed'));
      expect(await gateway.rows('select last_outcome, attempt_count from outbox_cursors')).toEqual([
        { last_outcome: null, attempt_count: '0' },
      ]);
    });
    await until('it is stored', async () => (await attemptsOf(id)).length === 1);
    expect(receiver.received.length).toBeGreaterThan(1); // what was not stored is sent again
  });

  test('Interface 17: a webhook that is deleted takes its attempts along, and leaves those of others', async () => {
    const [id, other] = [await create(null, '/one'), await create(null, '/other')];
    await until(
      'both have some',
      async () => (await attemptsOf(id)).length > 1 && (await attemptsOf(other)).length > 0,
    );
    await deleteWebhook(only().app, COMMAND_LINE, id);
    expect(await leftOf(id)).toEqual([[], [], []]);
    expect(await attemptsOf(other)).not.toEqual([]);
  });
});

test('Interface 17: of two instances, the last 50 attempts are those that the receiver saw last', async () => {
  await start(2);
  try {
    const ids = [await create(['user_created'], '/one'), await create(['user_created'], '/two')];
    const written = 120;
    for (let i = 0; i < written; i += 1) {
      const event = { eventType: 'user_created', userId: randomUUID(), ipAddress: `${i}`, userAgent: '', metadata: {} };
      await writeAudit(only().app.db, [event as never], gateway.clock.now());
      gateway.clock.advance(1);
    }
    await until('all has arrived', () => receiver.received.length === 2 * written);
    await until('all is stored', async () => (await Promise.all(ids.map(isAtRest))).every(Boolean));
    for (const [i, id] of ids.entries()) {
      const got = receiver.received.filter(({ path }) => path.endsWith(i === 0 ? '/one' : '/two')).map(idOf);
      expect((await attemptsOf(id)).map(({ eventId }) => eventId)).toEqual(got.slice(-50).toReversed());
    }
  } finally {
    await end();
  }
});

describe('in the database', () => {
  let plain: TestGateway;
  beforeAll(async () => {
    plain = await startGateway();
  });
  afterAll(() => plain.close());

  let made = 0;
  const attempts = (count: number) =>
    Array.from({ length: count }, () => {
      made += 1;
      const at = new Date(made * 1000);
      return {
        event_id: randomUUID(),
        event_type: `${made}`,
        attempt: 1,
        at,
        outcome: 'x',
        status: null,
        milliseconds: 1,
      };
    });

  /** A cursor on which this test alone works */
  async function claimed(kind: OutboxKind): Promise<{ id: string; me: string }> {
    const [id, me] = [randomUUID(), randomUUID()];
    await startCursor(plain.app.db.admin, id, kind);
    await plain.rows('update outbox_cursors set claimed_by = $2 where id = $1', [id, me]);
    return { id, me };
  }

  /** Stores what a turn has tried. */
  function store({ id, me }: { id: string; me: string }, count: number) {
    const attempted = attempts(count);
    const place = { at: '2026-01-01T00:00:00.000000Z', id: NIL };
    const state = { front: place, settled: place, failures: 0, retryAt: null, handled: [], last: undefined, back: 0 };
    const progress = { ...state, attempted, underWay: [], isGone: false, isOver: false, isIdle: false };
    return { attempted, stored: advance(plain.app.db.admin, me, id, progress, new Date(0)) };
  }

  const turn = fc.nat({ max: 120 }).map((count) => ({ by: 'turn' as const, count }));
  const hand = fc.constant({ by: 'hand' as const, count: 1 });

  test('Interface 17: whatever turns and operators send, in any order, the last 50 stay', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(turn, hand), { maxLength: 12 }), async (steps) => {
        const cursor = await claimed('webhook');
        const all: string[] = [];
        for (const { by, count } of steps) {
          if (by === 'turn') {
            const { attempted, stored } = store(cursor, count);
            expect(await stored).toBe(true);
            all.push(...attempted.map(({ event_type }) => event_type));
          } else {
            const [one] = attempts(1);
            if (one) await recordAttempt(plain.app.db.admin, cursor.id, one);
            all.push(one?.event_type ?? '');
          }
        }
        const kept = (await attemptsOf(cursor.id, plain)).map(({ eventType }) => eventType);
        expect(kept).toEqual(all.slice(-50).toReversed());
      }),
      { numRuns: 30 },
    );
  });

  test('Interface 17: at most 50 stay of what is stored at the same time, and none is lost below that', async () => {
    const cursor = await claimed('webhook');
    const record = () => Promise.all(attempts(20).map((one) => recordAttempt(plain.app.db.admin, cursor.id, one)));
    await Promise.all([record(), store(cursor, 25).stored]);
    expect(await attemptsOf(cursor.id, plain)).toHaveLength(45);
    await Promise.all([record(), store(cursor, 80).stored, record()]);
    expect(await attemptsOf(cursor.id, plain)).toHaveLength(50);
  });

  test('Interface 17: attempts of mail are not stored, nor those of a webhook that was deleted', async () => {
    const mail = await claimed('mail');
    expect(await store(mail, 3).stored).toBe(true);
    const gone = randomUUID();
    for (const one of attempts(1)) await recordAttempt(plain.app.db.admin, gone, one);
    expect([await attemptsOf(mail.id, plain), await attemptsOf(gone, plain)]).toEqual([[], []]);
  });
});
