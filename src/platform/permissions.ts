/** What others, neither the owner nor the group, may do with a file or folder; told with the chmod that ends it. */

const OTHERS_READ = 0o004;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;

/**
 * Each gives one sentence where it is so, else undefined.
 * @param path the real one: it is printed as the word of a command
 */
export function othersMayRead(path: string, { mode }: { mode: number }): string | undefined {
  return (mode & OTHERS_READ) === 0 ? undefined : `others may read ${path}; run: ${chmod('o-r', path)}`;
}

export function othersMayWrite(path: string, { mode }: { mode: number }): string | undefined {
  return (mode & OTHERS_WRITE) === 0 ? undefined : `others may write ${path}; run: ${chmod('o-w', path)}`;
}

/** In a folder with the sticky bit, such as /tmp, others may add files, but not replace or remove those of anyone else. */
export function othersMayReplaceIn(folder: string, { mode }: { mode: number }): string | undefined {
  if ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0) return undefined;
  const cures = `${chmod('o-w', folder)}, or for a folder that is shared: ${chmod('+t', folder)}`;
  return `others may replace what is in ${folder}; run: ${cures}`;
}

function chmod(change: string, path: string): string {
  return `chmod ${change} ${/^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`}`;
}
