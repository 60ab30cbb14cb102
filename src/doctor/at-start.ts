/** Interface 9: `doctor` once after each start, in the background; what it finds is told in the log. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import { systemClock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import { CHECKS, examine } from './examine.js';
import type { Finding, FindingName } from './finding.js';
import { readMachine } from './machine.js';
import { isOfSomeInstances } from './public-url.js';

/** What the start and the health checks say themselves. */
const TOLD: ReadonlySet<FindingName> = new Set([
  'configuration',
  'listen_host',
  'proxy_unknown',
  'keyring',
  'keyring_readable',
  'database',
  'database_writes',
  'migrations',
  'clock',
  'redis',
  'redis_eviction',
]);

const OUTSIDE = CHECKS.filter(([name]) => name === 'public_url');
/** But for what takes a core and memory from logins; the line `ready` has it. */
const INSIDE = CHECKS.filter(([name]) => name !== 'public_url' && name !== 'password_speed');

/** PUBLIC_URL may lead here only a while after the start: how long is waited before each further try, milliseconds. */
const LATER_MS = [20_000, 40_000, 80_000];

/**
 * @param laterMs pauses before PUBLIC_URL is looked at again, while there is a fault that may pass
 * @throws the reason of the signal
 */
export async function examineAtStart(
  config: Config,
  databaseUrl: string,
  log: Logger,
  signal: AbortSignal,
  laterMs: readonly number[] = LATER_MS,
): Promise<void> {
  const around = { clock: systemClock, config, machine: readMachine(), signal, locate: async () => databaseUrl };
  tell(await examine(around, INSIDE), log);
  let seen = await examine(around, OUTSIDE);
  for (const pauseMs of laterMs) {
    if (!seen.some(({ severity }) => severity === 'fault') || seen.some(isOfSomeInstances)) break;
    await sleep(pauseMs, undefined, { signal });
    seen = await examine(around, OUTSIDE);
  }
  tell(seen, log);
}

function tell(findings: readonly Finding[], log: Logger): void {
  for (const { severity, check, seen, remedy } of findings) {
    if (TOLD.has(check)) continue;
    if (severity === 'fault') log.error({ check, seen, remedy }, 'doctor has found a fault');
    if (severity === 'warning') log.warn({ check, seen, remedy }, 'doctor warns');
  }
}
