/** A closed loop: each of so many connections has one request in flight, and sends the next when it is answered. */
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../evidence/lab/stats.js';

export interface Loop {
  connections: number;
  /** How long is counted */
  seconds: number;
  /** The loop ends earlier if so many requests have been sent */
  requestsAtMost?: number;
  /** How long before that nothing is counted yet: milliseconds */
  leadInMs: number;
  /** Between an answer and the next request: milliseconds, 0 by default */
  pauseMs?: number;
}

export interface Counted {
  answers: number;
  /** Answers a second */
  rate: number;
  medianMs: number;
  p99Ms: number;
  /** How often the gateway was too busy (503) and was asked again; also before and after what is counted */
  refused?: number;
}

/** A loop that ends early leaves its timer. */
const UNHELD = { ref: false };

/** What is counted begins and ends here: the CPU is read at these moments. */
export type Edge = 'began' | 'ended';

/**
 * @param send one request on this connection until it is answered; false if there are no more to send, which ends
 *   the loop early
 * @throws the first failure of `send`
 */
export async function inClosedLoop(
  { connections, seconds, leadInMs, pauseMs = 0, requestsAtMost = Number.POSITIVE_INFINITY }: Loop,
  send: (connection: number) => Promise<boolean>,
  onEdge: (edge: Edge) => void,
): Promise<Counted> {
  const took: number[] = [];
  let isCounting = false;
  let isOver = false;
  let sent = 0;
  const keepSending = async (connection: number): Promise<void> => {
    while (!isOver && sent < requestsAtMost) {
      sent += 1;
      const sentMs = performance.now();
      if (!(await send(connection))) return;
      if (isCounting) took.push(performance.now() - sentMs);
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  const all = Promise.all(Array.from({ length: connections }, (_, connection) => keepSending(connection)));

  await Promise.race([all, sleep(leadInMs, undefined, UNHELD)]);
  isCounting = true;
  const beganMs = performance.now();
  onEdge('began');
  await Promise.race([all, sleep(seconds * 1000, undefined, UNHELD)]);
  const countedSeconds = (performance.now() - beganMs) / 1000;
  isCounting = false;
  isOver = true;
  onEdge('ended');
  await all;
  const answers = took.length;
  return { answers, rate: answers / countedSeconds, medianMs: percentile(took, 0.5), p99Ms: percentile(took, 0.99) };
}
