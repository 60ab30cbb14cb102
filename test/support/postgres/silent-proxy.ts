/** A way to a server that can go silent, as a network does that drops every packet: nothing is closed, nothing arrives. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SilentProxy {
  port: number;
  /** From now on what the present connections carry is lost; later ones are as before. */
  silence(): void;
  /** Where later connections lead to: a port of this machine. */
  leadTo(port: number): void;
  /** How many have been made so far */
  connections(): number;
  close(): Promise<void>;
}

export async function startSilentProxy(firstPort: number): Promise<SilentProxy> {
  let port = firstPort;
  let connections = 0;
  const open = new Set<Socket>();
  const carry = (from: Socket, to: Socket): void => {
    open.add(from);
    from.on('data', (chunk) => to.write(chunk));
    from.on('error', () => undefined); // its end follows
    from.on('close', () => {
      open.delete(from);
      if (from.listenerCount('data') > 0) to.destroy(); // in silence the other end must not learn of it
    });
  };
  const proxy = createServer((client) => {
    connections += 1;
    const server = connect(port, '127.0.0.1');
    carry(client, server);
    carry(server, client);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    silence: () => {
      for (const socket of open) socket.removeAllListeners('data').pause();
    },
    leadTo: (next) => {
      port = next;
    },
    connections: () => connections,
    close: async () => {
      proxy.close();
      for (const socket of open) socket.destroy();
      await once(proxy, 'close');
    },
  };
}
