/** What happens, as it happens. Without a stream it asks now and then. */
import { useQuery } from '@apollo/client/react';
import type { User } from '@auth-gateway/client/browser';
import { useEffect, useState } from 'react';
import { AuditLogDocument, type EventFragment } from './generated';
import { followAuditLog } from './live';
import { say, timeOf } from './words';

const POLL_MS = 15_000;
const SHOWN = 50;

export function AuditLog({ user: { sub, scopes } }: { user: User }) {
  const mayRead = scopes.includes('audit:read');
  const [isLive, setIsLive] = useState(false);
  const [added, setAdded] = useState<EventFragment[]>([]);
  const { data, error, refetch } = useQuery(AuditLogDocument, {
    pollInterval: isLive || !mayRead ? 0 : POLL_MS,
    skipPollAttempt: () => document.hidden,
  });

  useEffect(() => {
    if (!mayRead) return;
    const add = (event: EventFragment) => setAdded((before) => [event, ...before].slice(0, SHOWN));
    return followAuditLog(sub, add, (isLive) => {
      setIsLive(isLive);
      if (isLive) refetch().catch(() => {}); // what happened before the stream began
    });
  }, [sub, mayRead, refetch]);

  const events = new Map([...added, ...(data?.auditEvents?.nodes ?? [])].map((event) => [event.id, event]));
  const newestFirst = [...events.values()].sort((a, b) => b.createdAt.localeCompare(a.createdAt)).slice(0, SHOWN);
  return (
    <section aria-labelledby="log">
      <h2 id="log">Audit log</h2>
      <p role="status">{isLive ? 'Live' : mayRead && 'Not live: it is read every 15 seconds'}</p>
      <p role="alert">{error && say(error)}</p>
      <div role="log" aria-labelledby="log">
        <ol>
          {newestFirst.map(({ id, createdAt, eventType, ipAddress, user }) => (
            <li key={id}>
              <b>{eventType}</b> {user?.email}
              <small>
                {timeOf(createdAt)} from {ipAddress}
              </small>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
