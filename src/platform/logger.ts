/** Interface 14: logs, one JSON object a line, names in snake_case. Callers pass facts, never tokens, keys or e-mails. */
import { type Logger, pino } from 'pino';
import { fixedTextOf } from './fixed-texts.js';
import { createLogDestination, type LogDestination } from './log-destination.js';

export type { Logger };

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** In every line about one request. */
export interface RequestIds {
  request_id: string;
  /** The caller's trace, if it sends one: 32 and 16 hexadecimal digits */
  trace_id?: string;
  span_id?: string;
}

export function createLogger(
  level: (typeof LOG_LEVELS)[number],
  destination: LogDestination = createLogDestination(process.stdout),
): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: null, timestamp: createTimestamp(), formatters }, destination);
}

/** RFC 3339. Many lines are of one millisecond, which is formatted once. */
function createTimestamp(): () => string {
  let lastMs = 0;
  let formatted = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== lastMs) formatted = `,"time":"${new Date(nowMs).toISOString()}"`;
    lastMs = nowMs;
    return formatted;
  };
}

/** The loggable part of an outage: class, code and fixed text of the error and of its causes. */
export function describeOutage(error: unknown): { name: string; code?: string; text?: string; cause?: unknown } {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = codeOf(error);
  const text = fixedTextOf(error);
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    ...(text === undefined ? {} : { text }),
    ...(error.cause instanceof Error ? { cause: describeOutage(error.cause) } : {}),
  };
}

/**
 * The loggable part of an unexpected error: class, code and place. Messages of the database and the ORM quote the row
 * that failed, password hash included.
 */
export function describeError(error: unknown): { name: string; code?: string; at?: string[]; cause?: unknown } {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = codeOf(error);
  const at = error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .map((line) => line.trim());
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    ...(at === undefined ? {} : { at }),
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  };
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
