/** Interface 14: one line at each change of state of what requests need, and one when it is well again. */
import { describeError, type Logger } from '../platform/logger.js';

/** @param error what the state was found by; its class and code are told, never its text */
export type TellState = (what: 'database' | 'redis', state: string, error?: unknown) => void;

export function createStateLog(log: Logger): TellState {
  const unwell = new Map<string, { state: string; sinceMs: number }>();
  return (what, state, error) => {
    const before = unwell.get(what);
    if (state === (before?.state ?? 'ok')) return;
    const nowMs = performance.now();
    const sinceMs = before?.sinceMs ?? nowMs;
    if (state === 'ok') {
      unwell.delete(what);
      log.info({ after_seconds: Math.round((nowMs - sinceMs) / 100) / 10 }, `${what} is ok again`);
    } else {
      unwell.set(what, { state, sinceMs });
      log.error(error === undefined ? {} : { error: kindOf(error) }, `${what} is ${state}`);
    }
  };
}

function kindOf(error: unknown): object {
  const { name, code } = describeError(error);
  return { name, code };
}
