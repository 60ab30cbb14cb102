/** The filters of the audit log, as they are in the query of its address. */
import { ENDED_TOKEN, EVENT_TYPES, eventName, isEventType } from '../../events.js';
import type { AuditEventFilter } from '../../operations.js';

/** Their names in the query are those of GraphQL. */
export const FIELD_NAMES = {
  eventTypes: 'Event',
  isTheft: 'Event',
  email: 'E-mail',
  userId: 'User',
  actorId: 'Done by',
  entityId: 'Id',
  sessionId: 'Session id',
  ipAddress: 'Address',
  since: 'Since',
  until: 'Until',
} as const;

/** The values of `isTheft`: what of the type `token_theft` is a theft, and what is none. */
export const THEFTS: Record<string, string> = { true: eventName('token_theft'), false: ENDED_TOKEN };

export type Field = keyof typeof FIELD_NAMES;
export const FIELDS = Object.keys(FIELD_NAMES) as Field[];

/** The filter of GraphQL, whose times are text here */
export interface Filter extends AuditEventFilter {
  since?: string;
  until?: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export interface Chip {
  field: Field;
  value: string;
  /** What is left of the field without this chip */
  rest: string | undefined;
}

/** One for each filter, and one for each event type. */
export function chipsOf(query: URLSearchParams): Chip[] {
  return FIELDS.flatMap((field): Chip[] => {
    const value = query.get(field) ?? '';
    if (value === '') return [];
    if (field !== 'eventTypes') return [{ field, value, rest: undefined }];
    const types = typesIn(value);
    return types.map((type) => ({ field, value: type, rest: types.filter((other) => other !== type).join(',') }));
  });
}

function typesIn(text: string): string[] {
  const types = text.split(',').map((type) => type.trim());
  return [...new Set(types)].filter((type) => type !== '');
}

/** @returns the event types of a query with others added */
export function withTypes(query: URLSearchParams, added: readonly string[]): string {
  return [...new Set([...typesIn(query.get('eventTypes') ?? ''), ...added])].join(',');
}

/** A value that is wrong, and why. */
export interface WrongValue {
  text: string;
  value: string;
}

/** The filter of a query, and what is wrong with it: for most of that the gateway would find nothing, without saying why. */
export function readFilter(query: URLSearchParams): { filter: Filter; problems: WrongValue[] } {
  const problems: WrongValue[] = [];
  const filter: Filter = {};
  for (const field of FIELDS) {
    const value = query.get(field) ?? '';
    if (value === '') continue;
    if (field === 'eventTypes') {
      const types = typesIn(value);
      for (const type of types)
        if (!isEventType(type)) problems.push({ text: 'There is no such event type:', value: type });
      filter.eventTypes = types.filter(isEventType);
    } else if (field === 'isTheft') {
      if (!Object.hasOwn(THEFTS, value)) problems.push({ text: 'isTheft is neither true nor false:', value });
      filter.isTheft = value === 'true';
    } else if (field === 'since' || field === 'until') {
      const at = new Date(value);
      if (Number.isNaN(at.getTime())) problems.push({ text: `${FIELD_NAMES[field]} is not a time:`, value });
      else filter[field] = at.toISOString();
    } else {
      if ((field === 'userId' || field === 'sessionId') && !isUuid(value)) {
        problems.push({ text: `${FIELD_NAMES[field]} is not a UUID:`, value });
      }
      filter[field] = value;
    }
  }
  if (filter.since !== undefined && filter.until !== undefined && filter.until <= filter.since) {
    problems.push({ text: 'Until must be later than since, and is:', value: filter.until });
  }
  return { filter, problems };
}

/** Event types by subject, for choosing. */
export const TYPE_GROUPS = [
  ['Logins', ['login_success', 'login_failure', 'account_locked', 'logout']],
  ['Sessions', ['token_theft', 'session_confirmed', 'session_revoked', 'device_forgotten']],
  ['Passwords', EVENT_TYPES.filter((type) => /password/.test(type))],
  ['Second factors', EVENT_TYPES.filter((type) => /^(factor|recovery_code)/.test(type))],
  ['Users', EVENT_TYPES.filter((type) => type.startsWith('user_') && !/password/.test(type))],
  ['Keys', EVENT_TYPES.filter((type) => /^(api_key|cron_key|keyring)_/.test(type))],
  ['Webhooks', EVENT_TYPES.filter((type) => type.startsWith('webhook_'))],
] as const;
