/** A receiver of webhooks, on the core of the load: it reads each event and answers 204. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lab } from '../evidence/lab/lab.js';

export interface Receiver {
  url: string;
  /**
   * Waits for events that are still to be written.
   * @param onArrival called after each, with how many there are now
   * @returns when each came for the first time, by id: `performance.now()`, in the order in which they came
   * @throws if none of them comes for half a minute
   */
  arrivalsOf(ids: readonly string[], onArrival?: (count: number) => void): Promise<Map<string, number>>;
}

const GIVE_UP_MS = 30_000;

export async function openReceiver({ defer }: Pick<Lab, 'defer'>, giveUpMs = GIVE_UP_MS): Promise<Receiver> {
  let onEvent: (id: string, atMs: number) => void = () => undefined;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const atMs = performance.now();
      response.writeHead(204).end();
      onEvent(String(request.headers['webhook-id']), atMs);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivalsOf: (ids, onArrival) =>
      new Promise((resolve, reject) => {
        const missing = new Set(ids);
        const came = new Map<string, number>();
        const late = setTimeout(() => reject(new Error(`${missing.size} events have not come`)), giveUpMs);
        onEvent = (id, atMs) => {
          if (!missing.delete(id)) return; // another event, or once more
          came.set(id, atMs);
          late.refresh();
          onArrival?.(came.size);
          if (missing.size > 0) return;
          clearTimeout(late);
          resolve(came);
        };
      }),
  };
}
