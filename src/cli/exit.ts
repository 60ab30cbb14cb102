/** How the program ends: its exit codes, and what a person reads about an error. */

import { ArchiveRefusal } from '../archive/refusal.js';
import { ConfigError } from '../config/config.js';
import { KeyringError } from '../credentials/keyring/keyring-file.js';
import { connectionFaultOf } from '../db/connection-faults.js';
import { DatabaseTooOld, PoolerInBetween } from '../db/database.js';
import { EmbeddedPostgresError } from '../db/embedded/open.js';
import { ReadOnlyServer } from '../db/hosts.js';
import { DatabaseTooNew } from '../db/migrate.js';
import { isOutage } from '../db/outage.js';
import { RedisAway } from '../limits/windows.js';
import { AdminRefusal } from '../listing/refusal.js';
import { INSTALLED } from '../platform/explained.js';
import { describeError } from '../platform/logger.js';
import { PortTaken } from '../platform/port-taken.js';
import { UsageError } from './kinds.js';

/** Interface 2 and 9; 78 is EX_CONFIG of sysexits.h. */
export const EXIT = { done: 0, refused: 1, usage: 2, config: 78 } as const;

/** The command itself says no, or passes on that somebody else has. The message is for a person. */
export class CliRefusal extends Error {
  override readonly name = 'CliRefusal';
}

/** The errors whose message is written for a person, and how each ends the program. */
const KNOWN_ERRORS: ReadonlyArray<[kind: abstract new (...args: never[]) => Error, exitCode: number]> = [
  [UsageError, EXIT.usage],
  [ConfigError, EXIT.config],
  [KeyringError, EXIT.config],
  [AdminRefusal, EXIT.refused],
  [CliRefusal, EXIT.refused],
  [ArchiveRefusal, EXIT.refused],
  [DatabaseTooOld, EXIT.refused],
  [DatabaseTooNew, EXIT.refused],
  [PoolerInBetween, EXIT.config],
  [ReadOnlyServer, EXIT.refused],
  [EmbeddedPostgresError, EXIT.refused],
  [PortTaken, EXIT.refused],
  [RedisAway, EXIT.refused],
];

export function exitCodeOf(error: unknown): number {
  return KNOWN_ERRORS.find(([kind]) => error instanceof kind)?.[1] ?? EXIT.refused;
}

/**
 * One line or more for a person about an error that ends the program; the text of an unexpected one is not shown.
 * @param command what is typed before the words of a command
 */
export function explain(error: unknown, command: string = INSTALLED): string {
  if (error instanceof Error && KNOWN_ERRORS.some(([kind]) => error instanceof kind)) {
    return error.message.replace(`run: ${INSTALLED} `, `run: ${command} `);
  }
  const { name, code = name, at = [] } = describeError(error);
  if (code === 'ABORT_ERR') return 'cancelled';
  const call = systemCallOf(error);
  if (code === 'EEXIST' && call?.startsWith('link')) return 'the file exists already and is left as it is';
  if (call !== undefined) return `cannot ${call} (${code})`;
  const fault = connectionFaultOf(error);
  if (fault !== undefined) return `${fault.seen}; ${fault.remedy}`;
  if (code === '42501') return NO_RIGHTS;
  if (code === '3D000') return 'there is no such database (3D000): create it, or mend DATABASE_URL';
  if (code === '55P03') return 'a table is locked by somebody else (55P03): try again';
  if (/^28...$/.test(code)) return `the database refuses the connection (${code}): look at DATABASE_URL`;
  if (isOutage(error)) return `the database cannot be reached (${code})`;
  return [`unexpected error: ${code}`, ...at].join('\n  ');
}

/** SQLSTATE insufficient_privilege */
const NO_RIGHTS =
  'the role of DATABASE_URL may not do this (42501): it has to own the tables, or their owner gives it rights to them and runs ' +
  'migrate up; doctor says more';

/** What the system refused, such as `listen 127.0.0.1:3000` or `mkdir /data`; undefined for a connection. */
function systemCallOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || error.syscall === 'connect') return undefined;
  const { syscall, path, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall === 'getaddrinfo') return undefined;
  return `${syscall} ${path ?? (address === undefined ? '' : `${address}:${port}`)}`.trim();
}
