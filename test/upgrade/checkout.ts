/** Another revision of this program, built from a clone of its own, as its operators have it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Not below a folder of packages: the compiler would take the sources for those of one. */
const CACHE = join(tmpdir(), 'auth-gateway-revisions');

/**
 * Takes a minute at the first time.
 * @param revision a tag or a commit of this repository, in which this runs
 * @returns its folder, and the commit
 */
export function checkOut(revision: string): { folder: string; commit: string } {
  const commit = git('rev-parse', '--verify', `${revision}^{commit}`);
  const folder = join(CACHE, commit);
  if (existsSync(folder)) return { folder, commit };
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(CACHE, { recursive: true, mode: 0o700 });
  rmSync(unfinished, { recursive: true, force: true });
  git('clone', '--quiet', '--no-checkout', '.', unfinished);
  git('-C', unfinished, 'checkout', '--quiet', '--detach', commit);
  const npm = (...words: string[]) =>
    execFileSync('npm', words, { cwd: unfinished, stdio: ['ignore', 'ignore', 'inherit'] });
  npm('ci', '--silent');
  npm('run', '--silent', 'build');
  renameSync(unfinished, folder);
  return { folder, commit };
}

function git(...words: string[]): string {
  return execFileSync('git', words, { encoding: 'utf8' }).trim();
}
