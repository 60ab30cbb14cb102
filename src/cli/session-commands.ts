/** Interface 9: `session …`. */
import { COMMAND_LINE } from '../admin/administer.js';
import { everyRow } from '../admin/page.js';
import { AdminRefusal } from '../admin/refusal.js';
import { sessionsNamed, tellSession } from '../admin/session-story.js';
import { findSession, listSessions, revokeSession, type Session } from '../admin/sessions.js';
import { userIdOf } from '../admin/users.js';
import { type Command, command } from './command.js';
import { text } from './kinds.js';
import { word } from './parameters.js';
import type { Printable } from './terminal.js';
import { USER } from './user-commands.js';

export const sessionCommands: Record<string, Command> = {
  'session list': command({
    does: 'lists the sessions of a user, the last used first',
    on: 'database',
    takes: { user: USER },
    run: async (context, { user }) => {
      const [id, now] = [await userIdOf(context, user), context.clock.now()];
      const none = { rows: [], hasNextPage: false };
      const sessions = await everyRow(
        async (page) => (await listSessions(context.db, [id], page, now)).get(id) ?? none,
      );
      return sessions.map(printable);
    },
  }),
  'session revoke': command({
    does: 'ends a session: whoever it belongs to logs in again',
    on: 'database',
    takes: { id: word(text('ID'), 'the ID of the session, as session list shows it', 'name the session by its ID') },
    run: async (context, { id }) => printable(await revokeSession(context, COMMAND_LINE, undefined, id)),
  }),
  'session explain': command({
    does: 'tells what happened in a session, and so why it ended',
    example: 'session explain ada@example.com',
    on: 'database',
    takes: {
      name: word(
        text('JTI|FAMILY|EMAIL'),
        'a refresh token, a session, or the user of several',
        'name a session by a jti, its family, or the e-mail of its user',
      ),
    },
    run: async (context, { name }) => {
      const now = context.clock.now();
      const families = await sessionsNamed(context, name);
      if (families.length === 0)
        throw new AdminRefusal('session_unknown', 'There is no session of this token, family or user');
      const stories = families.map(async (id) => {
        const session = await findSession(context.db.admin, id, now);
        if (session === undefined) return []; // swept meanwhile
        const events = await everyRow((page) => tellSession(context, session, page, now));
        return events.map((event) => ({
          session_id: session.id,
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
};

function printable(session: Session): Printable {
  return {
    id: session.id,
    user_id: session.userId,
    started_at: session.startedAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    ended_at: session.endedAt?.toISOString() ?? null,
    end_reason: session.endReason,
    is_live: session.isLive,
    ip_address: session.ipAddress,
    user_agent: session.userAgent,
  };
}
