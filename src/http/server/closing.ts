/** Closes a listener without losing a request that was sent. (Interface 10) */
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';

/** A turn of the event loop this short had nothing to do: everything was accepted. Milliseconds. */
const IDLE_TURN_MS = 0.05;
/** Under load there may be no such turn; after this time a turn without a new connection is enough. Milliseconds. */
const BUSY_AFTER_MS = 1_000;
/** In a flood there may be none of those either. Milliseconds. */
const MAX_WAIT_MS = 5_000;

/**
 * Closes something when neither a connection nor a byte of a request waits in the kernel. Only what arrives during the
 * close itself, a fraction of a millisecond, is lost.
 */
export function closeInIdleTurn(server: Server, close: () => void): Promise<void> {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    let turnBeganMs = startedMs;
    let hasTaken = true; // the current turn is unknown
    const onTaken = (): void => {
      hasTaken = true; // Node accepts one connection a turn: another may wait
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

/** Unlike `close` of an HTTP server, this does not end idle connections at once. */
export function closeListener(server: Server): void {
  NetServer.prototype.close.call(server);
}

/** Sends `Connection: close` with the newest answer of a connection alone (RFC 9112 section 9.6). */
export function closeAfterLast(answers: Iterable<ServerResponse>): void {
  const inOrder = [...answers];
  for (const answer of inOrder) if (!answer.headersSent) answer.shouldKeepAlive = answer !== inOrder.at(-1);
}

/** True if an answer has said `Connection: close`: later requests on its connection must not be done. */
export function isClosing(answers: Iterable<ServerResponse>): boolean {
  return [...answers].some(({ headersSent, shouldKeepAlive }) => headersSent && !shouldKeepAlive);
}
