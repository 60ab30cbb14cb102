/** Sends what the generators make, and reads what comes back without trusting it. */
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import type { HttpRequest, RawRequest } from './request.js';

export interface Answer {
  status: number;
  /** Names in lower case and values, in turn */
  headers: Array<[name: string, value: string]>;
  body: string;
  /** True if fewer bytes came than announced, or bytes that are not HTTP */
  isBroken: boolean;
}

export interface Exchange {
  answers: Answer[];
  /** From the last byte sent to the last byte of an answer */
  ms: number;
}

export interface Client {
  /** @throws {Error} if the connection ends without an answer */
  http(sent: HttpRequest): Promise<Exchange>;
  raw(sent: RawRequest): Promise<Exchange>;
  close(): void;
}

/** After so long without a byte a connection has said what it has to say. */
const QUIET_MS = 150;
/** An answer that takes longer is not waited for. */
const GIVE_UP_MS = 20_000;

export function clientOf(host: string, connections: number): Client {
  const [hostname = '', port = ''] = host.split(':');
  const agent = new Agent({ keepAlive: true, maxSockets: connections });

  const once = (sent: HttpRequest): Promise<Exchange & { reused?: boolean }> =>
    new Promise((resolve, reject) => {
      const { method, path, body } = sent;
      const length = String(body.length);
      const hasHost = sent.headers.some(([name]) => name.toLowerCase() === 'host');
      const headers = [...(hasHost ? [] : ['Host', host]), 'Content-Length', length, ...sent.headers.flat()];
      const started = performance.now();
      const outgoing = request({ hostname, port, method, path, headers, agent }, (res) => {
        const chunks: Buffer[] = [];
        const end = (isBroken: boolean): void => {
          const { statusCode: status = 0, rawHeaders } = res;
          const fields = rawHeaders.flatMap((name, i): Answer['headers'] =>
            i % 2 === 0 ? [[name.toLowerCase(), rawHeaders[i + 1] ?? '']] : [],
          );
          const answer = { status, headers: fields, body: Buffer.concat(chunks).toString('utf8'), isBroken };
          resolve({ answers: [answer], ms: performance.now() - started });
        };
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('error', () => end(true));
        res.on('end', () => end(!res.complete));
      });
      outgoing.setTimeout(GIVE_UP_MS, () => outgoing.destroy(new Error('no answer')));
      outgoing.on('error', (error) => reject(Object.assign(error, { reused: outgoing.reusedSocket })));
      outgoing.end(body);
    });

  return {
    // A keep-alive connection may be closed just as it is used again; every client has to try another then.
    http: (sent) =>
      once(sent).catch((error: Error & { reused?: boolean }) => {
        if (error.reused) return once(sent);
        throw error;
      }),
    raw: (sent) => rawExchange(hostname, Number(port), sent),
    close: () => agent.destroy(),
  };
}

function rawExchange(hostname: string, port: number, { pieces, then }: RawRequest): Promise<Exchange> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port, noDelay: true });
    const chunks: Buffer[] = [];
    let started = performance.now();
    let last = started;
    let quiet: NodeJS.Timeout | undefined;
    const giveUp = setTimeout(() => socket.destroy(), GIVE_UP_MS);
    const waitForQuiet = (ms: number): void => {
      clearTimeout(quiet);
      quiet = setTimeout(() => socket.end(), ms);
    };
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      last = performance.now();
      if (then === 'waits') waitForQuiet(QUIET_MS);
    });
    socket.on('error', () => undefined); // a reset is an answer too
    socket.on('close', () => {
      clearTimeout(quiet);
      clearTimeout(giveUp);
      resolve({ answers: readAnswers(Buffer.concat(chunks)), ms: last - started });
    });
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (socket.writable) socket.write(piece);
        await new Promise(setImmediate);
      }
      started = last = performance.now();
      if (then === 'ends') socket.end();
      else if (then === 'resets') socket.resetAndDestroy();
      else waitForQuiet(QUIET_MS * 2);
    });
  });
}

/** Every answer of a connection, in order. An answer to HEAD has no body, whatever length it names. */
function readAnswers(bytes: Buffer): Answer[] {
  const answers: Answer[] = [];
  let rest = bytes.toString('latin1');
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const head = end === -1 ? rest : rest.slice(0, end);
    const [line = '', ...lines] = head.split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1] ?? 0);
    const headers = lines.map((each): [string, string] => {
      const colon = each.indexOf(':');
      return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()];
    });
    if (end === -1 || status === 0) {
      answers.push({ status, headers, body: rest, isBroken: true });
      return answers;
    }
    rest = rest.slice(end + 4);
    if (status < 200) continue;
    const { body, length, isBroken } = bodyOf(rest, headers);
    answers.push({ status, headers, body: Buffer.from(body, 'latin1').toString('utf8'), isBroken });
    rest = rest.slice(length);
  }
  return answers;
}

function bodyOf(rest: string, headers: Answer['headers']): { body: string; length: number; isBroken: boolean } {
  const field = (name: string): string | undefined => headers.find(([each]) => each === name)?.[1];
  if (rest.startsWith('HTTP/1.')) return { body: '', length: 0, isBroken: false };
  const announced = field('content-length');
  if (announced !== undefined) {
    const length = Number(announced);
    return { body: rest.slice(0, length), length, isBroken: rest !== '' && rest.length < length };
  }
  if (field('transfer-encoding') !== 'chunked') return { body: rest, length: rest.length, isBroken: false };
  let [body, at] = ['', 0];
  for (;;) {
    const size = /^([0-9a-f]+)\r\n/i.exec(rest.slice(at, at + 20));
    if (size === null) return { body, length: rest.length, isBroken: rest !== '' };
    const length = Number.parseInt(size[1] ?? '', 16);
    body += rest.slice(at + size[0].length, at + size[0].length + length);
    at += size[0].length + length + 2;
    if (length === 0) return { body, length: at, isBroken: false };
  }
}
