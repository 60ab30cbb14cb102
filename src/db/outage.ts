/** Recognises errors of PostgreSQL and of the connection to it. */
import pg from 'pg';
import { Outage } from '../platform/outage.js';
import { connectionFaultOf } from './connection-faults.js';

/** Every error of a pooler itself has it (FATAL), and a fault in the protocol (ERROR). */
const PROTOCOL_VIOLATION = '08P01';

/** SQLSTATE classes and codes of temporary faults that are not due to the statement. */
const OUTAGE_SQLSTATE = /^(08(?!P01)|28|3D|40001|40P01|53|57P|58|25006|55000|55P03|57014)/;
const OUTAGE_SYSTEM =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOENT|EACCES|EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL)$/;
const OUTAGE_TEXT =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after)/;

/** True if the server ended a statement that took too long (SQLSTATE query_canceled). */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '57014';
}

/** True if PostgreSQL rolled back a transaction in favour of others: a serialization failure or a deadlock. */
export function isUndone(error: unknown): boolean {
  return causesOf(error).some((cause) => 'code' in cause && (cause.code === '40001' || cause.code === '40P01'));
}

/** True if a statement has waited too long for a lock (SQLSTATE lock_not_available). */
export function isLockTimeout(error: unknown): boolean {
  return causesOf(error).some((cause) => 'code' in cause && cause.code === '55P03');
}

/** True if a table was altered after this connection had prepared the statement, which runs unnamed. */
export function isPlanStale(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

/** True if a pooler refuses connections with startup parameters. */
export function isStartupRefused(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== PROTOCOL_VIOLATION) return false;
  return error.message.startsWith('unsupported startup parameter');
}

/** True if the database, or another store, does not answer at present. Answered 503. */
export function isOutage(error: unknown): boolean {
  if (error instanceof Outage || connectionFaultOf(error) !== undefined) return true;
  for (const cause of causesOf(error)) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    if (code === PROTOCOL_VIOLATION && 'severity' in cause && cause.severity === 'FATAL') return true; // a pooler's
    if (OUTAGE_SQLSTATE.test(code) || OUTAGE_SYSTEM.test(code)) return true;
    if (OUTAGE_TEXT.test(cause.message)) return true;
  }
  return false;
}

/** The error and its causes: the entity manager wraps errors of the driver. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 5; cause = cause.cause) causes.push(cause);
  return causes;
}
