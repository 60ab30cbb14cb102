/** The place of one experiment: whatever is started in it ends with it, the last one first. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCleanUp } from '../../../src/platform/clean-up.js';

export interface Lab {
  /** For logs and data, closed to others, removed at the end */
  folder: string;
  /** Ends what has been started. */
  defer(end: () => unknown): void;
  /** Tells whoever waits how far it is. */
  say(line: string): void;
}

/** Runs `work` in a place of its own. */
export async function inLab<T>(say: (line: string) => void, work: (lab: Lab) => Promise<T>): Promise<T> {
  const cleanUp = createCleanUp();
  const folder = await mkdtemp(join(tmpdir(), 'evidence-')); // mode 0700
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  try {
    return await work({ folder, say, defer: cleanUp.defer });
  } finally {
    await cleanUp.run();
  }
}
