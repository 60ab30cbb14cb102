/** A service behind a proxy. It remembers each request as it came, and answers whatever came. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** RFC 6455 section 1.3 */
const WEBSOCKET = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

type Field = [name: string, value: string];

export interface Seen {
  method: string;
  target: string;
  fields: Field[];
  /** Fields behind the body, which Node and most others leave apart */
  trailer: Field[];
  body: string;
  /** Protocol of an upgrade that was answered with 101 */
  upgrade?: string;
}

export interface ServiceBehind extends AsyncDisposable {
  port: number;
  /** Takes what it has seen since the last call. */
  taken(): Seen[];
}

/**
 * It answers 200 with what it has seen, in JSON, or with the status that the field `x-answer` asks for, and fields by which
 * this answer is known. A stream of events has one, and no end.
 */
export async function startServiceBehind(): Promise<ServiceBehind> {
  let seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ maxHeaderSize: 256 * 1024 }, async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const it = seenOf(req, Buffer.concat(chunks).toString('latin1'));
    seen.push(it);
    if (req.headers.accept === 'text/event-stream') {
      const events = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
      return void res.writeHead(200, events).write('data: hello\n\n');
    }
    const status = Number(req.headers['x-answer'] ?? 200);
    const own = status === 200 ? {} : { 'www-authenticate': 'Service', 'x-own': 'yes' };
    res.writeHead(status, { 'content-type': 'application/json', ...own }).end(JSON.stringify(it));
  });
  const onUpgrade = (req: IncomingMessage, socket: Socket): void => {
    const upgrade = String(req.headers.upgrade ?? 'CONNECT');
    seen.push({ ...seenOf(req, ''), upgrade });
    const accept = createHash('sha1').update(`${req.headers['sec-websocket-key']}${WEBSOCKET}`).digest('base64');
    const head = [
      'HTTP/1.1 101 Switching Protocols',
      'Connection: Upgrade',
      `Upgrade: ${upgrade}`,
      `Sec-WebSocket-Accept: ${accept}`,
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\nhello`);
  };
  server.on('upgrade', onUpgrade).on('connect', onUpgrade);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    taken: () => {
      const taken = seen;
      seen = [];
      return taken;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function seenOf({ method = '', url = '', rawHeaders, rawTrailers }: IncomingMessage, body: string): Seen {
  return { method, target: url, fields: fieldsIn(rawHeaders), trailer: fieldsIn(rawTrailers), body };
}

function fieldsIn(lines: string[]): Field[] {
  return lines.flatMap((name, i): Field[] => (i % 2 === 0 ? [[name, lines[i + 1] ?? '']] : []));
}
