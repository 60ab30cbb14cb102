/** Receives webhooks: checks the signature, stores each event once, and answers at once. */
import { createServer, type IncomingMessage } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { Webhook } from 'standardwebhooks';

interface AuthEvent {
  type: string;
  timestamp: string;
  data: {
    id: string;
    sequence: string;
    entity_type: string;
    user_id: string | null;
    ip_address: string;
    metadata: Record<string, unknown>;
  };
}

const { WEBHOOK_SECRET = '', PORT = '8080', DATABASE = 'events.db' } = process.env;
const MAX_BYTES = 262_144;
const webhook = new Webhook(WEBHOOK_SECRET);
const database = new DatabaseSync(DATABASE);
database.exec('create table if not exists events (id text primary key, sequence text, body text)');
const insert = database.prepare('insert or ignore into events values (?, ?, ?)');

/** Undefined if it is too long: nobody has proved yet who sends it. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > MAX_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** Checks the signature, and that it is at most five minutes old. Undefined if it does not fit. */
function verify(body: string, headers: IncomingMessage['headers']): AuthEvent | undefined {
  try {
    return webhook.verify(body, headers as Record<string, string>) as AuthEvent;
  } catch {
    return undefined;
  }
}

const server = createServer(async (request, response) => {
  const body = await readBody(request).catch(() => undefined);
  if (body === undefined) return void response.writeHead(413, { connection: 'close' }).end();
  const event = verify(body, request.headers);
  if (event === undefined) return void response.writeHead(401).end();
  const { changes } = insert.run(event.data.id, event.data.sequence, body);
  console.log(changes === 0 ? 'double' : 'new', event.type, event.data.sequence);
  response.writeHead(204).end(); // it is stored, so the gateway need not wait for your work
});
server.listen(Number(PORT), '127.0.0.1');
