/** The audit log as it grows. One tab has the stream for all: over HTTP/1.1 the tabs of a browser share six connections. */
import { print } from 'graphql';
import { createClient } from 'graphql-sse';
import { auth } from './gateway';
import { AuditEventAddedDocument, type AuditEventAddedSubscription, type EventFragment } from './generated';

const PAUSE_MS = 5_000;
const REQUEST = { query: print(AuditEventAddedDocument) };

/** What tabs say to each other. `ask`: is there a stream? */
type Message = 'ask' | { isLive: boolean } | AuditEventAddedSubscription['auditEventAdded'];

/** @returns a function that ends it */
export function followAuditLog(
  userId: string, // another user may be allowed less
  onEvent: (event: EventFragment) => void,
  onLive: (isLive: boolean) => void,
): () => void {
  const tabs = new BroadcastChannel(`audit log of ${userId}`);
  const ended = new AbortController();
  let isLive = false;
  let cursor: string | undefined; // of the last event that any tab has had

  const hear = (message: Message) => {
    if (message === 'ask') return isLive && tabs.postMessage({ isLive });
    if ('event' in message) {
      cursor = message.cursor;
      return onEvent(message.event);
    }
    if (message.isLive === isLive) return;
    isLive = message.isLive;
    onLive(isLive);
  };
  const pass = (message: Message) => {
    if (ended.signal.aborted) return;
    tabs.postMessage(message);
    hear(message);
  };
  const stream = createClient({
    ...{ url: '/graphql', fetchFn: auth.fetch, retryAttempts: 0 },
    headers: () => ({ ...(cursor && { 'Last-Event-ID': cursor }) }), // goes on where the last stream ended
  });
  const hold = async () => {
    while (!ended.signal.aborted) {
      pass({ isLive: false }); // of this tab, or of one that was closed
      const events = stream.iterate<AuditEventAddedSubscription>(REQUEST, { connected: () => pass({ isLive: true }) });
      try {
        for await (const { data } of events) if (data) pass(data.auditEventAdded);
      } catch {} // refused or interrupted: it has ended as well
      pass({ isLive: false });
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  tabs.onmessage = ({ data }: MessageEvent<Message>) => hear(data);
  tabs.postMessage('ask');
  navigator.locks.request(tabs.name, { signal: ended.signal }, hold).catch(() => {}); // ended while it waited
  return () => [ended.abort(), stream.dispose(), tabs.close()];
}
