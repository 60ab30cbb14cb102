/** Interface 14: log lines about errors of requests, at most one of a kind in ten seconds. */
import { describeError, describeOutage, type Logger, type RequestIds } from './logger.js';
import type { Sampling } from './sampling.js';

export interface ErrorLines {
  /** Receives each error behind a 503. */
  fullDisk: { notice(error: unknown): void };
  log: Logger;
  sampling: Sampling;
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
