/** Interface 9: the door of this room. Every check, all at once, each within its own time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../config/config.js';
import { createCleanUp } from '../platform/clean-up.js';
import { lookAtDisk, lookAtMemory, lookAtOpenFiles, lookAtPasswordSpeed, lookAtWorkers } from './capacity.js';
import { lookAtClock } from './clock.js';
import { lookAtConnections } from './connections.js';
import { lookAtCookie, lookAtCorsOrigins } from './cookies.js';
import { lookAtDatabase } from './database.js';
import { lookAtPooler, lookAtTls } from './database-connection.js';
import { lookAtSettings } from './database-settings.js';
import { codeOf } from './error-code.js';
import { type Finding, type FindingName, fault } from './finding.js';
import { lookAtKeyring } from './keyring.js';
import { lookAtSealedSecrets } from './keyring-database.js';
import { lookAtPublicUrl } from './public-url.js';
import { lookAtRedis } from './redis.js';
import { lookAtAdministrators, lookAtExpired } from './rows.js';
import {
  lookAtConfiguration,
  lookAtLifetimes,
  lookAtListenHost,
  lookAtLoginLimits,
  lookAtLogLevel,
  lookAtTrustedProxies,
  lookAtUnknownProxy,
} from './settings.js';
import { databaseOf, NotThere, type Surroundings } from './surroundings.js';

export { readMachine } from './machine.js';

/** The name is told where it gives no answer. */
export type Check = [name: FindingName, look: (at: Surroundings) => Finding[] | Promise<Finding[]>];

export const CHECKS: readonly Check[] = [
  ['configuration', lookAtConfiguration],
  ['listen_host', lookAtListenHost],
  ['login_limits', lookAtLoginLimits],
  ['token_lifetimes', lookAtLifetimes],
  ['log_level', lookAtLogLevel],
  ['proxy_unknown', lookAtUnknownProxy],
  ['trust_proxy', lookAtTrustedProxies],
  ['cookie', lookAtCookie],
  ['cors_origins', lookAtCorsOrigins],
  ['keyring', lookAtKeyring],
  ['keyring_database', lookAtSealedSecrets],
  ['database', lookAtDatabase],
  ['pooler', lookAtPooler],
  ['database_tls', lookAtTls],
  ['database_connections', lookAtConnections],
  ['database_durability', lookAtSettings],
  ['clock', lookAtClock],
  ['administrators', lookAtAdministrators],
  ['expired_rows', lookAtExpired],
  ['redis', lookAtRedis],
  ['public_url', lookAtPublicUrl],
  ['password_speed', lookAtPasswordSpeed],
  ['workers', lookAtWorkers],
  ['memory', lookAtMemory],
  ['open_files', lookAtOpenFiles],
  ['disk', lookAtDisk],
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

/** Where the configuration is refused, nothing else can be looked at. @throws {unknown} what is no refusal */
export function refusedConfiguration(error: unknown): Finding[] {
  if (!(error instanceof ConfigError)) throw error;
  return error.faults.map((text) => {
    const [variable] = text.split(':');
    const isRequired = /: must be set\b/.test(text);
    return fault(
      'configuration',
      text,
      `set ${variable} as that says${isRequired ? '' : ', or unset it'}; its row is in docs/configuration.md`,
    );
  });
}
