/** Logs one line when the database, Redis or the collector of traces changes its state, and one when it is ok again. (Interface 14) */
import { describeError, type Logger } from '../platform/logger.js';

/** @param error that revealed the state; its class and code are logged, never its text */
export type LogState = (what: 'database' | 'redis' | 'collector', state: string, error?: unknown) => void;

export function createStateLog(log: Logger): LogState {
  const failing = new Map<string, { state: string; sinceMs: number }>();
  return (what, state, error) => {
    const before = failing.get(what);
    if (state === (before?.state ?? 'ok')) return;
    const nowMs = performance.now();
    const sinceMs = before?.sinceMs ?? nowMs;
    if (state === 'ok') {
      failing.delete(what);
      log.info({ after_seconds: Math.round((nowMs - sinceMs) / 100) / 10 }, `${what} is ok again`);
    } else {
      failing.set(what, { state, sinceMs });
      log.error(error === undefined ? {} : { error: classAndCodeOf(error) }, `${what} is ${state}`);
    }
  };
}

function classAndCodeOf(error: unknown): object {
  const { name, code } = describeError(error);
  return { name, code };
}
