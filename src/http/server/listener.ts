/** The sockets: their limits, the answers to invalid requests, and their end. */
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_CONNECTIONS } from '../../config/values.js';
import type { Logger } from '../../platform/logger.js';
import { peerAddressOf } from '../client-address.js';
import type { RestReason } from '../refusals.js';
import type { RequestLog } from '../request-log.js';
import { closeAfterLast, closeInIdleTurn, closeListener, isClosing } from './closing.js';
import { isLasting } from './lasting.js';
import { createServer } from './node-http.js';
import { rawAnswer, reasonOf, sendOver, targetIn } from './unparsed.js';

/** Bounds on what clients can keep open. Times are milliseconds. */
const LIMITS = {
  /** Open connections. One more is closed, and so are idle ones. */
  connections: MAX_CONNECTIONS,
  /** Open connections beyond which each answer is the last of its connection, so that idle ones do not fill the room. */
  keptConnections: MAX_CONNECTIONS * 0.75,
  /** From the first byte of an answer until the client has taken all of it; of one that lasts, until it takes anything. */
  answerMs: 60_000,
  /** From the start of a request until its header is complete. */
  headersMs: 15_000,
  /** From the start of a request until its body is complete. */
  requestMs: 30_000,
  /** At a stop, how long a request may be on its way on an idle connection. */
  onItsWayMs: 1_000,
  /** At a stop, from when the listener closes until a partly received request is complete. */
  lastRequestMs: 5_000,
  /** How often these times are checked. */
  checkEveryMs: 5_000,
};

export type SocketLimits = typeof LIMITS & Pick<Listener, 'idleMs'>;

/** Requests of one connection that may wait for their answers (pipelining, RFC 9112 section 9.3.2). */
const MAX_PIPELINED = 16;

/** How long a refused connection may take to read its answer. */
const LINGER_MS = 1_000;
/** How long a connection may be silent before it makes room for others. */
const SILENT_MS = 1_000;
/** At a stop, how often idle connections are checked. */
const LOOK_MS = 100;

export interface Listening {
  port: number;
  /** From now on each answer is the last of its connection, so that clients and proxies go elsewhere. */
  drain(): void;
  /** Accepts no new connections, drains, answers requests in flight, then ends. */
  stop(options?: StopOptions): Promise<void>;
}

export interface StopOptions {
  /** After this time (milliseconds) the rest is cut. */
  graceMs?: number;
  /** Ends the wait for requests that may be on their way. */
  hurry?: AbortSignal | undefined;
}

export interface Listener {
  /** Answers every request. */
  handle: RequestListener;
  /** The classes of what `handle` is given */
  classes: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;
  /** Between two requests of a connection (milliseconds): longer than a proxy waits, which then closes first */
  idleMs: number;
  log: Logger;
  requestLog: RequestLog;
}

interface Sending {
  /** Milliseconds */
  sinceMs: number;
  /** Of an answer that lasts: bytes of the connection that the client had taken by then */
  taken: number;
}

interface Connection {
  /** When it was accepted (milliseconds) */
  sinceMs: number;
  /** Open answers, and since when the client has been taking each; undefined before its first byte */
  open: Map<ServerResponse, Sending | undefined>;
  /** The newest request */
  last?: IncomingMessage;
}

/**
 * Starts to listen.
 * @param reusePort several processes may listen on the port, and the kernel spreads connections over them (SO_REUSEPORT)
 * @throws the system's error, such as EADDRINUSE
 */
export async function listen(
  { handle, classes, idleMs, log, requestLog }: Listener,
  host: string,
  port: number,
  overrides: Partial<SocketLimits> = {},
  reusePort = false,
): Promise<Listening> {
  const limits = { ...LIMITS, idleMs, ...overrides };
  const server = createServer({
    ...classes,
    connectionsCheckingInterval: limits.checkEveryMs,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    requireHostHeader: false, // `handle` checks and logs that
  });
  server.maxConnections = limits.connections;
  let isDraining = false;
  const connections = new Map<Duplex, Connection>();

  server.on('connection', (socket) => {
    if (peerAddressOf(socket) === undefined) return void socket.destroy(); // gone before it was accepted
    connections.set(socket, { sinceMs: performance.now(), open: new Map() });
    socket.once('close', () => connections.delete(socket));
  });
  /** Ends connections without a request that are at least this old: those that were always silent, or all. */
  const endUnused = (ageMs: number, which: 'silent' | 'all'): void => {
    for (const [socket, { sinceMs, open }] of connections) {
      const isSilent = (socket as Socket).bytesRead === 0;
      const isUnused = open.size === 0 && (isSilent || which === 'all');
      if (isUnused && performance.now() - sinceMs >= ageMs) socket.destroy();
    }
  };
  let saidFullMs = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    server.closeIdleConnections(); // active clients come before idle ones
    endUnused(SILENT_MS, 'silent');
    if (performance.now() - saidFullMs < 60_000) return;
    saidFullMs = performance.now();
    log.warn({ connections: limits.connections }, 'connections are refused: as many are open as are allowed');
  });

  const answer: RequestListener = (req, res) => {
    const connection = connections.get(req.socket);
    if (connection === undefined) return void req.socket.destroy();
    const { open } = connection;
    if (isClosing(open.keys())) return;
    connection.last = req;
    open.set(res, undefined);
    res.once('close', () => open.delete(res));
    if (open.size > MAX_PIPELINED) {
      res.setHeader('X-Request-Id', requestLog.unparsed('too_many_requests', peerAddressOf(req.socket), req));
      req.socket.pause(); // the rest stays unread
      return sendOver(res, 'too_many_requests');
    }
    if (isDraining || connections.size > limits.keptConnections || losesWhatFollows(req)) closeAfterLast(open.keys());
    handle(req, res);
  };
  server.on('request', answer);
  server.on('checkExpectation', answer); // an unknown expectation may be ignored (RFC 9110 10.1.1)
  const unread = setInterval(() => cutUnread(connections, limits.answerMs), limits.checkEveryMs).unref();

  const refused = new WeakSet<Duplex>();
  const refuse = (socket: Duplex, reason: RestReason, fields = '', url?: string, req?: IncomingMessage): void => {
    if (refused.has(socket)) return; // every further packet is an error again
    refused.add(socket);
    const requestId = requestLog.unparsed(reason, peerAddressOf(socket as Socket), req);
    socket.end(rawAnswer(reason, url, `X-Request-Id: ${requestId}\r\n${fields}`));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
  server.on('connect', (req, socket) => {
    socket.on('error', () => undefined); // Node leaves errors of a CONNECT socket to us
    const waiting = [...(connections.get(socket)?.open.keys() ?? [])];
    closeAfterLast(waiting);
    const before = waiting.at(-1);
    if (before === undefined) return refuse(socket, 'method_not_allowed', 'Allow: GET, HEAD, POST\r\n', undefined, req);
    before.once('close', () => socket.destroy());
  });
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const reason = reasonOf(error.code);
    const { open, last } = connections.get(socket) ?? {};
    const waiting = [...(open?.keys() ?? [])];
    const broken = waiting.find((res) => !res.req.complete);
    if (broken !== undefined && !broken.headersSent) return sendOver(broken, reason);
    // Complete requests before the broken bytes still get their answers.
    closeAfterLast(waiting);
    if (waiting.length > 0) return void waiting.at(-1)?.once('close', () => socket.destroy());
    if (last !== undefined && !last.complete) return void socket.destroy();
    refuse(socket, reason, '', targetIn(error.rawPacket));
  });

  const drain = (): void => {
    isDraining = true;
    for (const { open } of connections.values()) closeAfterLast(open.keys());
  };
  await once(server.listen({ port, host, reusePort }), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    drain,
    stop: async ({ graceMs = 20_000, hurry } = {}) => {
      const closed = once(server, 'close');
      await closeInIdleTurn(server, () => closeListener(server));
      drain(); // no sooner: new connections of proxies would be reset by the close
      let waitedMs = 0; // counted, not by a clock: while the whole machine stands still, nobody sends
      const endIdle = (): void => {
        if (hurry?.aborted || waitedMs >= limits.onItsWayMs) server.closeIdleConnections();
        endUnused(SILENT_MS, waitedMs >= limits.lastRequestMs ? 'all' : 'silent');
      };
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      for (let isClosed = false; !isClosed; waitedMs += LOOK_MS) {
        isClosed = await Promise.race([closed.then(() => true), sleep(LOOK_MS, false, { ref: false })]);
        await closeInIdleTurn(server, endIdle);
      }
      clearTimeout(cut);
      clearInterval(unread);
      server.close(); // nothing is open; this ends a timer of Node's
    },
  };
}

/** After the head of a request that asks for an upgrade, Node's parser drops what is pipelined behind it. */
function losesWhatFollows({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /upgrade/i.test(headers.connection ?? '');
}

/** Ends connections whose clients have not read their answer in time, or of one that lasts nothing. */
function cutUnread(connections: Map<Duplex, Connection>, answerMs: number): void {
  const nowMs = performance.now();
  for (const [socket, { open }] of connections) {
    const { bytesWritten, writableLength } = socket as Socket;
    for (const [res, sending] of open) {
      if (!res.headersSent) continue;
      const taken = isLasting(res) ? bytesWritten - writableLength : 0;
      const isIdle = isLasting(res) && writableLength === 0; // nothing waits for the client
      if (sending === undefined || isIdle || taken > sending.taken) open.set(res, { sinceMs: nowMs, taken });
      else if (nowMs - sending.sinceMs > answerMs) socket.destroy();
    }
  }
}
