/** A way by TCP to the PostgreSQL of the tests, which listens on a socket: with TLS, or with the faults of a network. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';

export interface Bridge {
  port: number;
  /** Passes on nothing more on present connections, and leaves them open; new ones work. */
  freeze(): void;
  close(): Promise<void>;
}

export interface Certificate {
  key: Buffer;
  cert: Buffer;
}

/** The first packet of a client that wants TLS (SSLRequest). */
const SSL_REQUEST_BYTES = 8;

/** @param url of a database on a socket; @param certificate if the bridge speaks TLS */
export async function bridgeTo(url: string, certificate?: Certificate): Promise<Bridge> {
  const socketPath = join(decodeURIComponent(new URL(url).hostname), '.s.PGSQL.5432');
  const present = new Set<[Socket, Socket]>();
  const bridge = createServer(async (accepted) => {
    accepted.on('error', () => undefined);
    const client = certificate === undefined ? accepted : await startTls(accepted, certificate);
    const server = connect(socketPath);
    const pair: [Socket, Socket] = [client, server];
    present.add(pair);
    for (const socket of pair) socket.on('error', () => undefined); // the other end is closed with it
    client.pipe(server).pipe(client);
    client.on('close', () => {
      server.destroy();
      present.delete(pair);
    });
    server.on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(bridge, 'listening');
  return {
    port: (bridge.address() as AddressInfo).port,
    freeze: () => {
      for (const socket of [...present].flat()) socket.unpipe().pause();
    },
    close: async () => {
      for (const socket of [...present].flat()) socket.destroy();
      bridge.close();
      await once(bridge, 'close');
    },
  };
}

async function startTls(accepted: Socket, certificate: Certificate): Promise<Socket> {
  while (accepted.readableLength < SSL_REQUEST_BYTES) await once(accepted, 'readable');
  accepted.read(SSL_REQUEST_BYTES);
  accepted.write('S');
  return new TLSSocket(accepted, { isServer: true, ...certificate });
}

/** The same database through the bridge. */
export function through({ port }: Pick<Bridge, 'port'>, url: string): string {
  const bridged = new URL(url);
  bridged.host = `127.0.0.1:${port}`;
  return bridged.href;
}
