/** A TCP proxy on loopback that can behave as a bad network does. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Lab } from './lab.js';

/**
 * - `pass`: as if it were not there
 * - `hold`: every connection, present or new, stays open and its bytes are swallowed: a black hole
 * - `slow`: everything arrives two seconds later
 * - `reset`: present and new connections are reset
 * - `refuse`: nobody listens
 */
export type Mode = 'pass' | 'hold' | 'slow' | 'reset' | 'refuse';

export interface TcpProxy {
  port: number;
  /** A connection that was held is never heard of again, whatever comes after. */
  set(mode: Mode): Promise<void>;
  /** Holds the present connections; new ones pass. */
  holdPresent(): void;
}

const SLOW_MS = 2_000;

interface Link {
  client: Socket;
  server: Socket;
  isHeld: boolean;
}

export async function startTcpProxy(lab: Lab, targetPort: number): Promise<TcpProxy> {
  const links = new Set<Link>();
  let mode: Mode = 'pass';
  const accept = (client: Socket): void => {
    if (mode === 'reset') return void client.resetAndDestroy();
    const link: Link = { client, server: connect(targetPort, '127.0.0.1'), isHeld: mode === 'hold' };
    links.add(link);
    const passOn = (from: Socket, to: Socket): void => {
      from.setNoDelay(true);
      from.on('error', () => undefined); // `close` follows
      const later = (what: () => unknown): void => {
        if (link.isHeld) return;
        if (mode === 'slow') setTimeout(what, SLOW_MS);
        else what();
      };
      from.on('data', (bytes) => later(() => to.write(bytes)));
      from.on('close', () => {
        links.delete(link);
        later(() => to.destroy());
      });
    };
    passOn(client, link.server);
    passOn(link.server, client);
  };
  const listen = async (port: number): Promise<Server> => {
    const server = createServer(accept).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await listen(0);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const holdPresent = (): void => {
    for (const link of links) link.isHeld = true;
  };
  const cut = (): void => {
    for (const { client, server } of links) for (const socket of [client, server]) socket.resetAndDestroy();
  };
  lab.defer(() => {
    server.close();
    cut();
  });
  return {
    port,
    holdPresent,
    set: async (next) => {
      mode = next;
      if (mode === 'hold') holdPresent();
      if (mode === 'reset' || mode === 'refuse') cut();
      if (mode === 'refuse') server.close();
      else if (!server.listening) server = await listen(port);
    },
  };
}
