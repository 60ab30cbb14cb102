/** A way to PostgreSQL that loses one answer: the connection is cut before a statement arrives, or after it was executed. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { answerReader, statementReader } from './messages.js';

export interface Loss {
  /** Name of the statement, or its text if it has none; the next one is cut off */
  statement: RegExp;
  /** `unsent`: the server never receives it. `executed`: the server has executed it and has sent its answer. */
  when: 'unsent' | 'executed';
  /** How the client sees the end of its connection; closed by default, and always on a socket of the file system */
  cut?: 'closed' | 'reset';
}

export interface Lost<T> {
  result: T;
  /** How often the client sent a statement of this kind, the one that was cut off included; without those that failed */
  attempts: number;
}

export interface LosingProxy {
  /** On 127.0.0.1; 0 if it listens on a socket */
  port: number;
  /** Does the work, during which one answer is lost. @throws {Error} if no statement of this kind was sent and executed */
  losing<T>(loss: Loss, work: () => Promise<T>): Promise<Lost<T>>;
  close(): Promise<void>;
}

interface Armed extends Loss {
  attempts: number;
  /** Whether one is being cut off, so that others pass */
  isTaken: boolean;
  hasCut: boolean;
}

/** @param target and @param at a port of this machine, or the path of a socket; `at` is any free port by default */
export async function startLosingProxy(target: number | string, at: number | string = 0): Promise<LosingProxy> {
  const open = new Set<Socket>();
  let armed: Armed | undefined;
  const proxy = createServer((client) => {
    const server = typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target);
    closeTogether(client, server, open);
    const cutOff = (loss: Armed): void => {
      loss.hasCut = true;
      server.destroy();
      if (loss.cut === 'reset' && typeof at === 'number') client.resetAndDestroy();
      else client.destroy();
    };
    passOn(client, server, () => armed, cutOff);
  }).listen(typeof at === 'number' ? { port: at, host: '127.0.0.1' } : { path: at });
  await once(proxy, 'listening');
  const address = proxy.address() as AddressInfo | string;

  return {
    port: typeof address === 'string' ? 0 : address.port,
    losing: async (loss, work) => {
      const mine: Armed = { ...loss, attempts: 0, isTaken: false, hasCut: false };
      armed = mine;
      const result = await work().finally(() => {
        armed = undefined;
      });
      if (!mine.hasCut) throw new Error(`no answer to ${loss.statement} was lost`);
      return { result, attempts: mine.attempts };
    },
    close: async () => {
      proxy.close();
      for (const socket of open) socket.destroy();
      await once(proxy, 'close');
    },
  };
}

function closeTogether(client: Socket, server: Socket, open: Set<Socket>): void {
  for (const [socket, other] of [
    [client, server],
    [server, client],
  ] as const) {
    open.add(socket);
    socket.on('error', () => undefined); // `close` follows
    socket.on('close', () => {
      open.delete(socket);
      other.destroy();
    });
  }
}

/** Passes everything on, until a connection is cut off. The driver sends one statement at a time. */
function passOn(
  client: Socket,
  server: Socket,
  armedNow: () => Armed | undefined,
  cutOff: (loss: Armed) => void,
): void {
  const statementsIn = statementReader();
  let losing: { loss: Armed; read: ReturnType<typeof answerReader>; held: Buffer[] } | undefined;

  client.on('data', (bytes) => {
    for (const statement of statementsIn(bytes)) {
      const armed = armedNow();
      if (!armed?.statement.test(statement)) continue;
      armed.attempts += 1;
      if (armed.isTaken) continue;
      armed.isTaken = true;
      if (armed.when === 'unsent') return cutOff(armed);
      losing = { loss: armed, read: answerReader(), held: [] };
    }
    server.write(bytes);
  });
  server.on('data', (bytes) => {
    if (losing === undefined) return void client.write(bytes);
    losing.held.push(bytes);
    const ending = losing.read(bytes);
    if (ending === undefined) return;
    if (ending === 'completed') return cutOff(losing.loss);
    for (const part of losing.held) client.write(part);
    Object.assign(losing.loss, { isTaken: false, attempts: losing.loss.attempts - 1 }); // nothing was changed
    losing = undefined;
  });
}
