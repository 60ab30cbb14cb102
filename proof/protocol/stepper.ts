/**
 * A way to PostgreSQL that carries out a gateway's statements on command: first all but the end of its transaction, then that.
 * A driver sends a statement as messages that execute it, and a Sync, which commits; the Sync is held back.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Step {
  /** Of the statement */
  name: string;
  /** @returns `waits` if it waits for a lock, `done` if its rows are locked and changed, and not committed yet */
  start(): Promise<'done' | 'waits'>;
  /** Resolves once it waits no more */
  woken(): Promise<void>;
  /** Resolves once it is committed and the gateway has the answer */
  commit(): Promise<void>;
}

export interface Stepper extends AsyncDisposable {
  port: number;
  /** The next statement that the gateway wants to carry out */
  next(): Promise<Step>;
}

/** Statements of the model; others pass. */
const STEPPED = /^(rotate|retry|classify_unrotated|survivor_of_family|revoke_record)$/;
/** Only for a statement that never comes, which is a failure */
const PATIENCE_MS = 20_000;
const FLUSH = Buffer.from([0x48, 0, 0, 0, 4]);

interface Frame {
  type: string;
  bytes: Buffer;
}

/** @returns splits a stream into the messages of protocol 3.0 */
function frameReader(isClient: boolean): (bytes: Buffer) => Frame[] {
  let unread: Buffer = Buffer.alloc(0);
  let isFirst = isClient; // which has no type
  return (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    const frames: Frame[] = [];
    for (;;) {
      const typeBytes = isFirst ? 0 : 1;
      if (unread.length < typeBytes + 4) return frames;
      const end = typeBytes + unread.readInt32BE(typeBytes);
      if (unread.length < end) return frames;
      frames.push({ type: unread.toString('latin1', 0, typeBytes), bytes: unread.subarray(0, end) });
      unread = unread.subarray(end);
      isFirst = false;
    }
  };
}

/** @param socketPath of the server @param waits whether this backend waits for a lock */
export async function startStepper(socketPath: string, waits: (backend: number) => Promise<boolean>): Promise<Stepper> {
  const sockets = new Set<Socket>();
  const arrived: Step[] = [];
  const wanted: Array<(step: Step) => void> = [];
  const arrive = (step: Step): void => {
    const first = wanted.shift();
    if (first === undefined) arrived.push(step);
    else first(step);
  };

  const serve = (client: Socket): void => {
    client.setNoDelay(true); // the answer to a Sync would wait for an acknowledgement
    const server = connect(socketPath);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined); // `close` follows
      socket.on('close', () => other.destroy());
    }
    const [fromClient, fromServer] = [frameReader(true), frameReader(false)];
    let group: Buffer[] = [];
    let name = '';
    let backend = 0;
    let completed = Promise.withResolvers<void>();
    let ready = Promise.withResolvers<void>();

    const stepOf = (head: Buffer[], sync: Buffer, statement: string): Step => ({
      name: statement,
      start: async () => {
        completed = Promise.withResolvers();
        let isDone = false;
        const done = completed.promise.then(() => {
          isDone = true;
        });
        server.write(Buffer.concat([...head, FLUSH]));
        let isWaiting = false;
        while (!isDone && !isWaiting) {
          await Promise.race([done, new Promise((resolve) => setImmediate(resolve))]);
          isWaiting = !isDone && (await waits(backend));
        }
        return isDone ? 'done' : 'waits';
      },
      woken: () => completed.promise,
      commit: () => {
        ready = Promise.withResolvers();
        server.write(sync);
        return ready.promise;
      },
    });

    client.on('data', (bytes) => {
      for (const frame of fromClient(bytes)) {
        if (frame.type === 'B') name = nameOf(frame.bytes);
        group.push(frame.bytes);
        if (!'PBDECS'.includes(frame.type) || frame.type === '') {
          server.write(Buffer.concat(group));
          group = [];
        } else if (frame.type === 'S') {
          if (STEPPED.test(name)) arrive(stepOf(group.slice(0, -1), frame.bytes, name));
          else server.write(Buffer.concat(group));
          [group, name] = [[], ''];
        }
      }
    });
    server.on('data', (bytes) => {
      client.write(bytes);
      for (const { type, bytes: frame } of fromServer(bytes)) {
        if (type === 'K') backend = frame.readInt32BE(5); // BackendKeyData
        if (type === 'C' || type === 'E') completed.resolve();
        if (type === 'Z') ready.resolve();
      }
    });
  };

  const proxy = createServer(serve).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    next: () => {
      const step = arrived.shift();
      if (step !== undefined) return Promise.resolve(step);
      const { promise, resolve, reject } = Promise.withResolvers<Step>();
      const timer = setTimeout(() => reject(new Error('the gateway sends no further statement')), PATIENCE_MS);
      wanted.push(resolve);
      return promise.finally(() => clearTimeout(timer));
    },
    [Symbol.asyncDispose]: async () => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
      await once(proxy, 'close');
    },
  };
}

/** Of the statement that a Bind runs: portal and name, each ended by a zero. */
function nameOf(bind: Buffer): string {
  return bind.toString('utf8', 5).split('\0', 2)[1] ?? '';
}
