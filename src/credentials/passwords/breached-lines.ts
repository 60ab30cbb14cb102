/** Lines of the downloads of Have I Been Pwned: hash in upper case, a colon, and how often it was seen. */

/** The files do not have the format that the downloader writes. The message continues a sentence that begins with the path. */
export class NotDownloaded extends Error {
  override readonly name = 'NotDownloaded';
  /** The range, if it is one of a folder */
  path?: string;
}

/** Hexadecimal digits of a hash */
const SHA1_DIGITS = 40;
const NTLM_DIGITS = 32;

/** Hexadecimal digits of the name of a range, which its lines lack */
export const PREFIX_DIGITS = 5;

/**
 * The hash of a line, or of its rest in a range.
 * @param line without its end
 * @throws {NotDownloaded}
 */
export function hashOfLine(line: string, missingDigits: number): string {
  const [, hash = ''] = /^([0-9A-F]+):\d+$/.exec(line) ?? [];
  if (hash.length === SHA1_DIGITS - missingDigits) return hash;
  if (hash.length === NTLM_DIGITS - missingDigits) {
    throw new NotDownloaded('has NTLM hashes; SHA-1 is needed, which the downloader writes without -n');
  }
  throw new NotDownloaded('has a line that is not HASH:COUNT, as the downloader of Have I Been Pwned writes');
}

/** True if the lines have a hash. A count of 0 marks the padding of a range, which is nobody's password. */
export function hasHash(lines: string, hash: string): boolean {
  const isFirst = lines.startsWith(`${hash}:`);
  const start = isFirst ? 0 : lines.indexOf(`\n${hash}:`) + 1;
  if (!isFirst && start === 0) return false;
  return Number.parseInt(lines.slice(start + hash.length + 1), 10) > 0;
}

/** The first line of a text, without its end. */
export function firstLine(text: string): string {
  return text.slice(0, text.search(/\r?\n|\r?$/));
}
