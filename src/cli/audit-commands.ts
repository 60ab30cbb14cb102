/** What operators ask at night: why a session ended, and what has happened lately. */
import { listAuditEvents } from '../admin/audit-log.js';
import { everyRow } from '../admin/page.js';
import { AdminRefusal } from '../admin/refusal.js';
import { sessionsNamed, tellSession } from '../admin/session-story.js';
import { findSession } from '../admin/sessions.js';
import { EVENT_TYPES } from '../audit/events.js';
import { UsageError } from './arguments.js';
import { type Command, command } from './command.js';

const text = { type: 'string' } as const;

export const auditCommands: Record<string, Command> = {
  'session explain': command({
    on: 'database',
    usage: 'JTI|FAMILY|EMAIL',
    positionals: 1,
    run: async (context, { positionals: [name] }) => {
      if (name === undefined) throw new UsageError('name a session by a jti, its family, or the e-mail of its user');
      const now = context.clock.now();
      const families = await sessionsNamed(context, name);
      if (families.length === 0) throw new AdminRefusal('session_unknown', 'There is no such session');
      const stories = families.map(async (id) => {
        const session = await findSession(context.db.admin, id, now);
        if (session === undefined) return []; // swept meanwhile
        const steps = await everyRow((page) => tellSession(context, session, page, now));
        return steps.map((step) => ({
          session: session.id,
          at: step.at.toISOString(),
          what: step.what,
          jti: step.jti,
          ip_address: step.ipAddress,
          user_agent: step.userAgent,
          detail: step.detail,
        }));
      });
      return (await Promise.all(stories)).flat();
    },
  }),
  'audit tail': command({
    on: 'database',
    usage: '[--lines N] [--type EVENT_TYPE…] [--email E] [--user-id ID] [--ip ADDRESS]',
    options: { lines: text, type: { type: 'string', multiple: true }, email: text, 'user-id': text, ip: text },
    run: async (context, words) => {
      const lines = words.option('lines') ?? '20';
      if (!/^[1-9]\d?$|^100$/.test(lines)) throw new UsageError('--lines is 1 to 100');
      const types = words.all('type').map((name) => {
        const type = EVENT_TYPES.find((known) => known === name);
        if (type === undefined) throw new UsageError(`--type is one of ${EVENT_TYPES.join(', ')}`);
        return type;
      });
      const filter = {
        ...(types.length > 0 && { eventTypes: types }),
        email: words.option('email'),
        userId: words.option('user-id'),
        ipAddress: words.option('ip'),
      };
      const { rows } = await listAuditEvents(context, filter, { first: Number(lines) });
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
