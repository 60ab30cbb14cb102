/** Interface 10: how a process of the gateway ends: when it is told to, or by an error that nobody caught, whatever hangs. */
import { exitCodeOf, explain } from '../cli/exit.js';
import { printMessage } from '../cli/terminal.js';
import type { Gateway } from './gateway.js';

/** For the requests in flight, 20 s as the listener has it, and for what is closed after them. */
const STOP_MS = 25_000;
/** The same for one that is to hurry. */
const HURRY_MS = 5_000;

export interface Shutdown {
  /** Lets it end. */
  stop(delaySeconds: number): void;
  /** Lets it end without waiting for what may be on its way. */
  hurry(): void;
  /** Starts what is to run, waits until it is to end, and stops it. An error that nobody catches ends the process. */
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
      endWhereUncaught(async () => running?.stop(AbortSignal.abort()));
      running = await start();
      await requested.promise;
      await running.stop(hurried.signal);
      endWithin(HURRY_MS); // a connection may be left to a database that does not answer
    },
  };
}

/** Whoever reads, such as `head`, may have read enough. Anything else, such as a full disk, ends a command in a line. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return;
      if (process.listenerCount('uncaughtException') > 0) throw error; // a gateway, which has more to end
      printMessage(process, explain(error));
      process.exit(exitCodeOf(error));
    });
  }
}

function endWhereUncaught(stop: () => Promise<void>): void {
  let isFailing = false;
  // Also of promises that nobody waits for.
  process.on('uncaughtException', (error) => {
    if (isFailing) return; // such as standard error, which cannot be told then
    isFailing = true;
    printMessage(process, explain(error));
    process.exitCode = exitCodeOf(error);
    endWithin(HURRY_MS);
    void stop().finally(() => process.exit());
  });
}

/** Ends the process by then at the latest, whatever hangs: a database that does not answer, a disk that is full. */
function endWithin(ms: number): void {
  setTimeout(() => process.exit(), ms).unref();
}
