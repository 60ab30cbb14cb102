/** Bytes on a socket, for what no HTTP client would send. */
import { connect, type Socket } from 'node:net';
import type { Instance } from './gateway.js';

/** Opens a connection and sends the text, byte for character. */
export async function open({ url }: Pick<Instance, 'url'>, text = ''): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined); // a test looks at what came, not at how it ended
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  if (text !== '') socket.write(text, 'latin1');
  return socket;
}

/** Sends the text and gives everything that comes back until the server ends the connection. */
export async function exchange(on: Pick<Instance, 'url'>, text: string): Promise<string> {
  const socket = await open(on, text);
  let came = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    came += chunk;
  });
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return came;
}

export interface RawAnswer {
  status: number;
  /** The header as it came */
  head: string;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back; each test asserts the shape it needs
  json: any;
}

/** Each answer in what came back; all have a Content-Length. */
export function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const head = rest.slice(0, end);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
    if (end === -1 || Number.isNaN(length)) throw new Error(`no answer: ${rest}`);
    const body = Buffer.from(rest.slice(end + 4, end + 4 + length), 'latin1').toString('utf8');
    answers.push({ status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]), head, json: JSON.parse(body) });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}
