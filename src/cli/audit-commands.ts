/** What operators ask at night: why a session ended, and what has happened lately. */
import { listAuditEvents } from '../admin/audit-log.js';
import { everyRow } from '../admin/page.js';
import { AdminRefusal } from '../admin/refusal.js';
import { sessionsNamed, tellSession } from '../admin/session-story.js';
import { findSession } from '../admin/sessions.js';
import { EVENT_TYPES } from '../audit/events.js';
import { type Command, command } from './command.js';
import { oneOf, optional, repeated, text, wholeNumberIn, word } from './parameters.js';

export const auditCommands: Record<string, Command> = {
  'session explain': command({
    on: 'database',
    takes: { name: word('JTI|FAMILY|EMAIL', 'name a session by a jti, its family, or the e-mail of its user') },
    run: async (context, { name }) => {
      const now = context.clock.now();
      const families = await sessionsNamed(context, name);
      if (families.length === 0) throw new AdminRefusal('session_unknown', 'There is no such session');
      const stories = families.map(async (id) => {
        const session = await findSession(context.db.admin, id, now);
        if (session === undefined) return []; // swept meanwhile
        const events = await everyRow((page) => tellSession(context, session, page, now));
        return events.map((event) => ({
          session: session.id,
          created_at: event.createdAt.toISOString(),
          kind: event.kind,
          jti: event.jti,
          ip_address: event.ipAddress,
          user_agent: event.userAgent,
          detail: event.detail,
        }));
      });
      return (await Promise.all(stories)).flat();
    },
  }),
  'audit tail': command({
    on: 'database',
    takes: {
      lines: optional('N', wholeNumberIn(1, 100)),
      type: repeated('EVENT_TYPE', oneOf(EVENT_TYPES)),
      email: optional('E', text),
      'user-id': optional('ID', text),
      ip: optional('ADDRESS', text),
    },
    run: async (context, { lines = 20, type: types, email, 'user-id': userId, ip: ipAddress }) => {
      const filter = { eventTypes: types.length > 0 ? types : undefined, email, userId, ipAddress };
      const { rows } = await listAuditEvents(context, filter, { first: lines });
      return rows.reverse().map(({ row }) => ({
        created_at: row.createdAt.toISOString(),
        event_type: row.eventType,
        user_id: row.userId,
        ip_address: row.ipAddress,
        user_agent: row.userAgent,
        metadata: row.metadata,
      }));
    },
  }),
};
