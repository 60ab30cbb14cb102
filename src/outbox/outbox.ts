/** Claims cursors that have work, and lets each have its turn. It runs only if a webhook or mail is allowed. (Interface 17) */
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
/** Cursors that one instance works on at once. Mail has one cursor. */
const MAX_TURNS: Record<OutboxKind, number> = { webhook: 16, mail: 1 };
/** Those of one `host:port`, so that others have a turn if it does not answer */
const MAX_TURNS_OF_HOST = 2;
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
  const stopping = new AbortController();
  const aborting = new AbortController();
  /** Where the receivers of cursors are, as their last turn found them, and turns that are under way there */
  const hosts = new Map<string, string>();
  const turnsOf = new Map<string, number>();
  const isFull = (host: string): boolean => (turnsOf.get(host) ?? 0) >= MAX_TURNS_OF_HOST;

  /** A turn that has failed rests, and then others may go on at once, as soon as the database is back. */
  const giveUp = async (me: string): Promise<void> => {
    await sleep(ERROR_POLLS * pollMs, undefined, { signal: stopping.signal });
    await release(db.admin, me).catch(() => giveUp(me));
  };

  /** @param work is not begun while the host of the cursor has as many turns as it may have */
  const atHost = async (id: string, me: string, host: string, work: () => Promise<void>): Promise<void> => {
    hosts.set(id, host);
    if (isFull(host)) return release(db.admin, me);
    turnsOf.set(host, (turnsOf.get(host) ?? 0) + 1);
    try {
      await work();
    } finally {
      turnsOf.set(host, (turnsOf.get(host) ?? 0) - 1);
    }
  };

  const turnOf = async (consumer: Consumer, cursor: Claimed, me: string): Promise<void> => {
    const receiver = await consumer.open(cursor.id);
    if (receiver === undefined) return void hosts.delete(cursor.id); // deleted meanwhile; or its claim ends by itself
    const attempted = consumer.attempted.bind(consumer, cursor.id);
    const signals = { stopping: stopping.signal, abort: aborting.signal };
    const turn = { me, cursor, receiver, patience: consumer.patience, attempted, ...signals };
    const work = () => takeTurn(deps, turn);
    return receiver.host === undefined ? work() : atHost(cursor.id, me, receiver.host, work);
  };

  /** @returns true if there was work */
  const begin = async (kind: OutboxKind, consumer: Consumer, turns: Set<Promise<void>>): Promise<boolean> => {
    if (turns.size >= MAX_TURNS[kind] || clock.isSkewed()) return false;
    // An id for each claim: a turn whose claim was ended, as by a replay, must not write when the same instance claims again.
    const me = randomUuid();
    const busy = [...hosts].filter(([, host]) => isFull(host)).map(([id]) => id);
    const cursor = await claim(db.admin, me, kind, busy, clock.now());
    if (cursor === undefined) return false;
    const turn = turnOf(consumer, cursor, me)
      .catch((error: unknown) => {
        log.warn({ error: describeError(error), cursor_id: cursor.id }, 'outbox: a turn failed');
        return giveUp(me).catch(() => undefined);
      })
      .finally(() => turns.delete(turn));
    turns.add(turn);
    return true;
  };

  /** Each kind has turns of its own, so that neither waits for the other. */
  const run = async (kind: OutboxKind, consumer: Consumer): Promise<void> => {
    const turns = new Set<Promise<void>>();
    let hasFailed = false;
    let measuredAt = Number.NEGATIVE_INFINITY;
    while (!stopping.signal.aborted) {
      try {
        if (performance.now() - measuredAt > LAG_MS) {
          measuredAt = performance.now();
          lags[kind].set(await longestLag(db.admin, kind));
        }
        const hadWork = await begin(kind, consumer, turns);
        hasFailed = false;
        if (!hadWork) await Promise.race([sleep(pollMs, undefined, { signal: stopping.signal }), ...turns]);
      } catch (error) {
        if (stopping.signal.aborted) break;
        if (!hasFailed)
          log.warn({ error: describeError(error) }, 'outbox: the database does not answer; it is asked again');
        hasFailed = true;
        await sleep(ERROR_POLLS * pollMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
    await Promise.all(turns);
  };

  const running = Promise.all(Object.entries(consumers).map(([kind, its]) => run(kind as OutboxKind, its)));
  return {
    stop: async () => {
      stopping.abort();
      const hurry = setTimeout(() => aborting.abort(), STOP_MS);
      await running;
      clearTimeout(hurry);
      await Promise.all(Object.values(consumers).map((consumer) => consumer.close()));
    },
  };
}
