/** Log lines about errors of requests, at most one of a kind in ten seconds. (Interface 14) */
import { DRIVER_TEXTS } from '../db/connection-faults.js';
import type { FullDisk } from '../db/full-disk.js';
import { fixedTextOf } from '../platform/error-label.js';
import { codeOf, describeError, type Logger, type RequestIds } from '../platform/logger.js';
import type { Sampling } from '../platform/sampling.js';
import { REDIS_TEXTS } from '../rate-limits/redis.js';

const FIXED_TEXTS = [...DRIVER_TEXTS, ...REDIS_TEXTS];

export interface ErrorLines {
  /** Receives each error behind a 503. */
  fullDisk: Pick<FullDisk, 'notice'>;
  log: Logger;
  sampling: Sampling;
}

/** The loggable part of an outage: class, code and fixed text of the error and of its causes. */
export function describeOutage(error: unknown): { name: string; code?: string; text?: string; cause?: unknown } {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = codeOf(error);
  const text = fixedTextOf(error, FIXED_TEXTS);
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    ...(text === undefined ? {} : { text }),
    ...(error.cause instanceof Error ? { cause: describeOutage(error.cause) } : {}),
  };
}

/** Logs why a request was answered 503. A kind is the classes, codes and texts of the error and its causes. */
export function reportOutage({ fullDisk, log, sampling }: ErrorLines, ids: RequestIds, error: unknown): void {
  fullDisk.notice(error);
  const described = describeOutage(error);
  sampling.sample(`outage ${JSON.stringify(described)}`, 1, (more) => {
    log.warn({ ...ids, error: described, ...more }, 'answered 503');
  });
}

/** Logs a bug. A kind is the message with class, code and place of the error and its causes. */
export function reportBug(lines: ErrorLines, ids: RequestIds | undefined, error: unknown, message: string): void {
  const { log, sampling } = lines;
  const described = describeError(error);
  sampling.sample(`${message} ${JSON.stringify(described)}`, 1, (more) => {
    log.error({ ...ids, error: described, ...more }, message);
  });
}
