/**
 * Passwords known from data breaches, as the downloader of Have I Been Pwned writes them. They are read in place:
 * nothing is loaded, and a newer download that is moved to the same path is used at once. (Interface 15)
 */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Outage } from '../../platform/outage.js';
import { NotDownloaded } from './breached-lines.js';
import { BreachedPasswordsError } from './breached-passwords-error.js';
import { checkRanges, findInRanges } from './breached-ranges.js';
import { checkSortedFile, findInSortedFile } from './breached-sorted-file.js';

export interface BreachedPasswords {
  /** @throws {Outage} if the files have become unreadable */
  has(password: string): Promise<boolean>;
}

/**
 * @param path a folder with a file for each range, or one file that is sorted by hash
 * @throws {BreachedPasswordsError} if it is missing, unreadable or of another format
 */
export async function openBreachedPasswords(path: string): Promise<BreachedPasswords> {
  const isFolder = await attempt(
    async () => {
      const found = (await stat(path)).isDirectory();
      await (found ? checkRanges(path) : checkSortedFile(path));
      return found;
    },
    (fault, file) => new BreachedPasswordsError(file ?? path, fault),
  );
  const find = isFolder ? findInRanges : findInSortedFile;
  return {
    has: (password) =>
      attempt(
        () => find(path, sha1(password)),
        (fault) => new Outage(`the breached passwords: ${path} ${fault}`), // the name of a range begins the password's hash
      ),
  };
}

/** Have I Been Pwned publishes SHA-1. Here it finds an entry of a list, and protects nothing. */
function sha1(password: string): string {
  return createHash('sha1').update(password).digest('hex').toUpperCase();
}

/** @param failed is given the fault, and the file that has it if that is known */
async function attempt<T>(work: () => Promise<T>, failed: (fault: string, file?: string) => Error): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotDownloaded) throw failed(error.message, error.path);
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw failed(`cannot be read (${code})`, path);
  }
}
