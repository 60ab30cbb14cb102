/** Interface 10: a listener ends without the loss of a request that somebody believes to have sent. */
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';

/** A turn of the event loop this short had nothing to do: everything that had arrived was taken. Milliseconds. */
const IDLE_TURN_MS = 0.05;
/** Under load there may be no such turn; after this time any will do that brings no connection. Milliseconds. */
const BUSY_AFTER_MS = 1_000;
/** Under a flood there may be none of those either. Milliseconds. */
const MAX_WAIT_MS = 5_000;

/**
 * Closes something in a moment in which nothing is known to wait in the kernel, neither a connection nor a byte of a
 * request: what is lost is no more than what comes while the system closes, a fraction of a millisecond.
 */
export function closeInIdleTurn(server: Server, close: () => void): Promise<void> {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    let turnBeganMs = startedMs;
    let hasTaken = true; // nothing is known of the turn that is under way
    const onTaken = (): void => {
      hasTaken = true; // Node takes one connection a turn: another may wait
    };
    const look = (): void => {
      const nowMs = performance.now();
      const isIdle = nowMs - turnBeganMs < IDLE_TURN_MS || nowMs - startedMs > BUSY_AFTER_MS;
      if ((isIdle && !hasTaken) || nowMs - startedMs > MAX_WAIT_MS) {
        close();
        server.off('connection', onTaken).off('drop', onTaken);
        return resolve();
      }
      turnBeganMs = nowMs;
      hasTaken = false;
      setImmediate(look);
    };
    server.on('connection', onTaken).on('drop', onTaken);
    setImmediate(look);
  });
}

/** As `close` of a server of HTTP, which would also end idle connections at once. */
export function closeListener(server: Server): void {
  NetServer.prototype.close.call(server);
}

/** Lets the newest answer of a connection, and no other, say that none follows (RFC 9112 section 9.6). */
export function sayLast(answers: Iterable<ServerResponse>): void {
  const inOrder = [...answers];
  for (const answer of inOrder) if (!answer.headersSent) answer.shouldKeepAlive = answer !== inOrder.at(-1);
}

/** True where an answer has said that none follows: what comes after it on its connection is not to be done. */
export function hasSaidLast(answers: Iterable<ServerResponse>): boolean {
  return [...answers].some(({ headersSent, shouldKeepAlive }) => headersSent && !shouldKeepAlive);
}
