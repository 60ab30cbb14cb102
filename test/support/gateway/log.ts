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
  let parsed: Array<Record<string, unknown>> = [];
  let parsedTo = 0;
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString('utf8');
      done();
    },
  });
  return {
    log: createLogger('trace', stream),
    text: () => text,
    lines: () => {
      // Each line once, because tests look again and again.
      for (const line of text.slice(parsedTo).split('\n')) if (line !== '') parsed.push(JSON.parse(line));
      parsedTo = text.length;
      return [...parsed];
    },
    clear: () => {
      text = '';
      parsed = [];
      parsedTo = 0;
    },
  };
}
