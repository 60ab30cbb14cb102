/** Clients that follow the audit log over cuts: each resumes at any instance behind the last event that it was given. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab } from './lab.js';

const SUBSCRIPTION =
  'subscription ($filter: AuditEventFilter) { auditEventAdded(filter: $filter) { cursor event { id } } }';
/** Between two tries of a stream that was cut or refused, at most: milliseconds */
const AGAIN_MS = 200;

export interface Follower {
  /** Ids of the events that it was given, in that order */
  given: string[];
  /** How often a stream was opened */
  opened(): number;
  /** Ends this stream from outside, as a proxy does. */
  cut(): void;
  stop(): Promise<void>;
}

interface Options {
  /** From here on; undefined: from now on */
  after?: string | undefined;
  filter?: object;
}

/** @returns once its first stream is open */
export async function follow(
  lab: Lab,
  urls: readonly string[],
  headers: Record<string, string>,
  { after, filter = {} }: Options = {},
): Promise<Follower> {
  const given: string[] = [];
  let cursor = after;
  let opened = 0;
  let isOver = false;
  let cutting = new AbortController();
  const first = Promise.withResolvers<void>();

  const stream = async (): Promise<void> => {
    cutting = new AbortController();
    const res = await fetch(`${urls[randomInt(urls.length)]}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(cursor !== undefined && { 'last-event-id': cursor }),
        ...headers,
      },
      body: JSON.stringify({ query: SUBSCRIPTION, variables: { filter } }),
      signal: cutting.signal,
    });
    if (res.status !== 200 || res.body === null) throw new Error(`answered ${res.status}: ${await res.text()}`);
    opened += 1;
    first.resolve();
    let rest = '';
    for await (const text of res.body.pipeThrough(new TextDecoderStream())) {
      const messages = (rest + text).split('\n\n');
      rest = messages.pop() ?? '';
      for (const message of messages) {
        const { id, data } = Object.fromEntries(message.split('\n').map((line) => line.split(/: (.*)/s)));
        if (data?.startsWith('{')) given.push(JSON.parse(data).data.auditEventAdded.event.id);
        cursor = id ?? cursor;
      }
    }
  };
  const running = (async () => {
    while (!isOver) {
      await stream().catch(() => undefined); // cut, or refused while an instance is away
      if (!isOver) await sleep(Math.random() * AGAIN_MS);
    }
  })();
  const follower: Follower = {
    given,
    opened: () => opened,
    cut: () => cutting.abort(),
    stop: async () => {
      isOver = true;
      cutting.abort();
      await running;
    },
  };
  lab.defer(() => void follower.stop());
  await Promise.race([first.promise, sleep(30_000).then(() => Promise.reject(new Error('no stream could be opened')))]);
  return follower;
}
