/** The filter of the audit log on events that are already read: it says of each what `conditionsOf` of `log.ts` says in SQL. */
import { normaliseEmail } from '../domain/email.js';
import { isUuid } from '../platform/ids.js';
import type { AuditEventFilter, AuditRow } from './log.js';
import { actorOf, asStored, entityIdOf, sessionNamedBy } from './lookups.js';
import type { LoggedEvent } from './order.js';

/** An event as listings have it, with the e-mail that its user has now */
export interface ReadEvent extends Omit<AuditRow, 'exactly'> {
  userEmail: string | null;
}

export function toReadEvent({ id, metadata, ...event }: LoggedEvent): ReadEvent {
  return {
    id,
    eventType: event.event_type,
    entityType: event.entity_type,
    userId: event.user_id,
    ipAddress: event.ip_address,
    userAgent: event.user_agent,
    metadata: metadata as ReadEvent['metadata'], // as `jsonb` of an object is read
    createdAt: event.created_at,
    userEmail: event.user_email,
  };
}

/** @param sessions of logins and logouts, by the id of the event; asked only if the filter has a session */
export type Matches = (event: ReadEvent, sessions: ReadonlyMap<string, string>) => boolean;

export function matching({
  eventTypes,
  isTheft,
  userId,
  ipAddress,
  email,
  actorId,
  entityId,
  sessionId,
  since,
  until,
}: AuditEventFilter): Matches {
  const types = eventTypes == null ? undefined : new Set<string>(eventTypes);
  const address = email == null ? undefined : normaliseEmail(email);
  return (event, sessions) => {
    const { eventType, metadata } = event;
    const isOfTheft = eventType === 'token_theft' && ((metadata['ended_by'] ?? null) === null) === isTheft;
    const session = (): string | null | undefined => sessionNamedBy(event) ?? sessions.get(event.id);
    return (
      (types === undefined || types.has(eventType)) &&
      (isTheft == null || isOfTheft) &&
      (userId == null || (isUuid(userId) && event.userId === asStored(userId))) &&
      (ipAddress == null || event.ipAddress === ipAddress) &&
      (address === undefined || metadata['email'] === address || event.userEmail === address) &&
      (actorId == null || actorOf(event)?.id === asStored(actorId)) &&
      (entityId == null || entityIdOf(event) === asStored(entityId)) &&
      (sessionId == null || session() === asStored(sessionId)) &&
      (since == null || event.createdAt >= since) &&
      (until == null || event.createdAt < until)
    );
  };
}
