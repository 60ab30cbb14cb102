/** Interface 9: `doctor` runs once after each start, in the background, and logs what it finds. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import type { Logger } from '../platform/logger.js';
import { examine } from './examine.js';
import { type Finding, type FindingName, printable } from './finding.js';
import { aroundGateway, CHECKS_IN_GATEWAY } from './in-gateway.js';

/** The start or the health checks log these. */
const LOGGED_ELSEWHERE: ReadonlySet<FindingName> = new Set([
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

const OUTSIDE = CHECKS_IN_GATEWAY.filter(([name]) => name === 'public_url');
const INSIDE = CHECKS_IN_GATEWAY.filter(([name]) => name !== 'public_url');

/** PUBLIC_URL may lead here only some time after the start: pauses between the tries, in milliseconds. */
const PAUSES_MS = [20_000, 40_000, 80_000];

/**
 * @param pausesMs before PUBLIC_URL is asked again, as long as it does not lead here
 * @throws the reason of the signal
 */
export async function examineAtStart(
  config: Config,
  databaseUrl: string,
  log: Logger,
  signal: AbortSignal,
  pausesMs: readonly number[] = PAUSES_MS,
): Promise<void> {
  const around = aroundGateway(config, databaseUrl, signal);
  logAll(await examine(around, INSIDE), log);
  let found = await examine(around, OUTSIDE);
  for (const pauseMs of pausesMs) {
    if (!found.some(mayPass) || found.some((one) => one.isIntermittent)) break;
    await sleep(pauseMs, undefined, { signal });
    found = await examine(around, OUTSIDE);
  }
  logAll(found, log);
}

/** What answers at PUBLIC_URL, such as a proxy or Vite, may be started after the gateway. */
function mayPass({ severity, check }: Finding): boolean {
  return severity === 'fault' || (severity === 'warning' && check === 'public_url');
}

function logAll(findings: readonly Finding[], log: Logger): void {
  for (const finding of findings) {
    if (LOGGED_ELSEWHERE.has(finding.check)) continue;
    const { severity, ...fields } = printable(finding);
    if (severity === 'fault') log.error(fields, 'doctor has found a fault');
    if (severity === 'warning') log.warn(fields, 'doctor warns');
  }
}
