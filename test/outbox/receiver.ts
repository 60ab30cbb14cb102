/** A receiver of webhooks on this machine, which answers as a test says. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  headers: IncomingHttpHeaders;
  path: string;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
  json: any;
}

export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** The connection ends without an answer. */
  isCut?: boolean;
}

export interface Receiver {
  url: string;
  /** `host:port`, for WEBHOOK_HOSTS */
  authority: string;
  received: Received[];
  /** What it answers from now on; 204 at first */
  reply(decide: (received: Received) => Reply | Promise<Reply>): void;
  /** Resolves once there are so many, in all. */
  reached(count: number): Promise<void>;
  /** Types of the events received, in order */
  types(): string[];
  close(): Promise<void>;
}

/** @param port of a receiver that was away and comes back */
export async function startReceiver(port = 0): Promise<Receiver> {
  let decide: (received: Received) => Reply | Promise<Reply> = () => ({ status: 204 });
  const received: Received[] = [];
  const waiting = new Set<{ count: number; resolve(): void }>();
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part);
    const text = Buffer.concat(parts).toString();
    const one = { headers: req.headers, path: req.url ?? '', text, json: JSON.parse(text) };
    const { status, headers, body, isCut } = await decide(one);
    received.push(one);
    if (isCut) res.destroy();
    else res.writeHead(status, headers).end(body);
    for (const waiter of waiting) if (received.length >= waiter.count) waiter.resolve();
  });
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  const authority = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${authority}/hook`,
    authority,
    received,
    reply: (how) => {
      decide = how;
    },
    reached: (count) =>
      received.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.add({ count, resolve });
          }),
    types: () => received.map(({ json }) => json.type),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
