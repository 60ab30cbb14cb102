/** Interface 14: where the log goes. A line that cannot be written is dropped and counted; it stops nothing. */
import { writeSync } from 'node:fs';

/** Of each second, how much may be spent on waiting for a slow reader: milliseconds. */
const MAX_WAIT_MS = 50;
const WAIT_STEP_MS = 5;

export interface LogDestination {
  write(line: string): void;
}

/**
 * Writes at once, so that the last lines of a process are not lost.
 * @param stdout a pipe or a socket has to be non-blocking, as Node makes its own when `process.stdout` is first read
 * @param onDropped told of each line that was dropped
 */
export function createLogDestination({ fd }: { fd: number }, onDropped: () => void = () => undefined): LogDestination {
  const waitForReader = createWaiting();
  /** What is left of a line that was begun */
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
  /** @returns false where nothing of the line was written; one that was begun is ended before the next */
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

/** @returns what waits a moment, and says whether it did */
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
