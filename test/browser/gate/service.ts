/** A service behind the gate: pages that say who has come, and a script that asks as a single-page application does. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface PageService extends AsyncDisposable {
  port: number;
  /** Method and target of each request that reached it */
  seen(): string[];
  /** Cookies that reached it, by name */
  cookies(): Set<string>;
}

/** A script learns from a refusal where to lead the person, and goes on with its address. */
const APPLICATION = `
  async function ask(path) {
    const answer = await fetch(path);
    if (answer.status === 401) {
      const [, gate] = /form-action="([^"]+)"/.exec(answer.headers.get('www-authenticate'));
      const address = new URL(gate);
      address.searchParams.set('target', location.pathname + location.search);
      location.assign(address);
      return;
    }
    document.getElementById('said').textContent = await answer.text();
  }`;

const page = (caller: string, target: string) => `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
  <h1>${caller}</h1>
  <p id="target">${target.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>
  <p id="said"></p>
  <form method="post" action="/.auth-gateway/logout"><button>Leave</button></form>
  <form method="post" action="/reports"><textarea name="text"></textarea><button>Send</button></form>
  <script>${APPLICATION}</script>`;

/** The opening of a page that it fetched itself would be none: browsers say so (`Sec-Fetch-Dest: empty`). */
const WORKER = `self.addEventListener('fetch', (event) => {
    if (event.request.mode !== 'navigate') event.respondWith(fetch(event.request));
  });
  self.addEventListener('activate', (event) => event.waitUntil(clients.claim()));`;

/** RFC 6455 section 1.3 */
const WEBSOCKET = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export async function startPageService(): Promise<PageService> {
  const seen: string[] = [];
  const cookies = new Set<string>();
  const sockets = new Set<Socket>();
  const note = ({ method, url, headers }: IncomingMessage) => {
    seen.push(`${method} ${url}`);
    for (const pair of (headers.cookie ?? '').split(';')) cookies.add(pair.split('=', 1)[0]?.trim() ?? '');
  };
  const answer = (req: IncomingMessage, res: ServerResponse): void => {
    note(req);
    req.resume();
    const caller = String(req.headers['x-auth-caller-id']);
    const target = req.url ?? '';
    if (target === '/worker.js') {
      res.writeHead(200, { 'content-type': 'text/javascript' }).end(WORKER);
    } else if (target === '/events') {
      res
        .writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
        .write(`data: ${caller}\n\n`);
    } else if (target.startsWith('/api')) {
      res.writeHead(200, { 'content-type': 'text/plain' }).end(caller);
    } else {
      res.writeHead(200, { 'content-type': 'text/html' }).end(page(caller, target));
    }
  };
  const server = createServer(answer);
  server.on('upgrade', (req: IncomingMessage, socket: Socket) => {
    note(req);
    const accept = createHash('sha1').update(`${req.headers['sec-websocket-key']}${WEBSOCKET}`).digest('base64');
    const head = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}`;
    const caller = Buffer.from(String(req.headers['x-auth-caller-id']));
    socket.write(`${head}\r\n\r\n`);
    socket.write(Buffer.concat([Buffer.from([0x81, caller.length]), caller])); // one short frame of text
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen: () => seen,
    cookies: () => cookies,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
