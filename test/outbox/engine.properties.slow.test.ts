/** Each event is delivered once, for any behaviour of a receiver, of time and of an operator. (Interface 17) */
import fc from 'fast-check';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createWebhook, deleteWebhook, pauseWebhook, resumeWebhook } from '../../src/admin/webhooks.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { until } from '../support/until.js';
import { type Received, type Receiver, type Reply, startReceiver } from './receiver.js';

let receiver: Receiver;
let gateway: TestGateway;
beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({ env: { WEBHOOK_HOSTS: receiver.authority }, outboxPollMs: 5 });
});
afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

const REPLIES: Reply[] = [
  { status: 204 },
  { status: 500 },
  { status: 503, headers: { 'retry-after': '30' } },
  { status: 429 },
  { status: 429, headers: { 'retry-after': '600' } },
  { status: 0, isCut: true },
];

type Step =
  /** One after the other, again and again */
  | { does: 'answer'; replies: Reply[] }
  | { does: 'write'; events: number }
  /** The same while the webhook is paused, so that they are there at once, with what has failed */
  | { does: 'gather'; events: number }
  | { does: 'wait'; seconds: number }
  | { does: 'rest' | 'pause' | 'resume' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('answer' as const),
      replies: fc.array(fc.constantFrom(...REPLIES), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('write' as const), events: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constant('wait' as const), seconds: fc.constantFrom(1, 7, 30, 75, 400, 2_400) }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('gather' as const), events: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 4, arbitrary: fc.constant<Step>({ does: 'rest' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ does: 'pause' }) },
  { weight: 2, arbitrary: fc.constant<Step>({ does: 'resume' }) },
);

/** Longer than any delay: seconds */
const LONGEST = 110_000;

let runs = 0;

test('Interface 17: each event is delivered once, under its own id, and in order unless it has failed', async () => {
  const schedules = fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => {
    runs += 1;
    const path = `/${runs}`;
    const attempts: Array<{ received: Received; isDelivered: boolean }> = [];
    const tooEarly: unknown[] = [];
    let replies: Reply[] = [];
    let notBefore = 0;
    receiver.reply((received) => {
      if (!received.path.endsWith(path)) return { status: 204 };
      const now = Number(received.headers['webhook-timestamp']);
      if (now < notBefore) tooEarly.push({ now, notBefore });
      const reply = replies.shift() ?? { status: 204 };
      replies.push(reply);
      const seconds = Number(reply.headers?.['retry-after'] ?? 0);
      if (seconds > 0) notBefore = now + seconds;
      attempts.push({ received, isDelivered: reply.status === 204 });
      return reply;
    });
    const { app } = gateway;
    const { webhook } = await createWebhook(app, COMMAND_LINE, { url: receiver.url + path });
    const { id } = webhook;

    /** Nothing is under way, and nothing can be done now. */
    const isAtRest = async (): Promise<boolean> => {
      const [row] = await gateway.rows<{ rests: boolean }>(
        `select claimed_by is null and (paused_at is not null or retry_at > $2 or not (
          exists (select from audit_events where (written_at, audit_events.id) > (front_at, front_id))
          or exists (select from outbox_events where cursor_id = outbox_cursors.id and due_at <= $2)
        )) is true as rests from outbox_cursors where id = $1`,
        [id, gateway.clock.now()],
      );
      return row?.rests === true;
    };
    const rest = () => until('it is at rest', isAtRest);
    const resume = async (): Promise<void> => {
      notBefore = 0; // resuming ends the pause of a Retry-After
      await resumeWebhook(app, COMMAND_LINE, id);
    };

    const write = async (events: number): Promise<void> => {
      for (let i = 0; i < events; i += 1) await gateway.user();
    };
    const pause = async (): Promise<void> => {
      await rest(); // what is in flight during a pause may come twice
      await pauseWebhook(app, COMMAND_LINE, id);
    };

    for (const one of steps) {
      if (one.does === 'answer') replies = [...one.replies];
      if (one.does === 'write') await write(one.events);
      if (one.does === 'wait') gateway.clock.advance(one.seconds);
      if (one.does === 'rest') await rest();
      if (one.does === 'pause' || one.does === 'gather') await pause();
      if (one.does === 'gather') await write(one.events);
      if (one.does === 'resume' || one.does === 'gather') {
        await rest();
        await resume();
      }
    }
    await rest();
    replies = [];
    await resume();
    const waiting = `select from outbox_events where cursor_id = $1 and due_at is not null`;
    do {
      gateway.clock.advance(LONGEST);
      await rest();
    } while ((await gateway.rows(waiting, [id])).length > 0);

    const written = await gateway.rows<{ id: string }>(
      `select id from audit_events where written_at >= (select written_at from audit_events
        where event_type = 'webhook_created' and metadata->>'webhook_id' = $1) order by written_at, id`,
      [id],
    );
    const idOf = ({ headers }: Received) => headers['webhook-id'];
    const delivered = attempts.filter(({ isDelivered }) => isDelivered).map(({ received }) => idOf(received));
    expect(delivered.toSorted()).toEqual(written.map((event) => event.id).toSorted());
    for (const { received } of attempts) expect(idOf(received)).toBe(received.json.data.id);
    const failed = new Set(attempts.filter(({ isDelivered }) => !isDelivered).map(({ received }) => idOf(received)));
    const atOnce = attempts.map(({ received }) => received).filter((received) => !failed.has(idOf(received)));
    const sequences = atOnce.map(({ json }) => json.data.sequence);
    expect(sequences).toEqual(sequences.toSorted());
    expect(tooEarly).toEqual([]);
    await deleteWebhook(app, COMMAND_LINE, id);
  });
  await fc.assert(schedules, { numRuns: 15, endOnFailure: true });
});
