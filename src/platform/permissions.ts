/** What others (neither owner nor group) can do with a file or folder, and the chmod that prevents it. */

const OTHERS_READ = 0o004;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;

export interface OpenToOthers {
  reason: string;
  /** A shell command */
  remedy: string;
}

/** @param path the real one: it becomes a word of a command */
export function othersMayRead(path: string, { mode }: { mode: number }): OpenToOthers | undefined {
  if ((mode & OTHERS_READ) === 0) return undefined;
  return { reason: `others may read ${path}`, remedy: `run: ${chmod('o-r', path)}` };
}

export function othersMayWrite(path: string, { mode }: { mode: number }): OpenToOthers | undefined {
  if ((mode & OTHERS_WRITE) === 0) return undefined;
  return { reason: `others may write ${path}`, remedy: `run: ${chmod('o-w', path)}` };
}

/** With the sticky bit, as in /tmp, others can add files, but not replace or remove those of somebody else. */
export function othersMayReplaceIn(folder: string, { mode }: { mode: number }): OpenToOthers | undefined {
  if ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0) return undefined;
  const remedy = `run: ${chmod('o-w', folder)}, or for a shared folder: ${chmod('+t', folder)}`;
  return { reason: `others may replace what is in ${folder}`, remedy };
}

function chmod(change: string, path: string): string {
  return `chmod ${change} ${quoted(path)}`;
}

/** A path as a word of a shell command. */
export function quoted(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
