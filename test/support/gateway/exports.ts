/** Downloads of exports, and what they export. (Interface 24) */
import { type IncomingMessage, request } from 'node:http';
import type { Answer, Instance, TestGateway } from './gateway.js';

type Headers = Record<string, string | string[]>;

export const AUDIT_COLUMNS = [
  ...['id', 'event_type', 'entity_type', 'user_id', 'ip_address', 'user_agent', 'metadata', 'created_at', 'cursor'],
];

export function download(on: Pick<Instance, 'send'>, file: string, headers: Headers): Promise<Answer> {
  return on.send('GET', `/export/${file}`, { headers });
}

export interface Begun {
  answer: IncomingMessage;
  /** Takes the rest. @returns the whole text, and whether the body was complete */
  rest(): Promise<{ text: string; isComplete: boolean }>;
}

/** Begins a download and takes nothing of it yet: the gateway soon waits. */
export function begin({ url }: Pick<Instance, 'url'>, file: string, headers: Headers): Promise<Begun> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/export/${file}`, { headers, agent: false }, (answer) => {
      answer.pause();
      const chunks: Buffer[] = [];
      const closed = new Promise<void>((done) => answer.once('close', done)); // perhaps before anything is taken
      answer.on('error', () => undefined);
      const rest: Begun['rest'] = async () => {
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
        await closed;
        return { text: Buffer.concat(chunks).toString('utf8'), isComplete: answer.complete };
      };
      resolve({ answer, rest });
    });
    sent.on('error', reject);
    sent.end();
  });
}

export interface StoredEvent {
  event_type?: string;
  user_id?: string | null;
  ip_address?: string;
  user_agent?: string | null;
  metadata?: object;
}

/**
 * Events that were written an hour ago, so that the log is complete there, a microsecond apart.
 * @returns their ids in the order of the export
 */
export async function storeEvents({ rows }: Pick<TestGateway, 'rows'>, events: StoredEvent[]): Promise<string[]> {
  const stored = await rows<{ id: string }>(
    `insert into audit_events (event_type, user_id, ip_address, user_agent, metadata, created_at, written_at)
     select coalesce(e ->> 'event_type', 'login_failure'), (e ->> 'user_id')::uuid, coalesce(e ->> 'ip_address', '192.0.2.1'),
       e ->> 'user_agent', coalesce(e -> 'metadata', '{}'), now() - interval '1 hour', now() - interval '1 hour' + n * interval '1 microsecond'
     from jsonb_array_elements($1::jsonb) with ordinality as events (e, n) order by n returning id`,
    [JSON.stringify(events)],
  );
  return stored.map(({ id }) => id);
}

/** Many events, each with a user agent of this length. */
export async function storeMany({ rows }: Pick<TestGateway, 'rows'>, count: number, length: number): Promise<void> {
  await rows(
    `insert into audit_events (event_type, ip_address, user_agent, metadata, created_at, written_at)
     select 'login_failure', '192.0.2.1', repeat('x', $2), '{}', now() - interval '1 hour', now() - interval '1 hour'
     from generate_series(1, $1)`,
    [count, length],
  );
}
