/** Breached passwords as the downloader of Have I Been Pwned writes them. */
import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KEYRING_FILE, required } from './postgres/postgres.js';

/** Removed after all tests. */
const newFolder = (): string => mkdtempSync(join(dirname(required(KEYRING_FILE)), 'breached-'));

export const sha1 = (password: string): string => createHash('sha1').update(password).digest('hex').toUpperCase();

/** Lines `HASH:COUNT` in the order of the hashes. */
export function sortedLines(hashes: readonly string[], end = '\n'): string {
  return hashes
    .toSorted()
    .map((hash, i) => `${hash}:${i + 1}${end}`)
    .join('');
}

/** One sorted file with these passwords. @returns its path */
export function writeBreached(passwords: readonly string[]): string {
  const path = join(newFolder(), 'pwnedpasswords.txt');
  writeFileSync(path, sortedLines(passwords.map(sha1)));
  return path;
}

const EDGES = ['00000', 'FFFFF'];

/** A folder with the first and the last range, and those of the hashes. @returns its path */
export function writeRanges(hashes: readonly string[], { end = '\r\n', extension = '.txt' } = {}): string {
  const folder = newFolder();
  const all = [...hashes, ...EDGES.map((prefix) => `${prefix}${'0'.repeat(35)}`)];
  for (const [prefix = '', inRange = []] of Object.entries(Object.groupBy(all, (hash) => hash.slice(0, 5)))) {
    const lines = sortedLines(
      inRange.map((hash) => hash.slice(5)),
      end,
    );
    writeFileSync(join(folder, `${prefix}${extension}`), lines);
  }
  return folder;
}
