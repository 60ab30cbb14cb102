/** Interface 9: runs every check of `doctor`, all at once, each within its own time. Others enter this room here. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../config/config.js';
import { remedyText } from '../platform/explained.js';
import { errorLabel } from '../platform/fixed-texts.js';
import { checkBreachedPasswords } from './breached-passwords.js';
import { checkDisk, checkMemory, checkOpenFiles, checkPasswordSpeed } from './capacity.js';
import { checkClock } from './clock.js';
import { checkConnections } from './connections.js';
import { checkCookie, checkCorsOrigins } from './cookies.js';
import { checkDatabase } from './database.js';
import { checkPooler, checkTls } from './database-connection.js';
import { checkSettings } from './database-settings.js';
import { type Finding, type FindingName, fault } from './finding.js';
import { checkForwardAuth } from './forward-auth.js';
import { checkKeyExpiry } from './key-expiry.js';
import { checkKeyring } from './keyring.js';
import { checkSealedSecrets } from './keyring-database.js';
import { checkLoginLimits } from './login-limits.js';
import { checkMail } from './mail.js';
import { checkPublicUrl } from './public-url.js';
import { checkRedis } from './redis.js';
import { checkAdministrators, checkExpired } from './rows.js';
import {
  checkConfiguration,
  checkLifetimes,
  checkListenHost,
  checkLogLevel,
  checkTrustedProxies,
  checkUnknownProxy,
} from './settings.js';
import { DatabaseUnavailable, databaseOf, type Surroundings } from './surroundings.js';
import { checkUserPasswords } from './user-passwords.js';
import { checkWebhooks } from './webhooks.js';

export { readMachine } from './machine.js';

/** The name is used if the check gives no answer. */
export type Check = [name: FindingName, check: (at: Surroundings) => Finding[] | Promise<Finding[]>];

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
  ['breached_passwords', checkBreachedPasswords],
  ['database', checkDatabase],
  ['pooler', checkPooler],
  ['database_tls', checkTls],
  ['database_connections', checkConnections],
  ['database_durability', checkSettings],
  ['clock', checkClock],
  ['administrators', checkAdministrators],
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

export interface Around extends Pick<Surroundings, 'clock' | 'config' | 'isGateway' | 'machine' | 'signal'> {
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
  const surroundings = { ...around, signal, database: databaseOf(around.config, locate, signal, cleanUp) };
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
  const code = errorLabel(error);
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
