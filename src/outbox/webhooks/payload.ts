/**
 * The body of a webhook, thin: ids and facts, no user agents, and e-mails only for receivers that ask for them.
 * (Interface 17)
 */
import { EMAIL_FIELDS, EVENT_TYPES } from '../../audit/events.js';
import { type LoggedEvent, positionOf } from '../../audit/order.js';

/** Grows with the order of the log, compared as text. */
function sequenceOf(event: LoggedEvent): string {
  const { at, id } = positionOf(event);
  return `${at}_${id}`;
}

/** @returns the body, which is the same at each attempt unless the user's e-mail has changed meanwhile */
export function payloadOf(event: LoggedEvent, includeEmails: boolean): string {
  const { id, event_type: type, entity_type, user_id, ip_address, created_at, user_email } = event;
  const metadata = includeEmails ? event.metadata : withoutEmails(event);
  const emails = includeEmails ? { user_email } : {};
  const data = { id, sequence: sequenceOf(event), entity_type, user_id, ...emails, ip_address, metadata };
  return JSON.stringify({ type, timestamp: created_at.toISOString(), data });
}

/** Of a type that a newer version has written, nobody here knows which fields hold an e-mail. */
function withoutEmails({ event_type, metadata }: LoggedEvent): object {
  const type = EVENT_TYPES.find((known) => known === event_type);
  if (type === undefined) return {};
  const hidden: readonly string[] = EMAIL_FIELDS[type] ?? [];
  return Object.fromEntries(Object.entries(metadata as object).filter(([name]) => !hidden.includes(name)));
}
