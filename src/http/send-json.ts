/** Answers in JSON, by the responses of Express and by those of Node alone. */
import type { ServerResponse } from 'node:http';

export function sendJson(res: ServerResponse, body: object): void {
  const text = JSON.stringify(body);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  const length = Buffer.byteLength(text);
  res.setHeader('Content-Length', length);
  res.end(text, length === text.length ? 'latin1' : 'utf8'); // ASCII is not encoded again
}
