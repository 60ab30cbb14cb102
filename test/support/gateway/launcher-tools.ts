/** A PATH with the programs that bin/auth-gateway calls, and nothing else. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** @param folder is made, and holds links to them */
export function linkLauncherTools(folder: string): string {
  mkdirSync(folder);
  for (const tool of ['dirname', 'nproc', 'readlink', 'uname']) {
    const path = execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
    symlinkSync(path, join(folder, tool));
  }
  return folder;
}
