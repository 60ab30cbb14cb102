/** Answers in JSON, by the responses of Express and by those of Node alone. */
import type { ServerResponse } from 'node:http';

export function sendJson(res: ServerResponse, body: object): void {
  const text = JSON.stringify(body);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}
