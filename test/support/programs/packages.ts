/** Packages that only slow tests need and `npm ci` does not bring: 65 MiB of test/packages/, and those of an example. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const PLACE = resolve('dist/test-packages');

/**
 * Installs them, unless they are there already.
 * @param from a folder with a `package-lock.json`
 * @returns a folder in whose folders programs find them and the packages of the checkout
 */
export async function packagesFolder(from = 'test/packages'): Promise<string> {
  const lock = await readFile(join(from, 'package-lock.json'));
  const folder = join(PLACE, createHash('sha256').update(lock).digest('hex').slice(0, 16));
  const isThere = await readFile(join(folder, 'package-lock.json')).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  await mkdir(PLACE, { recursive: true });
  const unfinished = await mkdtemp(join(PLACE, 'unfinished-'));
  try {
    for (const name of ['package.json', 'package-lock.json']) await cp(join(from, name), join(unfinished, name));
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', ['ci', ...quiet], { cwd: unfinished });
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true });
    // Another test may have been faster.
    if (!(error instanceof Error && 'code' in error && /^(?:ENOTEMPTY|EEXIST)$/.test(String(error.code)))) throw error;
  }
  return folder;
}
