/** The running gateway: database, application and listeners, stopped in the reverse order of their start. */
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND_LINE } from '../admin/administer.js';
import { generatePassword } from '../admin/passwords.js';
import { createUser } from '../admin/user-changes.js';
import { FIRST_ADMINISTRATOR, hasUsers } from '../admin/users.js';
import type { Config } from '../config/config.js';
import { argon2Build } from '../credentials/passwords/argon2-build.js';
import { type DataDir, openDataDir } from '../db/open/data-dir.js';
import { listen } from '../http/server/listener.js';
import { createMetrics } from '../metrics.js';
import { createLogger } from '../platform/create-logger.js';
import { explanationText } from '../platform/explained.js';
import { createLogDestination } from '../platform/log-destination.js';
import { describeError, type Logger } from '../platform/logger.js';
import { REVISION } from '../platform/versions.js';
import { type App, createApp } from './compose.js';
import { lowerPoolThreads } from './pool-threads.js';
import { namingVariable, requireFree } from './port-taken.js';
import { startPageOf } from './start-page.js';

export interface Gateway {
  readFiles: App['readFiles'];
  /**
   * Reports not ready from now on. After SHUTDOWN_DELAY_SECONDS answers the requests in flight and stops everything.
   * @param hurry ends the delay, and the wait for requests that may be on their way
   */
  stop(hurry: AbortSignal): Promise<void>;
}

/** Login requests per address that are enough to try things out */
const ROOMY_LIMIT = 1_000;

/**
 * @param threads size of libuv's thread pool, if it differs from Node's default
 * @param print writes a line to the terminal, which is not the log
 * @throws whatever prevents the start; then nothing is left running
 */
export async function startGateway(
  config: Config,
  threads: number | undefined,
  print: (line: string) => void,
): Promise<Gateway> {
  const { host, port, metricsHost, metricsPort, publicUrl, reusePort } = config;
  const metrics = createMetrics();
  const log = createLogger(
    config.logLevel,
    createLogDestination(process.stdout, () => metrics.droppedLogLines.inc()),
  );
  for (const warning of config.warnings) log.warn(explanationText(warning));
  for (const line of config.ignored) log.info(line);
  await using starting = new AsyncDisposableStack();
  // Before anything is created or a password is shown. A probe cannot see whether a listener shares the port: `listen` does.
  if (!reusePort) await requireFree('PORT', host, port);
  if (metricsPort !== undefined) await requireFree('METRICS_PORT', metricsHost, metricsPort);
  const dataDir = await openDataDir(config, 'gateway', log);
  starting.defer(dataDir.close);
  let endExamination: (() => Promise<void>) | undefined;
  starting.defer(() => endExamination?.());
  const app = await createApp(config, dataDir.databaseUrl, { log, metrics, print, threads });
  starting.defer(app.close);
  lowerPoolThreads();
  app.poller.begin();
  if (dataDir.embedded) await createFirstAdministrator(app, print);
  let hurried: AbortSignal | undefined;
  // First, so that it stops last: what happens at the end can still be scraped.
  if (metricsPort !== undefined) {
    const scraped = await listen(app.metricsListener, metricsHost, metricsPort).catch(
      namingVariable('METRICS_PORT', metricsHost, metricsPort),
    );
    starting.defer(() => scraped.stop({ hurry: AbortSignal.abort() }));
  }
  const listening = await listen(app, host, port, {}, reusePort).catch(namingVariable('PORT', host, port));
  starting.defer(() => listening.stop({ hurry: hurried }));
  endExamination = examineLater(config, dataDir, log);
  log.info(
    {
      revision: REVISION,
      argon2: argon2Build(),
      passwords_per_second: Math.round(1 / app.passwords.hashCpuSeconds),
      host,
      port,
      metrics_port: metricsPort,
      public_url: publicUrl,
      start_page: startPageOf(config),
    },
    'ready',
  );
  const started = starting.move();
  let ended: Promise<void> | undefined;
  return {
    readFiles: app.readFiles,
    stop: async (hurry) => {
      log.info('stopping');
      app.state.isStopping = true;
      hurried = hurry;
      const delayMs = config.shutdownDelaySeconds * 1000;
      if (delayMs > 0) {
        listening.drain();
        await sleep(delayMs, undefined, { signal: hurry }).catch(() => undefined);
      }
      ended ??= started.disposeAsync();
      await ended;
      log.info('stopped');
    },
  };
}

/** Interface 1: an empty embedded database gets one administrator, whose password is shown once. */
async function createFirstAdministrator(app: App, print: (line: string) => void): Promise<void> {
  if (await hasUsers(app.db.admin)) return;
  const password = generatePassword();
  await createUser(app, COMMAND_LINE, { email: FIRST_ADMINISTRATOR, password, role: 'admin' });
  print(`First start: administrator ${FIRST_ADMINISTRATOR} was created. Its password will not be shown again.`);
  print(`password: ${password}`);
  const { rateLimit, rateWindowSeconds } = app.config.login;
  if (rateLimit >= ROOMY_LIMIT) return;
  print(`An address may log in ${rateLimit} times in ${rateWindowSeconds} s, right or wrong.`);
  print(`To try things freely, start it with LOGIN_RATE_LIMIT=${ROOMY_LIMIT}`);
}

/** The surroundings are examined this long after the start: a proxy may come up after the gateway. Milliseconds. */
const EXAMINED_AFTER_MS = 10_000;

/** Interface 9: `doctor` once, in the background. @returns ends it */
function examineLater(config: Config, { databaseUrl }: DataDir, log: Logger): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const examine = async (): Promise<void> => {
    await sleep(EXAMINED_AFTER_MS, undefined, { signal });
    const { examineAtStart } = await import('../doctor/examine.js'); // which the start need not load
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
