/** Files that are read at the start, and again whenever they change. */
import { stat } from 'node:fs/promises';
import { ExplainedError } from './explained.js';
import { describeError } from './logger.js';

const CHECK_MS = 2_000;

export interface Watched<T> {
  /** What was read of the newest version that was valid */
  current(): T;
  /** Reads now, even if nothing has changed. What is refused changes nothing. */
  reload(): Promise<void>;
  close(): void;
}

interface Outcomes<T> {
  /** Is called for each new version but the first */
  taken(value: T): void;
  /** Is called once for each version and reason */
  refused(reason: unknown): void;
}

/**
 * Reads, then checks every two seconds whether a file has changed.
 * @throws what `read` throws the first time
 */
export async function watchFiles<T>(
  files: readonly string[],
  read: () => Promise<T>,
  { taken, refused }: Outcomes<T>,
): Promise<Watched<T>> {
  const versions = async (): Promise<string> => (await Promise.all(files.map(versionOf))).join();
  let version = await versions();
  let refusal = '';
  let value = await read();
  const check = async (isForced: boolean): Promise<void> => {
    if (files.length === 0) return;
    const seen = await versions();
    if (seen === version && !isForced) return;
    try {
      value = await read();
    } catch (error) {
      const reason = error instanceof ExplainedError ? error.message : describeError(error);
      const again = `${seen} ${JSON.stringify(reason)}`;
      if (again === refusal && !isForced) return; // tried again, but reported once
      refusal = again;
      return refused(reason);
    }
    version = seen;
    refusal = '';
    taken(value);
  };
  let checks = Promise.resolve();
  /** One after another, so that the last one read wins. */
  const checkNext = (isForced: boolean): Promise<void> => {
    checks = checks.then(() => check(isForced));
    return checks;
  };
  const timer = files.length > 0 ? setInterval(() => checkNext(false), CHECK_MS) : undefined;
  timer?.unref();
  return { current: () => value, reload: () => checkNext(true), close: () => clearInterval(timer) };
}

/** A text that changes whenever the file does. */
async function versionOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found === undefined ? 'missing' : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`; // chmod: ctime
}
