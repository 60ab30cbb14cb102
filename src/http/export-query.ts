/** The filters of exports as parameters of the query, parsed once. (Interface 24) */
import * as z from 'zod';
import type { UserFilter } from '../admin/users.js';
import { EVENT_TYPES } from '../audit/events.js';
import type { ExportRequest } from '../audit/export.js';
import { ROLES } from '../domain/roles.js';
import { isText } from '../platform/text.js';

const text = z.string().refine(isText, 'must be text without NUL');
const flag = z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive', error: 'must be true or false' });
const time = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-01-31T09:00:00Z' })
  .transform((written) => new Date(written))
  .refine((instant) => instant.getUTCFullYear() >= 1, 'must be in the year 1 or later');

/** A list is repeated or has commas. */
export const AUDIT_FILTER = {
  eventTypes: z.array(z.enum(EVENT_TYPES, 'must be event types')),
  isTheft: flag,
  userId: text,
  ipAddress: text,
  email: text,
  actorId: text,
  entityId: text,
  sessionId: text,
  since: time,
  until: time,
  after: text,
} satisfies Record<keyof ExportRequest, z.ZodType>;

export const USER_FILTER = {
  ids: z.array(text),
  search: text,
  role: z.enum(ROLES, 'must be a role'),
  isActive: flag,
  isLocked: flag,
  hasPassword: flag,
} satisfies Record<keyof UserFilter, z.ZodType>;

export type Filter = Record<string, z.ZodType>;
export type Asked<F extends Filter> = z.infer<z.ZodObject<{ [Name in keyof F]: z.ZodOptional<F[Name]> }>>;

/** What was asked for, or a sentence about what does not fit, which repeats nothing that was sent. */
export function parseQuery<F extends Filter>(
  filter: F,
  query: URLSearchParams,
): { asked: Asked<F> } | { fault: string } {
  const names = [...new Set(query.keys())];
  if (!names.every((name) => Object.hasOwn(filter, name))) {
    return { fault: `The query may have ${Object.keys(filter).join(', ')} alone` };
  }
  const values = new Map<string, string | string[] | undefined>();
  for (const name of names) {
    const [value, ...more] = query.getAll(name);
    const isList = filter[name] instanceof z.ZodArray;
    if (!isList && more.length > 0) return { fault: `${name} must be there once` };
    values.set(name, isList ? query.getAll(name).flatMap((list) => list.split(',')) : value);
  }
  const parsed = z.object(filter).partial().safeParse(Object.fromEntries(values));
  if (parsed.success) return { asked: parsed.data as Asked<F> };
  const [
    {
      path: [name],
      message,
    } = { path: [], message: '' },
  ] = parsed.error.issues;
  return { fault: `${String(name)} ${message}` };
}
