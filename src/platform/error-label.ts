/** What is safe to log and print of an error that comes from outside: its code, or a fixed text. */
import { Outage } from './outage.js';

/** As Node reports an error of the system: call, code and address. */
const OF_SYSTEM = /^(connect|read|write|getaddrinfo) E[A-Z_]+( [\w.:/-]+)?$/;

/**
 * @param ofDriver texts of a driver, or how they begin, that never quote a row
 * @returns the text of an error if it is one of those, the system's or that of an {Outage}; otherwise undefined
 */
export function fixedTextOf(error: Error, ofDriver: readonly RegExp[]): string | undefined {
  if (error instanceof Outage) return error.message;
  for (const text of [OF_SYSTEM, ...ofDriver]) {
    const [found] = text.exec(error.message) ?? [];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An error in a word or a fixed sentence: the code of the system, OpenSSL or a store; a fixed text; or the class. */
export function errorLabel(error: unknown, ofDriver: readonly RegExp[] = []): string {
  const { code, name } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') return code;
  return (error instanceof Error && fixedTextOf(error, ofDriver)) || name;
}
