/** One keep-alive connection of HTTP/1.1 that costs little, since the load shares its core with PostgreSQL. */
import { once } from 'node:events';
import { connect } from 'node:net';

export interface HttpConnection {
  /** @param request all bytes of it @returns head and body of the answer. @throws {NotOk} or the error of the connection */
  ask(request: string): Promise<{ head: string; body: string }>;
  close(): void;
}

/** An answer other than 200 */
export class NotOk extends Error {
  constructor(readonly status: string) {
    super(`answered ${status}`);
  }
}

const END_OF_HEAD = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

export async function openHttpConnection(url: string): Promise<HttpConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  socket.setEncoding('latin1'); // a character is a byte
  let waiting: PromiseWithResolvers<{ head: string; body: string }> | undefined;
  let received = '';
  const fail = (why: string): void => waiting?.reject(new Error(why));
  socket.on('error', ({ message }) => fail(message));
  socket.on('close', () => fail('the connection was closed'));
  socket.on('data', (chunk: string) => {
    received += chunk;
    const headEnds = received.indexOf(END_OF_HEAD);
    if (headEnds === -1) return;
    const head = received.slice(0, headEnds);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    const isChunked = length === undefined && /\r\ntransfer-encoding: chunked/i.test(head);
    if (length === undefined && !isChunked) return fail('an answer has no Content-Length');
    const body = received.slice(headEnds + END_OF_HEAD.length); // with the sizes of its chunks, if there are any
    if (isChunked ? !body.endsWith(LAST_CHUNK) : body.length < Number(length)) return;
    received = '';
    if (!head.startsWith('HTTP/1.1 200 ')) return waiting?.reject(new NotOk(head.slice(9, 12)));
    waiting?.resolve({ head, body });
  });
  return {
    ask: (request) => {
      waiting = Promise.withResolvers();
      socket.write(request, 'latin1');
      return waiting.promise;
    },
    close: () => socket.destroy(),
  };
}
