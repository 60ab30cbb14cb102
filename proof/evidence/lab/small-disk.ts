/** A disk that can be filled: a file system in memory, which only root can mount. */
import { execFileSync } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from './lab.js';

export interface SmallDisk {
  folder: string;
  fill(): Promise<void>;
  /** Takes away what filled it. */
  free(): Promise<void>;
}

const MEGABYTE = Buffer.alloc(2 ** 20);

/** @throws if it cannot be mounted */
export async function mountSmallDisk(lab: Lab, megabytes: number): Promise<SmallDisk> {
  const folder = join(lab.folder, 'disk');
  await mkdir(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder], { stdio: 'ignore' });
  lab.defer(() => execFileSync('umount', [folder]));
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: async () => {
      const file = await open(ballast, 'w');
      try {
        while (true) await file.appendFile(MEGABYTE);
      } catch {
        await file.close(); // the last of it has been written as far as it fits
      }
    },
    free: () => rm(ballast),
  };
}
