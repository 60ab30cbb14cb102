/** How the program ends: its exit codes, and what it prints about an error. */
import { ArchiveRefusal } from '../archive/refusal.js';
import { ConfigError } from '../config/config.js';
import { KeyringError } from '../credentials/keyring/keyring-error.js';
import { BreachedPasswordsError } from '../credentials/passwords/breached-passwords-error.js';
import { explainUnreachable } from '../db/connection-faults.js';
import { DatabaseTooOld, PoolerInBetween } from '../db/database.js';
import { EmbeddedPostgresError } from '../db/embedded/open.js';
import { ReadOnlyServer } from '../db/hosts.js';
import { DatabaseTooNew } from '../db/migrate.js';
import { isOutage } from '../db/outage.js';
import { TrustedDocumentsError } from '../graphql/trusted-documents-error.js';
import { AdminRefusal } from '../listing/refusal.js';
import { MailTemplatesError } from '../mail/mail-templates-error.js';
import { ExplainedError, explanationText } from '../platform/explained.js';
import { describeError } from '../platform/logger.js';
import { RedisAway } from '../rate-limits/windows.js';
import { UsageError } from './parameter-types.js';
import { CliRefusal } from './refusal.js';

/** Interface 2 and 9; 78 is EX_CONFIG of sysexits.h. */
export const EXIT = { done: 0, refused: 1, usage: 2, config: 78 } as const;

/** The errors whose message is written for a person, with their exit codes. */
const KNOWN_ERRORS: ReadonlyArray<[kind: abstract new (...args: never[]) => Error, exitCode: number]> = [
  [UsageError, EXIT.usage],
  [ConfigError, EXIT.config],
  [KeyringError, EXIT.config],
  [BreachedPasswordsError, EXIT.config],
  [MailTemplatesError, EXIT.config],
  [TrustedDocumentsError, EXIT.config],
  [AdminRefusal, EXIT.refused],
  [CliRefusal, EXIT.refused],
  [ArchiveRefusal, EXIT.refused],
  [DatabaseTooOld, EXIT.refused],
  [DatabaseTooNew, EXIT.refused],
  [PoolerInBetween, EXIT.config],
  [ReadOnlyServer, EXIT.refused],
  [EmbeddedPostgresError, EXIT.refused],
  [RedisAway, EXIT.refused],
];

export function exitCodeOf(error: unknown): number {
  return KNOWN_ERRORS.find(([kind]) => error instanceof kind)?.[1] ?? EXIT.refused;
}

/**
 * One line or more for a person. The text of an unexpected error is not shown.
 * @param command what is typed in front of a command
 */
export function explain(error: unknown, command?: string): string {
  if (error instanceof ExplainedError) return explanationText(error, command);
  if (error instanceof Error && KNOWN_ERRORS.some(([kind]) => error instanceof kind)) return error.message;
  const { name, code = name, at = [] } = describeError(error);
  if (code === 'ABORT_ERR') return 'cancelled';
  const call = systemCallOf(error);
  if (code === 'EEXIST' && call?.startsWith('link')) return 'the file already exists, and was not changed';
  if (call !== undefined) return `cannot ${call} (${code})`;
  if (code === '42501') return explanationText(NO_RIGHTS, command);
  if (code === '55P03') return 'a table is locked (55P03); try again';
  if (isOutage(error)) return explanationText(explainUnreachable(error));
  return [`unexpected error: ${code}`, ...at].join('\n  ');
}

/** SQLSTATE insufficient_privilege */
const NO_RIGHTS = {
  reason: 'the role of DATABASE_URL may not do this (42501)',
  remedy: {
    advice: 'use the role that owns the tables, or let it grant rights to this one and run migrate up; for details',
    command: 'doctor',
  },
};

/** The system call that failed, such as `listen 127.0.0.1:3000` or `mkdir /data`; undefined for a connection. */
function systemCallOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || error.syscall === 'connect') return undefined;
  const { syscall, path, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall === 'getaddrinfo') return undefined;
  return `${syscall} ${path ?? (address === undefined ? '' : `${address}:${port}`)}`.trim();
}
