/** Answers that last: each part waits until the client has taken the one before, so that nothing piles up. (Interface 24) */
import type { Response } from 'express';
import { lastsLong } from './server/lasting.js';

/** How long a client may take nothing before it is cut off: milliseconds. */
const STALLED_MS = 15_000;

/** @param parts ends also if the client does; if it throws, the answer breaks off, so that nobody takes it for whole */
export async function sendStream(
  res: Response,
  parts: AsyncIterable<string> | Iterable<string>,
  stalledMs = STALLED_MS,
): Promise<void> {
  lastsLong(res);
  res.locals.beganMs = performance.now();
  res.flushHeaders();
  for await (const part of parts) {
    if (!res.destroyed && !res.write(part)) await drained(res, stalledMs);
    if (res.destroyed) return;
  }
  res.end();
}

async function drained(res: Response, stalledMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stalled = setTimeout(() => res.destroy(), stalledMs);
  res.once('drain', resolve).once('close', resolve);
  await promise;
  clearTimeout(stalled);
  res.off('drain', resolve).off('close', resolve);
}
