/** The commands `session …`. (Interface 9) */
import { COMMAND_LINE } from '../admin/administer.js';
import { sessionEvents, sessionsNamed } from '../admin/session-timeline.js';
import { findSession, listSessions, revokeSession, type Session } from '../admin/sessions.js';
import { findUser, unknownUser, userIdOf, wordFor } from '../admin/users.js';
import { everyRow, NO_ROWS } from '../listing/page.js';
import { AdminRefusal } from '../listing/refusal.js';
import { isUuid } from '../platform/ids.js';
import { type Command, command } from './command.js';
import type { Contexts } from './context.js';
import { text } from './parameter-types.js';
import { word } from './parameters.js';
import { type Printable, printMessage } from './terminal.js';
import { USER } from './user-parameter.js';

const SESSION_JSON =
  '`{id, user_id, started_at, last_used_at, expires_at, ended_at, end_reason, is_live, ip_address, user_agent}`';

export const sessionCommands: Record<string, Command> = {
  'session list': command({
    summary: 'list the sessions of a user, most recently used first',
    prints: SESSION_JSON,
    on: 'database',
    takes: { user: USER },
    run: async (context, { user }) => {
      const [id, now] = [await userIdOf(context, user), context.clock.now()];
      const sessions = await everyRow(
        async (page) => (await listSessions(context.db, [id], page, now)).get(id) ?? NO_ROWS,
      );
      return sessions.map(printable);
    },
  }),
  'session revoke': command({
    summary: 'end a session; its user has to log in again',
    prints: SESSION_JSON,
    on: 'database',
    takes: { id: word(text('ID'), 'the session ID, as printed by session list', 'name one session by its ID') },
    run: async (context, { id }) => printable(await revokeSession(context, COMMAND_LINE, undefined, id)),
  }),
  'session explain': command({
    summary: 'show the events of a session, and why it ended',
    example: 'session explain ada@example.com',
    prints: '`{session_id, created_at, kind, jti, ip_address, user_agent, detail}` of each event',
    on: 'database',
    takes: {
      name: word(
        text('JTI|FAMILY|EMAIL|ID'),
        'the jti of a refresh token, a session ID, or a user, by e-mail or ID',
        'name a session by a jti, its ID, or its user',
      ),
    },
    run: async (context, { name, json }) => {
      const now = context.clock.now();
      const { families, total, userId } = await sessionsNamed(context, name);
      if (families.length === 0) {
        if (userId === undefined) throw unknown(name);
        await reportNoSession(context, userId);
        return json ? [] : undefined;
      }
      const found = await Promise.all(families.map((id) => findSession(context.db.admin, id, now)));
      const sessions = found.filter((session) => session !== undefined); // the others have been swept in the meantime
      const stolen = (session: Session) => Number(session.endReason === 'token_theft');
      sessions.sort((a, b) => stolen(b) - stolen(a)); // the others stay newest first
      if (total > families.length)
        printMessage(
          context.terminal,
          `these are the newest ${families.length} of ${total} sessions; to see another, name it by its ID`,
        );
      const timelines = sessions.map(async (session) => {
        const events = await everyRow((page) => sessionEvents(context, session, page, now));
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
      return (await Promise.all(timelines)).flat();
    },
  }),
};

function unknown(name: string): AdminRefusal {
  if (!isUuid(name)) return unknownUser();
  return new AdminRefusal('session_unknown', 'There is no session, refresh token or user with this ID');
}

/** The user has never logged in, or all records have been swept. */
async function reportNoSession(context: Contexts['database'], id: string): Promise<void> {
  const user = await findUser(context, id);
  if (user === undefined) return; // deleted in the meantime
  const { command } = context.terminal;
  const login =
    user.lastLoginAt === null
      ? 'has never logged in'
      : `last logged in at ${user.lastLoginAt.toISOString()}; records are deleted a day after they expire`;
  const failures = `${user.failedLoginAttempts} failed logins since the last successful one`;
  printMessage(context.terminal, `no sessions: ${user.email} ${login}; ${failures}`);
  printMessage(context.terminal, `to find out why they cannot log in: ${command} user explain ${wordFor(user)}`);
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
