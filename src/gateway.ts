/** The running gateway: database, application and listener, started in order and stopped in the reverse. */
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND_LINE } from './admin/administer.js';
import { generatePassword } from './admin/passwords.js';
import { createUser } from './admin/user-changes.js';
import { hasUsers } from './admin/users.js';
import { type App, createApp } from './app.js';
import type { Config } from './config.js';
import { argon2Build } from './credentials/argon2-build.js';
import { openDataDir } from './data-dir.js';
import { listen } from './http/listener.js';
import { createCleanUp } from './platform/clean-up.js';
import { createLogDestination } from './platform/log-destination.js';
import { createLogger } from './platform/logger.js';
import { createMetrics } from './platform/metrics.js';
import { putWorkersBehind } from './platform/worker-threads.js';

const FIRST_ADMINISTRATOR = 'admin@example.com';

export interface Gateway {
  /**
   * Is not ready from now on, and after SHUTDOWN_DELAY_SECONDS answers what is in flight and stops everything.
   * @param hurry ends the delay, and the wait for requests that may be on their way
   */
  stop(hurry: AbortSignal): Promise<void>;
}

/**
 * @param threads size of libuv's thread pool, where it is not Node's own
 * @param tell writes a line to the terminal, apart from the log
 * @throws whatever keeps it from starting; then nothing is left running
 */
export async function startGateway(
  config: Config,
  threads: number | undefined,
  tell: (line: string) => void,
): Promise<Gateway> {
  const metrics = createMetrics();
  const destination = createLogDestination(process.stdout, () => metrics.droppedLogLines.inc());
  const log = createLogger(config.logLevel, destination);
  for (const warning of config.warnings) log.warn(warning);
  const cleanUp = createCleanUp();
  return cleanUp.guard(async () => {
    const dataDir = await openDataDir(config, 'gateway', log);
    cleanUp.defer(dataDir.close);
    const app = await createApp(config, dataDir.databaseUrl, { log, metrics, threads });
    cleanUp.defer(app.close);
    putWorkersBehind();
    app.watch.begin();
    if (dataDir.embedded) await createFirstAdministrator(app, tell);
    const { host, port, metricsHost, metricsPort, publicUrl } = config;
    let hurried: AbortSignal | undefined;
    // First, so that it is stopped last: what happens at the end can still be scraped.
    if (metricsPort !== undefined) {
      const scraped = await listen(app.metricsListener, metricsHost, metricsPort);
      cleanUp.defer(() => scraped.stop({ hurry: AbortSignal.abort() }));
    }
    const listening = await listen(app, host, port);
    cleanUp.defer(() => listening.stop({ hurry: hurried }));
    const hashing = { argon2: argon2Build(), passwords_per_second: Math.round(1 / app.passwords.hashCpuSeconds) }; // of a core
    log.info({ ...hashing, host, port, metrics_port: metricsPort, public_url: publicUrl }, 'ready');
    return {
      stop: async (hurry) => {
        log.info('stopping');
        app.state.isStopping = true;
        hurried = hurry;
        const delayMs = config.shutdownDelaySeconds * 1000;
        if (delayMs > 0) {
          listening.drain();
          await sleep(delayMs, undefined, { signal: hurry }).catch(() => undefined);
        }
        await cleanUp.run();
        log.info('stopped');
      },
    };
  });
}

/** CONTRACT 1: an empty embedded database gets one administrator, whose password is shown this once. */
async function createFirstAdministrator(app: App, tell: (line: string) => void): Promise<void> {
  if (await hasUsers(app.db)) return;
  const password = generatePassword();
  await createUser(app, COMMAND_LINE, { email: FIRST_ADMINISTRATOR, password, role: 'admin' });
  tell(`First start: administrator ${FIRST_ADMINISTRATOR} was created. The password is shown this once.`);
  tell(`password: ${password}`);
}
