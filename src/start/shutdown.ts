/** The end of the gateway's process: by a signal or by an uncaught error, in bounded time. (Interface 10) */
import { exitCodeOf, explain } from '../cli/exit.js';
import { printMessage } from '../cli/terminal.js';
import type { Gateway } from './gateway.js';

/** For the requests in flight, which the listener gives 20 s, and for closing everything else. */
const STOP_MS = 25_000;
/** The same after a second signal. */
const HURRY_MS = 5_000;

export interface Shutdown {
  /** Ends it after the delay. */
  stop(delaySeconds: number): void;
  /** Ends it without waiting for requests that may be on their way. */
  hurry(): void;
  /** Starts the gateway, waits for `stop` or `hurry`, and stops it. An uncaught error ends the process. */
  run(start: () => Promise<Gateway>): Promise<void>;
}

export function createShutdown(): Shutdown {
  const requested = Promise.withResolvers<void>();
  const hurried = new AbortController();
  return {
    stop: (delaySeconds) => {
      requested.resolve();
      endWithin(delaySeconds * 1000 + STOP_MS);
    },
    hurry: () => {
      requested.resolve();
      hurried.abort();
      endWithin(HURRY_MS);
    },
    run: async (start) => {
      let running: Gateway | undefined;
      endOnUncaughtError(async () => running?.stop(AbortSignal.abort()));
      running = await start();
      await requested.promise;
      await running.stop(hurried.signal);
      endWithin(HURRY_MS); // a connection may be left to a database that does not answer
    },
  };
}

function endOnUncaughtError(stop: () => Promise<void>): void {
  let isFailing = false;
  // Includes rejected promises that nobody awaits.
  process.on('uncaughtException', (error) => {
    if (isFailing) return; // such as an error of standard error itself
    isFailing = true;
    printMessage(process, explain(error));
    process.exitCode = exitCodeOf(error);
    endWithin(HURRY_MS);
    void stop().finally(() => process.exit());
  });
}

/** Ends the process by then at the latest, even if the database does not answer or the disk is full. */
function endWithin(ms: number): void {
  setTimeout(() => process.exit(), ms).unref();
}
