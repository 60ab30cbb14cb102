/** The rights of other users, for tests that run as root. */

export const isRoot = process.geteuid?.() === 0;

/** A test that other users skip. */
export function rootTest(name: string, work: () => Promise<void>): void {
  (isRoot ? test : test.skip)(name, work);
}

/** Runs `work` with the rights of a user without a name, which every thread of this process has meanwhile. */
export async function asUser<T>(uid: number, work: () => Promise<T>): Promise<T> {
  process.setegid?.(uid);
  process.seteuid?.(uid);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
