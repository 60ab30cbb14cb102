/** Interface 9: the door of this room. Every check, all at once, each within its own time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../config/config.js';
import { createCleanUp } from '../platform/clean-up.js';
import { remedyText } from '../platform/explained.js';
import { checkDisk, checkMemory, checkOpenFiles, checkPasswordSpeed } from './capacity.js';
import { checkClock } from './clock.js';
import { checkConnections } from './connections.js';
import { checkCookie, checkCorsOrigins } from './cookies.js';
import { checkDatabase } from './database.js';
import { checkPooler, checkTls } from './database-connection.js';
import { checkSettings } from './database-settings.js';
import { codeOf } from './error-code.js';
import { type Finding, type FindingName, fault } from './finding.js';
import { checkKeyring } from './keyring.js';
import { checkSealedSecrets } from './keyring-database.js';
import { checkPublicUrl } from './public-url.js';
import { checkRedis } from './redis.js';
import { checkAdministrators, checkExpired } from './rows.js';
import {
  checkConfiguration,
  checkLifetimes,
  checkListenHost,
  checkLoginLimits,
  checkLogLevel,
  checkTrustedProxies,
  checkUnknownProxy,
} from './settings.js';
import { databaseOf, NotThere, type Surroundings } from './surroundings.js';

export { readMachine } from './machine.js';

/** The name is told where it gives no answer. */
export type Check = [name: FindingName, look: (at: Surroundings) => Finding[] | Promise<Finding[]>];

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
  ['keyring', checkKeyring],
  ['keyring_database', checkSealedSecrets],
  ['database', checkDatabase],
  ['pooler', checkPooler],
  ['database_tls', checkTls],
  ['database_connections', checkConnections],
  ['database_durability', checkSettings],
  ['clock', checkClock],
  ['administrators', checkAdministrators],
  ['expired_rows', checkExpired],
  ['redis', checkRedis],
  ['public_url', checkPublicUrl],
  ['password_speed', checkPasswordSpeed],
  ['memory', checkMemory],
  ['open_files', checkOpenFiles],
  ['disk', checkDisk],
];

export interface Around extends Pick<Surroundings, 'clock' | 'config' | 'machine' | 'signal'> {
  /** Gives the URL of the database; it may start or join the embedded server. */
  locate(): Promise<string>;
}

/** How long a check may take; then that is what was found: milliseconds. */
const WITHIN_MS = 8_000;

/**
 * What is found, in the order of the checks. It changes nothing.
 * @throws the reason of the signal, and nothing else
 */
export async function examine({ locate, ...around }: Around, checks = CHECKS): Promise<Finding[]> {
  const cleanUp = createCleanUp();
  const done = new AbortController();
  const signal = AbortSignal.any([around.signal, done.signal]);
  const surroundings = { ...around, signal, database: databaseOf(around.config, locate, signal, cleanUp) };
  try {
    const found = await Promise.all(checks.map((check) => lookInTime(check, surroundings)));
    return toldOnce(found.flat());
  } finally {
    done.abort();
    await Promise.race([cleanUp.run().catch(() => undefined), sleep(CLOSED_WITHIN_MS, undefined, { ref: false })]);
  }
}

/** A connection that hangs is told by its check, and not waited for at the end: milliseconds. */
const CLOSED_WITHIN_MS = 1_000;

function lookInTime([name, look]: Check, surroundings: Surroundings): Promise<Finding[]> {
  const looked = (async () => look(surroundings))().catch((error: unknown) => notSeen(name, error));
  return Promise.race([looked, sleep(WITHIN_MS, [hanging(name)], { signal: surroundings.signal })]);
}

function hanging(name: FindingName): Finding {
  const remedy = 'look at what is asked there, and at the way to it, such as a firewall';
  return fault(name, `no answer within ${WITHIN_MS / 1000} s`, remedy);
}

/** What depends on something else that is not there has nothing to say. */
function notSeen(check: FindingName, error: unknown): Finding[] {
  if (error instanceof NotThere) return [];
  const code = codeOf(error);
  return [
    fault(
      check,
      `it cannot be looked at (${code})`,
      'mend what else is found, and allow what the code forbids; then run: auth-gateway doctor',
    ),
  ];
}

/** SQLSTATE insufficient_privilege */
const NO_RIGHTS = /\(42501\)/;

/** A role without rights is one fault, however much cannot be looked at because of it. */
function toldOnce(found: Finding[]): Finding[] {
  const isTold = found.some(({ check, severity }) => check === 'database_rights' && severity === 'fault');
  return isTold ? found.filter(({ severity, seen }) => severity === 'ok' || !NO_RIGHTS.test(seen)) : found;
}

/** If the configuration is refused, its faults are all that can be found. @throws any other error */
export function refusedConfiguration(error: unknown): Finding[] {
  if (!(error instanceof ConfigError)) throw error;
  return error.faults.map(({ variable, reason, remedy = `correct ${variable} or unset it` }) =>
    fault('configuration', `${variable}: ${reason}`, `${remedyText(remedy)}; docs/configuration.md describes it`),
  );
}
