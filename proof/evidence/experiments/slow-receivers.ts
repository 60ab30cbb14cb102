/**
 * However slowly a receiver answers, later events are delivered, and failed ones are tried again on schedule.
 * (Interface 17)
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Edit, Experiment, Row, Size } from '../experiment.js';
import { prepareGateways } from '../lab/gateways.js';
import { startPostgres } from '../lab/postgres.js';
import { creatorOfWebhooks, failLogin, startReceiver } from '../lab/webhooks.js';

const EVENTS = 3;
/** How often an event may be tried meanwhile: 5 s after it has failed, and to see whether its receiver is back */
const MOST_ATTEMPTS = 4;
/** An answer that comes later is none: seconds. */
const LIMIT_SECONDS = 15;

type Receivers = Array<[answersAfterSeconds: number, status: number]>;

/** `rounds`: of receivers that are there at the same time */
const SIZES: Record<Size, { seconds: number; rounds: Receivers[] }> = {
  small: {
    seconds: 42,
    rounds: [
      [
        [0, 204],
        [2, 500],
        [6, 500],
        [6, 404],
        [9, 503],
        [9, 204],
        [13, 204],
      ],
    ],
  },
  full: {
    seconds: 62,
    rounds: [0, 3, 6, 9, 13, 20].map((after) => [200, 204, 302, 404, 429, 500, 503].map((status) => [after, status])),
  },
};

/** What has failed is due at once, for the two faults below. */
const AT_ONCE: Edit = {
  file: 'src/outbox/progress.ts',
  from: 'const due = addSeconds(now, Math.max(delaySeconds(count), askedSeconds));',
  to: 'const due = addSeconds(now, 0 * delaySeconds(count) * askedSeconds);',
};

/** Events that must be offered. A receiver that never answers in time rests for longer each time. */
const wantedOf = (answersAfterSeconds: number): number => (answersAfterSeconds < LIMIT_SECONDS ? EVENTS : 2);

export const slowReceivers: Experiment = {
  name: 'slow-receivers',
  mutants: [
    {
      name: 'an event that has failed is tried again and again before later ones',
      foundBy: /^events that a slow receiver was not offered/,
      ...AT_ONCE,
      and: {
        file: 'src/outbox/turn.ts',
        from: 'if (state.failedId === event.id) return { state, isAll: false, givesWay: true };',
        to: 'if (state.failedId === event.id) return { state, isAll: false, givesWay: false };',
      },
    },
    {
      name: 'a failure neither counts nor waits',
      foundBy: /^events offered more than/,
      ...AT_ONCE,
      and: {
        file: 'src/outbox/progress.ts',
        from: 'const counts = isDown(before) ? isProbe : attempts === 0 || isAnother;',
        to: 'const counts = isDown(before) && isAnother;',
      },
    },
  ],
  run: async (lab, size) => {
    const { seconds, rounds } = SIZES[size];
    const trials = rounds.flat().reduce((sum, [after]) => sum + wantedOf(after), 0);
    const rowOf = (what: string): Row & { examples: string[] } => ({
      what,
      trials,
      least: trials,
      violations: 0,
      examples: [],
    });
    const late = rowOf(`events that a slow receiver was not offered within ${seconds} s`);
    const often = rowOf(`events offered more than ${MOST_ATTEMPTS} times meanwhile, or again after a 2xx in time`);
    const db = await startPostgres(lab);
    const started = await Promise.all(
      rounds
        .flat()
        .map(async ([after, status]) => ({ after, status, receiver: await startReceiver(lab, after * 1000, status) })),
    );
    const WEBHOOK_HOSTS = started.map(({ receiver }) => receiver.authority).join();
    const gateways = await prepareGateways(lab, db.url, { WEBHOOK_HOSTS });
    const { url } = await gateways.start();
    const createWebhooks = await creatorOfWebhooks(gateways, url);
    for (const round of rounds) {
      const present = started.splice(0, round.length);
      lab.say(`receivers that answer ${present.map(({ after, status }) => `${status} after ${after} s`).join(', ')}`);
      await db.query('delete from webhooks');
      await db.query(`delete from outbox_cursors where kind = 'webhook'`);
      await createWebhooks(present.map(({ receiver }) => `http://${receiver.authority}/`));
      const begunMs = performance.now();
      for (let event = 0; event < EVENTS; event += 1) await failLogin(url);
      await sleep(begunMs + seconds * 1000 - performance.now());
      for (const { after, status, receiver } of present) {
        const counts = Object.values(Object.groupBy(receiver.offers, ({ event }) => event)).map(
          (offers) => offers?.length ?? 0,
        );
        const most = status < 300 && after < LIMIT_SECONDS ? 1 : MOST_ATTEMPTS;
        const tooOften = counts.filter((count) => count > most).length;
        late.violations += Math.max(wantedOf(after) - counts.length, 0);
        often.violations += tooOften;
        const example = `${status} after ${after} s: offered ${counts.join(', ')} times`;
        if (counts.length < wantedOf(after)) late.examples.push(example);
        if (tooOften > 0) often.examples.push(example);
      }
    }
    return [late, often];
  },
};
