/** What may be told of an error: its code, or its text where that is a fixed one. */
import { fixedTextOf } from '../platform/fixed-texts.js';

/** @returns the code of the system, of OpenSSL or of PostgreSQL; else a fixed text; else the class */
export function codeOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') return code;
  return (error instanceof Error && fixedTextOf(error)) || name;
}
