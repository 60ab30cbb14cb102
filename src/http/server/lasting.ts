/** Answers that last, such as downloads and streams. They end only if their client takes nothing. (Interface 24) */
import type { ServerResponse } from 'node:http';

const lasting = new WeakSet<ServerResponse>();

/** Declares that the answer may take as long as its client takes something of what waits, once in the time for an answer. */
export function lastsLong(res: ServerResponse): void {
  lasting.add(res);
}

export function isLasting(res: ServerResponse): boolean {
  return lasting.has(res);
}
