/** A stream of the audit log, read as graphql-sse has it: server-sent events of one operation. (Interface 24) */
import { type IncomingMessage, request } from 'node:http';
import type { Instance } from './gateway.js';
import type { As } from './graphql.js';

export interface Message {
  id: string | undefined;
  event: string | undefined;
  data: string | undefined;
  /** Lines that are comments */
  comments: number;
}

export interface Stream {
  status: number;
  headers: IncomingMessage['headers'];
  /** What an answer that is no stream has */
  text(): Promise<string>;
  /** Messages so far */
  messages: Message[];
  /** Those that have a result: its data, and its cursor */
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
  results(): Array<{ cursor: string; data: any; errors?: any[] }>;
  /** Waits until something is true of the messages, or the stream has ended. */
  until(isSo: (stream: Stream) => boolean): Promise<void>;
  /** Waits for the end. @returns true if the stream was ended whole, by `complete` */
  ended: Promise<boolean>;
  /** Stops reading, and reads on. */
  pause(): void;
  resume(): void;
  close(): void;
}

export const ADDED =
  'subscription ($filter: AuditEventFilter) { auditEventAdded(filter: $filter) { cursor event { id eventType } } }';

interface Options {
  query?: string;
  variables?: object;
  lastEventId?: string | undefined;
  accept?: string;
}

export function openStream(
  { url }: Pick<Instance, 'url'>,
  as: As,
  { query = ADDED, variables = {}, lastEventId, accept = 'text/event-stream' }: Options = {},
): Promise<Stream> {
  const body = JSON.stringify({ query, variables });
  const headers = {
    'content-type': 'application/json',
    accept,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    ...as(body),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/graphql`, { method: 'POST', headers, agent: false }, (res) => resolve(read(res)));
    sent.on('error', reject);
    sent.end(body);
  });
}

function read(res: IncomingMessage): Stream {
  const messages: Message[] = [];
  let rest = '';
  let looks: Array<() => void> = [];
  const look = (): void => {
    const waiting = looks;
    looks = [];
    for (const again of waiting) again();
  };
  const { promise: ended, resolve: end } = Promise.withResolvers<boolean>();
  res.setEncoding('utf8');
  res.on('data', (text: string) => {
    const parts = (rest + text).split('\n\n');
    rest = parts.pop() ?? '';
    messages.push(...parts.map(messageOf));
    look();
  });
  res.on('error', () => undefined); // it was cut
  res.on('close', () => {
    end(res.complete && messages.at(-1)?.event === 'complete');
    look();
  });
  const stream: Stream = {
    status: res.statusCode ?? 0,
    headers: res.headers,
    text: async () => {
      await ended;
      return rest;
    },
    messages,
    results: () =>
      messages
        .filter(({ event }) => event === 'next')
        .map(({ id, data }) => ({ cursor: id ?? '', ...JSON.parse(data ?? '') })),
    until: async (isSo) => {
      while (!isSo(stream)) {
        if (res.closed) throw new Error(`the stream has ended: ${JSON.stringify(messages.at(-1))}`);
        await new Promise<void>((again) => looks.push(again));
      }
    },
    ended,
    pause: () => void res.pause(),
    resume: () => void res.resume(),
    close: () => void res.destroy(),
  };
  return stream;
}

function messageOf(text: string): Message {
  const lines = text.split('\n');
  const field = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  return {
    id: field('id'),
    event: field('event'),
    data: field('data'),
    comments: lines.filter((line) => line.startsWith(':')).length,
  };
}
