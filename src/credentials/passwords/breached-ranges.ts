/** A folder of ranges: `00000.txt` to `FFFFF.txt`, or without an extension as other downloaders write them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstLine, hasHash, hashOfLine, NotDownloaded, PREFIX_DIGITS } from './breached-lines.js';

/** @throws {NotDownloaded}, or the error of the file system, if the first or the last range is missing or not one */
export async function checkRanges(folder: string): Promise<void> {
  for (const prefix of ['00000', 'FFFFF']) await readRange(folder, prefix);
}

/** @param sha1 in upper case @throws {NotDownloaded}, or the error of the file system */
export async function findInRanges(folder: string, sha1: string): Promise<boolean> {
  return hasHash(await readRange(folder, sha1.slice(0, PREFIX_DIGITS)), sha1.slice(PREFIX_DIGITS));
}

/** A range has some 2,000 lines, 80 KB. */
async function readRange(folder: string, prefix: string): Promise<string> {
  const path = join(folder, `${prefix}.txt`);
  const lines = await readFile(path, 'latin1').catch((missing: NodeJS.ErrnoException) => {
    if (missing.code !== 'ENOENT') throw missing;
    return readFile(join(folder, prefix), 'latin1').catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? missing : error;
    });
  });
  try {
    hashOfLine(firstLine(lines), PREFIX_DIGITS);
  } catch (error) {
    if (error instanceof NotDownloaded) error.path = path;
    throw error;
  }
  return lines;
}
