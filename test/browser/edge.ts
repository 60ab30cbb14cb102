/** Between browser and gateway: serves the pages, passes on the rest, and treats refreshes as a bad network does. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Certificate } from './certificate.js';

/** What happens to a refresh on its way: nothing but what is said. */
export interface Fault {
  /** The gateway gets it only then. */
  reaches?: Promise<unknown>;
  /** The gateway never gets it, and the connection is cut. */
  lost?: boolean;
  /** The gateway gets it a second time, after the first; the browser gets the second answer. */
  doubled?: boolean;
  /** The browser gets the answer only then. */
  returns?: Promise<unknown>;
  /** So many bytes of the answer arrive, or all but so many where negative, then the connection is cut. */
  cutAt?: number;
}

export interface Refresh {
  /** Of the gateway's answer; undefined until it is there */
  status?: number;
  /** The browser's connection has been ended, with the answer or without */
  over: boolean;
}

export interface Edge {
  port: number;
  /** http://localhost:PORT, or https if it has a certificate */
  url: string;
  leadTo(gatewayUrl: string): void;
  /** Serves a page at a path. A script is served at its name, an HTML page says which it loads. */
  serve(path: string, type: 'text/html' | 'text/javascript', text: string): void;
  /** Those that have arrived, in their order */
  refreshes: Refresh[];
  /** What happens to those that arrive from now on, the first of which is number 0; without a word, nothing. */
  disturb(faultOf?: (number: number) => Fault | undefined): void;
  /** Answers that are streams, while they last. `destroy` cuts one, as a proxy that is replaced. */
  streams: ReadonlySet<Pick<ServerResponse, 'destroy'>>;
  close(): Promise<void>;
}

/** @param certificate for https */
export async function startEdge(certificate?: Certificate): Promise<Edge> {
  const pages = new Map<string, { type: string; text: string }>();
  const refreshes: Refresh[] = [];
  const sockets = new Set<Socket>();
  const streams = new Set<ServerResponse>();
  let gateway = '';
  let first = 0;
  let faultOf: (number: number) => Fault | undefined = () => undefined;

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const [path = ''] = (req.url ?? '').split('?');
    const page = pages.get(path);
    if (page !== undefined && req.method === 'GET') {
      res.writeHead(200, { 'content-type': page.type, 'cache-control': 'no-store' }).end(page.text);
      return;
    }
    const body = await bytesOf(req);
    if (req.headers.accept === 'text/event-stream') {
      streams.add(res.once('close', () => streams.delete(res)));
      return passOn(gateway, req, body, res);
    }
    if (path !== '/auth/refresh' || req.method !== 'POST') {
      cut(res, await ask(gateway, req, body));
      return;
    }
    const refresh: Refresh = { over: false };
    refreshes.push(refresh);
    const fault = faultOf(refreshes.length - 1 - first) ?? {};
    await fault.reaches;
    let bytes: Buffer = Buffer.alloc(0);
    for (let times = fault.lost ? 0 : fault.doubled ? 2 : 1; times > 0; times -= 1) {
      bytes = await ask(gateway, req, body);
      refresh.status = Number(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString('latin1'))?.[1]);
    }
    await fault.returns;
    cut(res, fault.cutAt === undefined ? bytes : bytes.subarray(0, within(bytes.length, fault.cutAt)));
    refresh.over = true;
  };

  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    answer(req, res).catch(() => res.socket?.destroy()); // a gateway that has been closed
  };
  const server = certificate === undefined ? createServer(handle) : createTlsServer(certificate, handle);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${certificate === undefined ? 'http' : 'https'}://localhost:${port}`,
    leadTo: (url) => {
      gateway = url;
    },
    serve: (path, type, text) => void pages.set(path, { type, text }),
    refreshes,
    disturb: (next = () => undefined) => {
      first = refreshes.length;
      faultOf = next;
    },
    streams,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** A place in an answer of so many bytes, counted from its end where negative. */
function within(length: number, place: number): number {
  return Math.max(0, Math.min(length, place < 0 ? length + place : place));
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The answer as it comes. It ends with either side. */
async function passOn(gateway: string, req: IncomingMessage, body: Buffer, to: ServerResponse): Promise<void> {
  const { method = 'GET', url, headers } = req;
  const sent = request(`${gateway}${url}`, { method, headers, agent: false });
  to.once('close', () => sent.destroy());
  sent.end(body);
  const [res] = (await once(sent, 'response')) as [IncomingMessage];
  to.writeHead(res.statusCode ?? 502, res.headers);
  await pipeline(res, to);
}

/** The whole answer as it travels, which is the last of its connection. */
async function ask(gateway: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Buffer> {
  const sent = request(`${gateway}${url}`, { method: method ?? 'GET', headers, agent: false });
  sent.end(body);
  const [res] = (await once(sent, 'response')) as [IncomingMessage];
  const content = await bytesOf(res);
  const lines = [`HTTP/1.1 ${res.statusCode} ${res.statusMessage}`];
  for (let i = 0; i < res.rawHeaders.length; i += 2) {
    const [name = '', value = ''] = res.rawHeaders.slice(i, i + 2);
    if (!/^(connection|keep-alive|transfer-encoding|content-length)$/i.test(name)) lines.push(`${name}: ${value}`);
  }
  lines.push(`Content-Length: ${content.length}`, 'Connection: close', '', '');
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), content]);
}

/** Sends these bytes and ends the connection, whatever they are. The browser may have gone. */
function cut({ socket }: ServerResponse, bytes: Buffer): void {
  socket?.end(bytes, () => socket.destroy());
}
