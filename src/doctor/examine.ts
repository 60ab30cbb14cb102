/** `doctor`: runs every check, all at once, each within its own time. Others enter this room here. (Interface 9 and 11) */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, ConfigError } from '../config/config.js';
import { DRIVER_TEXTS } from '../db/connection-faults.js';
import { systemClock } from '../platform/clock.js';
import { errorLabel } from '../platform/error-label.js';
import { remedyText } from '../platform/explained.js';
import type { Logger } from '../platform/logger.js';
import { checkDisk, checkMemory, checkOpenFiles, checkPasswordSpeed } from './capacity.js';
import { checkClock } from './clock.js';
import {
  checkConfiguration,
  checkCookie,
  checkCorsOrigins,
  checkLifetimes,
  checkListenHost,
  checkLoginLimits,
  checkLogLevel,
  checkTrustedProxies,
  checkUnknownProxy,
} from './configuration.js';
import { checkDatabase, checkPooler, checkTls } from './database.js';
import { checkConnections, checkSettings } from './database-settings.js';
import { checkMail, checkWebhooks } from './delivery.js';
import { checkTrustedDocuments } from './documents.js';
import { type Finding, type FindingName, fault, type PrintedFinding, printable } from './finding.js';
import { checkKeyExpiry, checkKeyring, checkSealedSecrets } from './keys.js';
import { checkForwardAuth, checkPublicUrl } from './reachability.js';
import { checkRedis } from './redis.js';
import { DatabaseUnavailable, databaseOf, readMachine, type Surroundings } from './surroundings.js';
import {
  checkAdministrators,
  checkBreachedPasswords,
  checkExpired,
  checkSecondFactors,
  checkUserPasswords,
} from './users.js';

/** The name is used if the check gives no answer. */
type Check = [name: FindingName, check: (at: Surroundings) => Finding[] | Promise<Finding[]>];

export const CHECKS: readonly Check[] = [
  ['configuration', checkConfiguration],
  ['listen_host', checkListenHost],
  ['login_limits', checkLoginLimits],
  ['token_lifetimes', checkLifetimes],
  ['log_level', checkLogLevel],
  ['proxy_unknown', checkUnknownProxy],
  ['trust_proxy', checkTrustedProxies],
  ['cookie', checkCookie],
  ['cors_origins', checkCorsOrigins],
  ['forward_auth', checkForwardAuth],
  ['keyring', checkKeyring],
  ['keyring_database', checkSealedSecrets],
  ['key_expiry', checkKeyExpiry],
  ['trusted_documents', checkTrustedDocuments],
  ['breached_passwords', checkBreachedPasswords],
  ['database', checkDatabase],
  ['pooler', checkPooler],
  ['database_tls', checkTls],
  ['database_connections', checkConnections],
  ['database_durability', checkSettings],
  ['clock', checkClock],
  ['administrators', checkAdministrators],
  ['second_factors', checkSecondFactors],
  ['operator_passwords', checkUserPasswords],
  ['expired_rows', checkExpired],
  ['redis', checkRedis],
  ['webhooks', checkWebhooks],
  ['mail', checkMail],
  ['public_url', checkPublicUrl],
  ['password_speed', checkPasswordSpeed],
  ['memory', checkMemory],
  ['open_files', checkOpenFiles],
  ['disk', checkDisk],
];

interface Around extends Pick<Surroundings, 'config' | 'isGateway' | 'signal'> {
  /** By default those of this process */
  clock?: Surroundings['clock'];
  machine?: Surroundings['machine'];
  /** Gives the URL of the database; it may start or join the embedded server. */
  locate(): Promise<string>;
}

/** How long a check may take before this itself is a fault: milliseconds. */
const WITHIN_MS = 8_000;

/**
 * Changes nothing.
 * @returns findings in the order of the checks
 * @throws the reason of the signal, and nothing else
 */
export async function examine({ locate, ...around }: Around, checks = CHECKS): Promise<Finding[]> {
  const cleanUp = new AsyncDisposableStack();
  const done = new AbortController();
  const signal = AbortSignal.any([around.signal, done.signal]);
  const database = databaseOf(around.config, locate, signal, cleanUp);
  const surroundings = { clock: systemClock, machine: readMachine(), ...around, signal, ...database };
  try {
    const found = await Promise.all(checks.map((check) => runInTime(check, surroundings)));
    return reportOnce(found.flat());
  } finally {
    done.abort();
    await Promise.race([
      cleanUp.disposeAsync().catch(() => undefined),
      sleep(CLOSED_WITHIN_MS, undefined, { ref: false }),
    ]);
  }
}

/** How long the end waits for connections; a check reports one that hangs: milliseconds. */
const CLOSED_WITHIN_MS = 1_000;

function runInTime([name, check]: Check, surroundings: Surroundings): Promise<Finding[]> {
  const checked = (async () => check(surroundings))().catch((error: unknown) => failed(name, error));
  return Promise.race([checked, sleep(WITHIN_MS, [hanging(name)], { signal: surroundings.signal })]);
}

function hanging(name: FindingName): Finding {
  const remedy = 'check that what it asks works, and that no firewall is in the way';
  return fault(name, `no answer within ${WITHIN_MS / 1000} s`, remedy);
}

/** A check without its database reports nothing, because another check reports that. */
function failed(check: FindingName, error: unknown): Finding[] {
  if (error instanceof DatabaseUnavailable) return [];
  const code = errorLabel(error, DRIVER_TEXTS);
  const remedy = { advice: 'fix the other findings, and allow what the code forbids; then', command: 'doctor' };
  return [{ ...fault(check, `it cannot be checked (${code})`, remedy), code }];
}

/** SQLSTATE insufficient_privilege */
const NO_RIGHTS = '42501';

/** A role without rights is one fault, even if it prevents several checks. */
function reportOnce(found: Finding[]): Finding[] {
  const isReported = found.some(({ check, severity }) => check === 'database_rights' && severity === 'fault');
  return isReported ? found.filter(({ code }) => code !== NO_RIGHTS) : found;
}

/** If the configuration is refused, its faults are all that can be found. @throws any other error */
export function refusedConfiguration(error: unknown): Finding[] {
  if (!(error instanceof ConfigError)) throw error;
  return error.faults.map(({ variable, reason, remedy = `correct ${variable} or unset it` }) =>
    fault('configuration', `${variable}: ${reason}`, `${remedyText(remedy)}; docs/configuration.md describes it`),
  );
}

/** Without the speed of passwords, which would take a core and memory from logins; the line `ready` has it. */
const CHECKS_IN_GATEWAY = CHECKS.filter(([name]) => name !== 'password_speed');

function aroundGateway(config: Config, databaseUrl: string, signal: AbortSignal): Around {
  return { config, isGateway: true, signal, locate: async () => databaseUrl };
}

/** Runs them once in the running gateway. @throws the reason of the signal */
export async function examineGateway(...gateway: Parameters<typeof aroundGateway>): Promise<PrintedFinding[]> {
  const found = await examine(aroundGateway(...gateway), CHECKS_IN_GATEWAY);
  return found.map((finding) => printable(finding));
}

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
  'trusted_documents',
]);

const OUTSIDE = CHECKS_IN_GATEWAY.filter(([name]) => name === 'public_url');
const INSIDE = CHECKS_IN_GATEWAY.filter(([name]) => name !== 'public_url');

/** PUBLIC_URL may lead here only some time after the start: pauses between the tries, in milliseconds. */
const PAUSES_MS = [20_000, 40_000, 80_000];

/**
 * Runs them once after the start, and logs each finding that nobody has logged yet.
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
