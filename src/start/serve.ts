/** What answers requests, in this process: application and listeners, on a database that runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND_LINE } from '../admin/administer.js';
import { generatePassword } from '../admin/passwords.js';
import { createUser } from '../admin/user-changes.js';
import { FIRST_ADMINISTRATOR, hasUsers } from '../admin/users.js';
import type { Config } from '../config/config.js';
import { argon2Build } from '../credentials/passwords/argon2-build.js';
import type { DataDir } from '../db/open/data-dir.js';
import { listen } from '../http/server/listener.js';
import { createCleanUp } from '../platform/clean-up.js';
import { namingVariable } from '../platform/port-taken.js';
import { putWorkersBehind } from '../platform/worker-threads.js';
import { type App, createApp, type Overrides } from './compose.js';

/** Logins of an address, for whoever tries things out */
const ROOMY_LIMIT = 1_000;

export interface Serving extends Pick<App, 'measure'> {
  /** As of the gateway. */
  readKeyring(): Promise<void>;
  /** For the log: which build of argon2 hashes, and about how many passwords a core checks in a second */
  hashing: { argon2: string; passwords_per_second: number };
  /** As of the gateway. */
  stop(hurry: AbortSignal): Promise<void>;
}

/**
 * @param tell writes a line to the terminal, apart from the log
 * @throws whatever keeps it from starting; then nothing is left running
 */
export async function serve(
  config: Config,
  { databaseUrl, embedded }: Pick<DataDir, 'databaseUrl' | 'embedded'>,
  overrides: Overrides,
  tell: (line: string) => void,
): Promise<Serving> {
  const cleanUp = createCleanUp();
  return cleanUp.guard(async () => {
    const app = await createApp(config, databaseUrl, overrides);
    cleanUp.defer(app.close);
    putWorkersBehind();
    app.poller.begin();
    if (embedded) await createFirstAdministrator(app, tell);
    const { host, port, metricsHost, metricsPort } = config;
    const isShared = config.workers > 1;
    let hurried: AbortSignal | undefined;
    // First, so that it is stopped last: what happens at the end can still be scraped.
    if (metricsPort !== undefined) {
      const scraped = await listen(app.metricsListener, metricsHost, metricsPort, {}, isShared).catch(
        namingVariable('METRICS_PORT', metricsHost, metricsPort),
      );
      cleanUp.defer(() => scraped.stop({ hurry: AbortSignal.abort() }));
    }
    const listening = await listen(app, host, port, {}, isShared).catch(namingVariable('PORT', host, port));
    cleanUp.defer(() => listening.stop({ hurry: hurried }));
    return {
      measure: app.measure,
      readKeyring: app.keyring.reload,
      hashing: { argon2: argon2Build(), passwords_per_second: Math.round(1 / app.passwords.hashCpuSeconds) },
      stop: async (hurry) => {
        app.state.isStopping = true;
        hurried = hurry;
        const delayMs = config.shutdownDelaySeconds * 1000;
        if (delayMs > 0) {
          listening.drain();
          await sleep(delayMs, undefined, { signal: hurry }).catch(() => undefined);
        }
        await cleanUp.run();
      },
    };
  });
}

/** Interface 1: an empty embedded database gets one administrator, whose password is shown this once. */
async function createFirstAdministrator(app: App, tell: (line: string) => void): Promise<void> {
  if (await hasUsers(app.db)) return;
  const password = generatePassword();
  await createUser(app, COMMAND_LINE, { email: FIRST_ADMINISTRATOR, password, role: 'admin' });
  tell(`First start: administrator ${FIRST_ADMINISTRATOR} was created. The password is shown this once.`);
  tell(`password: ${password}`);
  const { rateLimit, rateWindowSeconds } = app.config.login;
  if (rateLimit >= ROOMY_LIMIT) return;
  tell(`An address may log in ${rateLimit} times in ${rateWindowSeconds} s, right or wrong.`);
  tell(`To try things freely: LOGIN_RATE_LIMIT=${ROOMY_LIMIT} npm start`);
}
