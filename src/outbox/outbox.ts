/** Interface 17: claims cursors that have work, and lets each have its turn. It runs only where a webhook or mail is allowed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OutboxKind } from '../db/entities/outbox-cursor.js';
import { randomUuid } from '../platform/ids.js';
import { describeError } from '../platform/logger.js';
import type { Deps } from '../services.js';
import type { Consumer } from './consumer.js';
import { type Claimed, claim, release } from './cursors.js';
import { longestLag } from './lag.js';
import { takeTurn } from './turn.js';

/** How often idle instances look for work: milliseconds. */
const POLL_MS = 1_000;
/** After an error, such as an outage of the database: that many polls. */
const ERROR_POLLS = 5;
/** How often the lag is measured: milliseconds. */
const LAG_MS = 10_000;
/** Cursors that one instance works on at once */
const MAX_TURNS = 8;
/** How long a stop waits for attempts in flight: milliseconds. */
const STOP_MS = 2_000;

export type Consumers = Partial<Record<OutboxKind, Consumer>>;

export interface Outbox {
  /** Ends attempts in flight after two seconds. They are made again. */
  stop(): Promise<void>;
}

/** @param pollMs how often an idle instance looks for work: milliseconds */
export function startOutbox(
  deps: Deps<'clock' | 'db' | 'log' | 'metrics'>,
  consumers: Consumers,
  pollMs = POLL_MS,
): Outbox {
  const { clock, db, log, metrics } = deps;
  const lags = { webhook: metrics.webhookLag, mail: metrics.mailLag };
  const kinds = Object.keys(consumers) as OutboxKind[];
  const stopping = new AbortController();
  const aborting = new AbortController();
  const turns = new Set<Promise<void>>();

  /** A turn that has failed rests, and then others may go on at once, as soon as the database is back. */
  const giveUp = async (me: string): Promise<void> => {
    await sleep(ERROR_POLLS * pollMs, undefined, { signal: stopping.signal });
    await release(db.admin, me).catch(() => giveUp(me));
  };

  const turnOf = async (cursor: Claimed, me: string): Promise<void> => {
    const consumer = consumers[cursor.kind];
    const receiver = await consumer?.open(cursor.id);
    if (consumer === undefined || receiver === undefined) return; // deleted meanwhile; or its claim ends by itself
    const attempted = consumer.attempted.bind(consumer, cursor.id);
    const signals = { stopping: stopping.signal, abort: aborting.signal };
    await takeTurn(deps, { me, cursor, receiver, attempted, ...signals });
  };

  /** @returns true if there was work */
  const begin = async (): Promise<boolean> => {
    if (turns.size >= MAX_TURNS || clock.isSkewed()) return false;
    // An id for each claim: a turn whose claim was ended, as by a replay, must not write when the same instance claims again.
    const me = randomUuid();
    const cursor = await claim(db.admin, me, kinds, clock.now());
    if (cursor === undefined) return false;
    const turn = turnOf(cursor, me)
      .catch((error: unknown) => {
        log.warn({ error: describeError(error), cursor_id: cursor.id }, 'outbox: a turn failed');
        return giveUp(me).catch(() => undefined);
      })
      .finally(() => turns.delete(turn));
    turns.add(turn);
    return true;
  };

  const measureLag = async (): Promise<void> => {
    for (const kind of kinds) lags[kind].set(await longestLag(db.admin, kind));
  };

  const run = async (): Promise<void> => {
    let hasFailed = false;
    let measuredAt = Number.NEGATIVE_INFINITY;
    while (!stopping.signal.aborted) {
      try {
        if (performance.now() - measuredAt > LAG_MS) {
          measuredAt = performance.now();
          await measureLag();
        }
        const hadWork = await begin();
        hasFailed = false;
        if (!hadWork) await Promise.race([sleep(pollMs, undefined, { signal: stopping.signal }), ...turns]);
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (!hasFailed)
          log.warn({ error: describeError(error) }, 'outbox: the database does not answer; it is asked again');
        hasFailed = true;
        await sleep(ERROR_POLLS * pollMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  };

  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      const hurry = setTimeout(() => aborting.abort(), STOP_MS);
      await running;
      await Promise.all(turns);
      clearTimeout(hurry);
      await Promise.all(Object.values(consumers).map((consumer) => consumer.close()));
    },
  };
}
