/** Interface 9: `session …`. */
import { COMMAND_LINE } from '../admin/administer.js';
import { wordFor } from '../admin/login-explanation.js';
import { sessionsNamed, tellSession } from '../admin/session-timeline.js';
import { findSession, listSessions, revokeSession, type Session } from '../admin/sessions.js';
import { findUser, unknownUser, userIdOf } from '../admin/users.js';
import { everyRow } from '../listing/page.js';
import { AdminRefusal } from '../listing/refusal.js';
import { isUuid } from '../platform/ids.js';
import { type Command, command } from './command.js';
import type { Contexts } from './context.js';
import { text } from './kinds.js';
import { word } from './parameters.js';
import { type Printable, say } from './terminal.js';
import { USER } from './user-word.js';

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
        text('JTI|FAMILY|EMAIL|ID'),
        'a refresh token, a session, or the user of several, by e-mail or ID',
        'name a session by a jti, its family, or its user, by e-mail or ID',
      ),
    },
    run: async (context, { name, json }) => {
      const now = context.clock.now();
      const { families, total, userId } = await sessionsNamed(context, name);
      if (families.length === 0) {
        if (userId === undefined) throw unknown(name);
        await tellWithoutSession(context, userId);
        return json ? [] : undefined;
      }
      const found = await Promise.all(families.map((id) => findSession(context.db.admin, id, now)));
      const sessions = found.filter((session) => session !== undefined); // others are swept meanwhile
      const stolen = (session: Session) => Number(session.endReason === 'token_theft');
      sessions.sort((a, b) => stolen(b) - stolen(a)); // of the others the newest stays the first
      if (total > families.length)
        say(
          context.terminal,
          `the newest ${families.length} of ${total} sessions; name one by its family_id to see another`,
        );
      const stories = sessions.map(async (session) => {
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

function unknown(name: string): AdminRefusal {
  if (!isUuid(name)) return unknownUser();
  return new AdminRefusal('session_unknown', 'There is no session of this token or family, and no user of this ID');
}

/** A user may never have logged in, or not for long. */
async function tellWithoutSession(context: Contexts['database'], id: string): Promise<void> {
  const user = await findUser(context, id);
  if (user === undefined) return; // deleted meanwhile
  const { command } = context.terminal;
  const login =
    user.lastLoginAt === null
      ? 'has never logged in'
      : `logged in last at ${user.lastLoginAt.toISOString()}, and records are kept until a day after they expire`;
  const failures = `${user.failedLoginAttempts} failed logins since the last good one`;
  say(context.terminal, `there is no session: ${user.email} ${login}; ${failures}`);
  say(context.terminal, `why they cannot log in: ${command} user explain ${wordFor(user)}`);
}

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
