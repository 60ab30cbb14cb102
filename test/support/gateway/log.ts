/** A logger whose lines a test can read. */
import { Writable } from 'node:stream';
import { createLogger } from '../../../src/platform/create-logger.js';
import type { Logger } from '../../../src/platform/logger.js';

export interface CapturedLog {
  log: Logger;
  /** Every line so far, as text */
  text(): string;
  lines(): Array<Record<string, unknown>>;
  /** Forgets what was written so far. */
  clear(): void;
}

/** Everything down to `trace`, so that a leak at any level is seen. */
export function captureLog(): CapturedLog {
  let text = '';
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString('utf8');
      done();
    },
  });
  return {
    log: createLogger('trace', stream),
    text: () => text,
    lines: () =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    clear: () => {
      text = '';
    },
  };
}
