/** A way to PostgreSQL on which everything can stop without a word, as behind a server that hangs or a network that swallows. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestDatabase } from './postgres.js';

export interface FreezableDatabase extends TestDatabase {
  /** From now on nothing arrives, on connections that are there and on new ones. */
  freeze(): void;
  /** Delivers what was held back, and goes on. */
  thaw(): void;
  stop(): Promise<void>;
}

/** The same database by TCP, through a process that can stop passing on what it is given. */
export async function freezable(database: TestDatabase): Promise<FreezableDatabase> {
  const { hostname, username } = new URL(database.url);
  const socketPath = join(decodeURIComponent(hostname), '.s.PGSQL.5432');
  let isFrozen = false;
  const held: Array<() => void> = [];
  const deliver = (act: () => void): void => void (isFrozen ? held.push(act) : act());
  const sockets = new Set<Socket>();
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on('data', (data) => deliver(() => to.write(data)));
    from.on('error', () => undefined); // the other end is closed with it
    from.on('close', () => deliver(() => to.destroy()));
  };
  const proxy = createServer((client) => {
    const server = connect(socketPath);
    pass(client, server);
    pass(server, client);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  const thaw = (): void => {
    isFrozen = false;
    for (const act of held.splice(0)) act();
  };
  return {
    ...database,
    url: `postgresql://${username}@127.0.0.1:${port}/${database.name}`,
    freeze: () => {
      isFrozen = true;
    },
    thaw,
    stop: async () => {
      thaw();
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
