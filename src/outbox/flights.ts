/** Attempts that take long, several at once. They are only in memory; their beginning is stored first. (Interface 17) */

import type { LoggedEvent } from '../audit/order.js';
import type { Delivery, Patience, Receiver } from './consumer.js';

export interface Attempt {
  event: LoggedEvent;
  /** That have failed before */
  attempts: number;
  /** It is tried although it is not due. */
  isProbe: boolean;
}

export interface Flight extends Attempt {
  beganMs: number;
  /** From when it is made */
  landing?: Promise<void>;
  /** Once it is over */
  result?: { delivery: Delivery } | { error: unknown };
}

/** What measures how long things take. */
export interface Stopwatch {
  /** Milliseconds since some moment */
  nowMs(): number;
  sleep(ms: number, signal: AbortSignal): Promise<unknown>;
}

interface Tower {
  receiver: Receiver;
  patience: Patience | undefined;
  attempted(event: LoggedEvent, delivery: Delivery): void;
  abort: AbortSignal;
  stopwatch: Stopwatch;
}

/** What is over is not tried again for so long, whatever its receiver does with others: milliseconds. */
const OVER_MS = 4_000;

export type Flights = ReturnType<typeof createFlights>;

export function createFlights({ receiver, patience, attempted, abort, stopwatch }: Tower) {
  const flights = new Set<Flight>();
  let over: Array<{ id: string; endedMs: number }> = [];
  const isYoung = ({ beganMs }: Flight): boolean =>
    patience !== undefined && stopwatch.nowMs() - beganMs < patience.slowSeconds * 1000;

  return {
    isNone: (): boolean => flights.size === 0,
    /** Of those that last, and those that were over just now: neither is to be tried. */
    ids: (): string[] => {
      over = over.filter(({ endedMs }) => stopwatch.nowMs() - endedMs < OVER_MS);
      return [...Array.from(flights, ({ event }) => event.id), ...over.map(({ id }) => id)];
    },
    isYoung,
    /** @param kept places that must stay free */
    hasRoom: (kept = 0): boolean =>
      patience === undefined ||
      (flights.size + kept < patience.most && [...flights].filter(isYoung).length + kept < patience.atOnce),
    /** Two requests of a user share one link, so the second waits for the result of the first. */
    ofSameUser: ({ user_id }: LoggedEvent): Flight | undefined =>
      user_id === null ? undefined : [...flights].find(({ event }) => event.user_id === user_id),
    add: (attempt: Attempt): void => void flights.add({ ...attempt, beganMs: stopwatch.nowMs() }),
    /** Makes the attempts that were added, which are stored by now. */
    launch: (): void => {
      for (const flight of flights) {
        flight.landing ??= receiver.deliver(flight.event, abort, flight.attempts).then(
          (delivery) => {
            attempted(flight.event, delivery);
            flight.result = { delivery };
          },
          (error: unknown) => {
            flight.result = { error };
          },
        );
      }
    },
    /** Waits until one is over, but not for long. @returns those that are over */
    landed: async (ms: number): Promise<Flight[]> => {
      if (flights.size === 0) return [];
      const waiting = new AbortController();
      await Promise.race([...Array.from(flights, ({ landing }) => landing), stopwatch.sleep(ms, waiting.signal)]);
      waiting.abort();
      const landed = [...flights].filter(({ result }) => result !== undefined);
      for (const flight of landed) flights.delete(flight);
      over.push(...landed.map(({ event }) => ({ id: event.id, endedMs: stopwatch.nowMs() })));
      return landed;
    },
  };
}
