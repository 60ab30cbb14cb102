/** Error texts that are safe to log: fixed texts of drivers and the system, which never quote a row. */
import { Outage } from './outage.js';

const FIXED = [
  // pg and its pool
  /^timeout exceeded when trying to connect$/,
  /^timeout expired$/,
  /^Query read timeout$/,
  /^Connection terminated( unexpectedly| due to connection timeout)?$/,
  /^Client has encountered a connection error and is not queryable$/,
  /^Client was closed and is not queryable$/,
  /^Cannot use a pool after calling end on the pool$/,
  /^SASL: [\w ():-]+$/,
  /^Unknown authenticationOk message type \d+$/,
  /^The server does not support SSL connections$/,
  /^There was an error establishing an SSL connection$/,
  // ioredis
  /^Connection is closed\.$/,
  /^Command timed out$/,
  /^Command aborted due to connection close$/,
  /^Stream isn't writeable and enableOfflineQueue options is false$/,
  /^Cluster isn't ready and enableOfflineQueue options is false$/,
  /^Socket timeout\. Expecting data, but didn't receive any in \d+ms\.$/,
  /^connect ETIMEDOUT$/,
  // the system, as Node reports it: call, code and address
  /^(connect|read|write|getaddrinfo) E[A-Z_]+( [\w.:/-]+)?$/,
];
const PART = [
  // ioredis, followed by figures and other errors
  /^Reached the max retries per request limit/,
  /^All sentinels are unreachable/,
  // Redis servers
  /^(CLUSTERDOWN|LOADING|MASTERDOWN|MISCONF|NOAUTH|NOPERM|NOREPLICAS|OOM|READONLY|WRONGPASS)\b/,
];

/** The text of an error if it is one of those or an {Outage}; otherwise undefined. */
export function fixedTextOf(error: Error): string | undefined {
  const { message } = error;
  if (error instanceof Outage || FIXED.some((text) => text.test(message))) return message;
  for (const text of PART) {
    const [part] = text.exec(message) ?? [];
    if (part !== undefined) return part;
  }
  return undefined;
}

/** An error in a word or a fixed sentence: the code of the system, OpenSSL or PostgreSQL; a fixed text; or the class. */
export function errorLabel(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') return code;
  return (error instanceof Error && fixedTextOf(error)) || name;
}
