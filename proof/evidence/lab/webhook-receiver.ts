/**
 * A receiver of webhooks, a process that is killed: `node webhook-receiver.js PORT FILE`, with WEBHOOK_SECRET in its environment.
 * Before it answers it appends a line to the file for each request. `webhook-receivers.ts` reads them.
 */
import { openSync, writeSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** How long it takes to answer, at most, so that kills come between its line and its answer: milliseconds. */
const ANSWER_MS = 40;

const [port, file = ''] = process.argv.slice(2);
const webhook = new Webhook(process.env['WEBHOOK_SECRET'] ?? '');
const journal = openSync(file, 'a', 0o600);

function isGenuine(body: string, headers: IncomingHttpHeaders): boolean {
  try {
    webhook.verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

const server = createServer(async (req, res) => {
  const parts: Buffer[] = [];
  try {
    for await (const part of req) parts.push(part);
  } catch {
    return; // the gateway was killed
  }
  const body = Buffer.concat(parts).toString();
  const { data } = JSON.parse(body) as { data: { id: string; sequence: string } };
  const { id: event, sequence } = data;
  const line = { id: req.headers['webhook-id'], event, sequence, isGenuine: isGenuine(body, req.headers) };
  writeSync(journal, `${JSON.stringify(line)}\n`);
  await sleep(Math.random() * ANSWER_MS);
  res.writeHead(204).end();
});
server.listen(Number(port), '127.0.0.1');
