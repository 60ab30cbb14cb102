/** RFC 9110 section 15: JSON answers to requests that Node's parser or the listener refuses. */
import type { ServerResponse } from 'node:http';
import { errorBody } from '../error-body.js';
import type { RequestLocals } from '../locals.js';
import { ERRORS, type RestReason } from '../refusals.js';
import { sendJson } from '../send-json.js';
import { STATUS_CODES } from './node-http.js';

/** Refusals of Node's parser by its code (RFC 9110 section 15.5, RFC 6585 section 5). */
const UNPARSED: Readonly<Record<string, RestReason>> = {
  HPE_HEADER_OVERFLOW: 'header_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** @param code of an error of Node's parser */
export function reasonOf(code: string | undefined): RestReason {
  return UNPARSED[code ?? ''] ?? 'malformed_request';
}

/** The target of a request that Node could not parse (RFC 9112 section 3), if the bytes begin with its line. */
export function targetIn(packet: Buffer | undefined): string | undefined {
  const line = packet?.subarray(0, 200).toString('latin1') ?? '';
  return /^[A-Z]+ (\S+) HTTP\//.exec(line)?.[1];
}

/** Answers a request whose body is malformed, instead of its handler. */
export function sendOver(res: ServerResponse & { locals?: Partial<RequestLocals> }, reason: RestReason): void {
  if (res.locals !== undefined) res.locals.outcome = reason; // Express logs the request
  res.shouldKeepAlive = false;
  res.removeHeader('Set-Cookie');
  res.statusCode = ERRORS[reason].status;
  sendJson(res, errorBody(res.req, reason));
}

/** The bytes of an answer, if there is no request that Node could answer. */
export function rawAnswer(reason: RestReason, url: string | undefined, fields: string): string {
  const { status } = ERRORS[reason];
  const body = JSON.stringify(errorBody({ url }, reason));
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n` +
    `${fields}Connection: close\r\n\r\n${body}`
  );
}
