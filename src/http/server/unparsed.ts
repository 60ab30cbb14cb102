/** RFC 9110 section 15: JSON answers to requests that Node's parser or the listener refuses. */
import type { ServerResponse } from 'node:http';
import { graphqlErrors } from '../graphql-errors.js';
import { STATUS_CODES } from './node-http.js';

export interface Fault {
  status: number;
  detail: string;
}

/** Refusals of Node's parser by its code (RFC 9110 section 15.5, RFC 6585 section 5); anything else is a 400. */
export const UNPARSED = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'Request header fields are too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'Request body is too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request took too long to arrive' },
} as const satisfies Record<string, Fault>;
export const MALFORMED = { status: 400, detail: 'Request is not valid HTTP' } as const satisfies Fault;
export const NO_TUNNEL: Fault = { status: 405, detail: 'Method not allowed' };
export const TOO_MANY = {
  status: 429,
  detail: 'Too many requests at once on one connection',
} as const satisfies Fault;

/** @param code of an error of Node's parser */
export function faultOf(code: string | undefined): Fault {
  const known: Record<string, Fault> = UNPARSED;
  return known[code ?? ''] ?? MALFORMED;
}

/** The target of a request that Node could not parse (RFC 9112 section 3), if the bytes begin with its line. */
export function targetIn(packet: Buffer | undefined): string | undefined {
  const line = packet?.subarray(0, 200).toString('latin1') ?? '';
  return /^[A-Z]+ (\S+) HTTP\//.exec(line)?.[1];
}

/** Answers a request whose body is malformed, instead of its handler. */
export function sendOver(res: ServerResponse, { status, detail }: Fault): void {
  res.shouldKeepAlive = false;
  res.removeHeader('Set-Cookie');
  const body = JSON.stringify({ detail, ...graphqlErrors(res.req, status, detail) });
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  res.end(body);
}

/** The bytes of an answer, if there is no request that Node could answer. */
export function rawAnswer({ status, detail }: Fault, url: string | undefined, fields: string): string {
  const body = JSON.stringify({ detail, ...graphqlErrors({ url }, status, detail) });
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n` +
    `${fields}Connection: close\r\n\r\n${body}`
  );
}
