/** The destination of the log. A line that cannot be written is dropped and counted. (Interface 14) */
import { writeSync } from 'node:fs';

/** Longest wait for a slow reader in each second: milliseconds. */
const MAX_WAIT_MS = 50;
const WAIT_STEP_MS = 5;

export interface LogDestination {
  write(line: string): void;
}

/**
 * Writes at once, so that the last lines of a process are not lost.
 * @param stdout a pipe or a socket must be non-blocking, as Node's own is after the first use of `process.stdout`
 * @param onDropped called for each dropped line
 */
export function createLogDestination({ fd }: { fd: number }, onDropped: () => void = () => undefined): LogDestination {
  const waitForReader = createWaiting();
  /** The rest of a partly written line */
  let rest = Buffer.alloc(0);
  let droppedSinceLine = 0;

  const writeRest = (): void => {
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(fd, rest));
      } catch (error) {
        const isFull = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
        if (!isFull || !waitForReader()) return;
      }
    }
  };
  /** @returns false if nothing of the line was written; a partly written one is completed before the next */
  const put = (line: string): boolean => {
    writeRest();
    if (rest.length > 0) return false;
    const whole = Buffer.from(line);
    rest = whole;
    writeRest();
    if (rest.length < whole.length) return true;
    rest = Buffer.alloc(0);
    return false;
  };
  return {
    write: (line) => {
      if (droppedSinceLine > 0 && put(lossLine(droppedSinceLine))) droppedSinceLine = 0;
      if (droppedSinceLine === 0 && put(line)) return;
      droppedSinceLine += 1;
      onDropped();
    },
  };
}

function lossLine(lines: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', time, dropped_lines: lines, msg: 'log lines could not be written' })}\n`;
}

/** @returns a function that waits a moment, and returns false if the time is used up */
function createWaiting(): () => boolean {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  let secondEndsMs = 0;
  let leftMs = 0;
  return () => {
    const nowMs = performance.now();
    if (nowMs >= secondEndsMs) {
      secondEndsMs = nowMs + 1_000;
      leftMs = MAX_WAIT_MS;
    }
    if (leftMs <= 0) return false;
    leftMs -= WAIT_STEP_MS;
    Atomics.wait(nobody, 0, 0, WAIT_STEP_MS);
    return true;
  };
}
