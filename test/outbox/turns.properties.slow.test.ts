/** Whatever a receiver does with each event, and however long it takes, later ones go on. Time is moved. (Interface 17) */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { LoggedEvent } from '../../src/audit/order.js';
import { writeAudit } from '../../src/audit/write.js';
import type { OutboxKind } from '../../src/db/entities/outbox-cursor.js';
import type { Delivery, Patience } from '../../src/outbox/consumer.js';
import { endCursor, startCursor } from '../../src/outbox/cursor-changes.js';
import { claim } from '../../src/outbox/cursors.js';
import { takeTurn } from '../../src/outbox/turn.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const NEVER = new AbortController().signal;

/** What a receiver does with an event, each time that it gets it */
interface Fate {
  /** When the event is written: seconds */
  atSeconds: number;
  answersAfterSeconds: number;
  answer: Delivery;
}

const TAKEN: Delivery = { kind: 'delivered', outcome: 'delivered', status: 204 };
const ANSWERS: Delivery[] = [
  TAKEN,
  TAKEN,
  { kind: 'failed', outcome: 'http_error', status: 500 },
  { kind: 'failed', outcome: 'connection_failed' },
  { kind: 'failed', outcome: 'deferred', status: 450, isOfEvent: true },
  { kind: 'dropped', outcome: 'rejected', status: 550 },
];

const fate: fc.Arbitrary<Fate> = fc.record({
  atSeconds: fc.integer({ min: 0, max: 20 }),
  answersAfterSeconds: fc.constantFrom(0, 0, 1, 4, 6, 12, 14, 16, 20),
  answer: fc.constantFrom(...ANSWERS),
});

/** What has held up everything: one slow refusal, and three of them, of connections that end, or of no answer. */
const examples: Array<[Fate[]]> = [
  [1, 6, 500],
  [3, 6, 500],
  [3, 1, undefined],
  [3, 20, 500],
].map(([count, answersAfterSeconds, status]) => {
  const answer: Delivery = { kind: 'failed', outcome: 'http_error', status };
  const bad = Array.from({ length: count ?? 0 }, () => ({ atSeconds: 0, answersAfterSeconds, answer }) as Fate);
  return [[...bad, ...bad.map(() => ({ atSeconds: 1, answersAfterSeconds: 0, answer: TAKEN }))]];
});

interface Attempt {
  beganMs: number;
  endedMs: number;
  outcome: string;
}

/** Virtual time, which passes only while an attempt lasts or nothing is to be done. */
function createTime(passed: () => Promise<void>) {
  let ms = 0;
  const alarms: Array<{ atMs: number; ring(): void }> = [];
  const to = async (target: number): Promise<void> => {
    gateway.clock.advance((target - ms) / 1000);
    ms = target;
    await passed();
  };
  return {
    nowMs: () => ms,
    to,
    /** Resolves when others have let so much time pass. */
    after: (duration: number) => new Promise<void>((ring) => void alarms.push({ atMs: ms + duration, ring })),
    /** Until the next alarm, at most so long */
    sleep: async (duration: number): Promise<void> => {
      const [next] = alarms.toSorted((a, b) => a.atMs - b.atMs);
      if (next === undefined || next.atMs > ms + duration) return to(ms + duration);
      alarms.splice(alarms.indexOf(next), 1);
      await to(Math.max(ms, next.atMs));
      next.ring();
    },
  };
}

/** Lets a receiver do with each event what is its fate. @returns the attempts of each */
async function simulate(kind: OutboxKind, fates: Fate[], limitSeconds: number, lastMs: number, patience?: Patience) {
  const { app } = gateway;
  const id = randomUUID();
  const attempts = new Map<string, Attempt[]>(fates.map((_, index) => [String(index), []]));
  const waiting = fates.map((one, index) => ({ ...one, name: String(index) }));
  const time = createTime(async () => {
    for (const one of waiting.filter(({ atSeconds }) => atSeconds * 1000 <= time.nowMs())) {
      waiting.splice(waiting.indexOf(one), 1);
      const event = { eventType: 'logout', userId: null, ipAddress: one.name, userAgent: '', metadata: {} };
      await writeAudit(app.db, [event as never], gateway.clock.now());
    }
  });
  const deliver = async ({ ip_address }: LoggedEvent): Promise<Delivery> => {
    const { answersAfterSeconds, answer } = fates[Number(ip_address)] as Fate;
    const isLate = answersAfterSeconds > limitSeconds;
    const delivery: Delivery = isLate ? { kind: 'failed', outcome: 'timeout' } : answer;
    const beganMs = time.nowMs();
    const tookMs = Math.min(answersAfterSeconds, limitSeconds) * 1000;
    await (patience ? time.after(tookMs) : time.to(beganMs + tookMs));
    attempts.get(ip_address)?.push({ beganMs, endedMs: time.nowMs(), outcome: delivery.outcome });
    return delivery;
  };
  await startCursor(app.db.admin, id, kind);
  const receiver = { wants: ({ event_type }: LoggedEvent) => event_type === 'logout', deliver };
  const signals = { stopping: NEVER, abort: NEVER, attempted: () => undefined };
  await time.to(0);
  const isDone = (): boolean =>
    fates.every(({ answer, answersAfterSeconds }, index) => {
      const isTaken = answer.kind !== 'failed' && answersAfterSeconds <= limitSeconds;
      return !isTaken || attempts.get(String(index))?.length !== 0;
    });
  while (time.nowMs() < 60_000 || (!isDone() && time.nowMs() < lastMs)) {
    const me = randomUUID();
    const cursor = await claim(app.db.admin, me, kind, [], gateway.clock.now());
    if (cursor === undefined) await time.sleep(1_000);
    else await takeTurn(app, { me, cursor, receiver, patience, ...signals, stopwatch: time });
  }
  await endCursor(app.db.admin, id);
  return attempts;
}

const PATIENCE: Patience = { attemptSeconds: 30, atOnce: 3, slowSeconds: 10, most: 6 };

describe.each([
  ['a webhook', 'webhook', 15, undefined],
  ['mail', 'mail', 18, PATIENCE],
] as const)('Interface 17: to %s', (_what, kind, limitSeconds, patience) => {
  test('each event goes by its own schedule, and others go on within a minute for each that fails', async () => {
    const property = fc.asyncProperty(fc.array(fate, { minLength: 2, maxLength: 8 }), async (fates) => {
      const isLate = ({ answersAfterSeconds }: Fate): boolean => answersAfterSeconds > limitSeconds;
      const fails = (one: Fate): boolean => isLate(one) || one.answer.kind === 'failed';
      const bad = fates.filter(fails).length;
      // Three that fail in a row are a receiver that is down. It is probed with the first, and up to every five minutes.
      const most = bad < 3 ? 4 : 6;
      const slow = fates.reduce((sum, one) => sum + Math.min(one.answersAfterSeconds, limitSeconds), 0);
      const withinMs = (40 + slow + (bad < 3 ? 60 : 400) * Math.max(0, bad - 1)) * 1000;
      const attempts = await simulate(kind, fates, limitSeconds, 20_000 + withinMs, patience);
      for (const [index, one] of fates.entries()) {
        const made = attempts.get(String(index)) ?? [];
        const summary = { index, one, made };
        if (!fails(one)) {
          expect({ ...summary, count: made.length }).toEqual({ ...summary, count: 1 });
          expect((made[0]?.endedMs ?? 0) - one.atSeconds * 1000).toBeLessThanOrEqual(withinMs);
        }
        for (const { beganMs } of made) {
          const inAMinute = made.filter((other) => other.beganMs >= beganMs && other.beganMs < beganMs + 60_000);
          expect({ ...summary, isFrequent: inAMinute.length > most }).toEqual({ ...summary, isFrequent: false });
        }
        for (const [next, { beganMs }] of made.slice(1).entries()) {
          const rested = beganMs - (made[next]?.endedMs ?? 0);
          expect({ ...summary, isAtOnce: rested < 4_000 }).toEqual({ ...summary, isAtOnce: false });
        }
      }
    });
    await fc.assert(property, { numRuns: 15, endOnFailure: true, examples });
  });
});
