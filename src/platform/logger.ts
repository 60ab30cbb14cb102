/** Logs: one JSON object a line, names in snake_case. Callers pass facts, never secrets or addresses of people. (Interface 14) */
import type pino from 'pino';

export type Logger = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** In every line about one request. */
export interface RequestIds {
  request_id: string;
  /** 32 and 16 hexadecimal digits: the caller's, if it sends a `traceparent`; with tracing on those of the request's own span */
  trace_id?: string;
  span_id?: string;
}

const drop = () => undefined;

/** Of a command, which reports by its output. Without pino, which takes longer to load than most commands to run. */
export const SILENT: Logger = { debug: drop, info: drop, warn: drop, error: drop, fatal: drop };

/**
 * The loggable part of an unexpected error: class, code and place. Messages of the database and the ORM quote the row
 * that failed, with its secrets.
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

export function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
