/** The running gateway: database, and what answers requests, here or in workers; stopped in the reverse order. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import { type DataDir, openDataDir } from '../db/open/data-dir.js';
import { createCleanUp } from '../platform/clean-up.js';
import { explanationText } from '../platform/explained.js';
import { createLogDestination, PIPE_BUF } from '../platform/log-destination.js';
import { createLogger, describeError, type Logger } from '../platform/logger.js';
import { createMetrics } from '../platform/metrics.js';
import { requireFree } from '../platform/port-taken.js';

export interface Gateway {
  /** Reads the keyring now, and logs what comes of it. */
  readKeyring(): Promise<void>;
  /**
   * Is not ready from now on, and after SHUTDOWN_DELAY_SECONDS answers what is in flight and stops everything.
   * @param hurry ends the delay, and the wait for requests that may be on their way
   */
  stop(hurry: AbortSignal): Promise<void>;
}

/**
 * @param threads size of libuv's thread pool, where it is not Node's own
 * @param tell writes a line to the terminal, apart from the log
 * @throws whatever keeps it from starting, {WorkerEnded} too; then nothing is left running
 */
export async function startGateway(
  config: Config,
  threads: number | undefined,
  tell: (line: string) => void,
): Promise<Gateway> {
  const { host, isDevelopment, port, metricsHost, metricsPort, publicUrl, workers } = config;
  const metrics = createMetrics();
  const maxBytes = workers > 1 ? PIPE_BUF : undefined;
  const destination = createLogDestination(process.stdout, () => metrics.droppedLogLines.inc(), maxBytes);
  const log = createLogger(config.logLevel, destination);
  for (const warning of config.warnings) log.warn(explanationText(warning));
  const cleanUp = createCleanUp();
  return cleanUp.guard(async () => {
    // Before anything is made, or a password is shown that nobody will see again. And workers of another gateway would
    // share their port with ours.
    await requireFree('PORT', host, port);
    if (metricsPort !== undefined) await requireFree('METRICS_PORT', metricsHost, metricsPort);
    const dataDir = await openDataDir(config, 'gateway', log);
    cleanUp.defer(dataDir.close);
    const startPage = isDevelopment ? `${publicUrl}/` : undefined;
    const address = { host, port, metrics_port: metricsPort, public_url: publicUrl, start_page: startPage };
    let serving: Gateway;
    // Each loads what it needs: a process that only has workers serves nothing itself.
    if (workers === 1) {
      const { serve } = await import('./serve.js');
      const here = await serve(config, dataDir, { log, metrics, threads }, tell);
      serving = here;
      log.info({ ...here.hashing, ...address }, 'ready');
    } else {
      const { startWorkers } = await import('../workers/primary.js');
      serving = await startWorkers(config, dataDir, { log, metrics, threads });
      log.info({ ...address, workers }, 'ready');
    }
    cleanUp.defer(examineLater(config, dataDir, log));
    return {
      readKeyring: serving.readKeyring,
      stop: async (hurry) => {
        log.info('stopping');
        cleanUp.defer(() => serving.stop(hurry));
        await cleanUp.run();
        log.info('stopped');
      },
    };
  });
}

/** How long after the start its surroundings are looked at: what is before the gateway may come up after it. Milliseconds. */
const EXAMINED_AFTER_MS = 10_000;

/** Interface 9: `doctor` once, in the background, for all workers. @returns ends it */
function examineLater(config: Config, { databaseUrl }: DataDir, log: Logger): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const examine = async (): Promise<void> => {
    await sleep(EXAMINED_AFTER_MS, undefined, { signal });
    const { examineAtStart } = await import('../doctor/at-start.js'); // which the start need not load
    await examineAtStart(config, databaseUrl, log, signal);
  };
  const examined = examine().catch((error: unknown) => {
    if (!signal.aborted) log.warn({ error: describeError(error) }, 'doctor has failed');
  });
  return () => {
    ending.abort();
    return examined;
  };
}
