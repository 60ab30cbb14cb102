/** The place of one experiment: whatever is started in it ends with it, the last one first. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Lab {
  /** For logs and data, closed to others, removed at the end */
  folder: string;
  /** Ends what has been started; at once if the experiment is already over. */
  defer(end: () => unknown): void;
  /** Reports how far it is. */
  say(line: string): void;
}

/** Runs `work` in a place of its own. @throws what `work` throws, or the reason of `interrupted` */
export async function inLab<T>(
  say: (line: string) => void,
  interrupted: AbortSignal,
  work: (lab: Lab) => Promise<T>,
): Promise<T> {
  const cleanUp = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'evidence-')); // mode 0700
  cleanUp.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  let isOver = false;
  const defer = (end: () => unknown): void => {
    if (isOver) void Promise.resolve(end()).catch(() => undefined);
    else cleanUp.defer(async () => void (await end()));
  };
  try {
    return await Promise.race([work({ folder, say, defer }), rejectionBy(interrupted)]);
  } finally {
    isOver = true;
    await cleanUp.disposeAsync();
  }
}

function rejectionBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
