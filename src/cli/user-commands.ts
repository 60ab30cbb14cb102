/** CONTRACT 9: `user …`. */
import { COMMAND_LINE } from '../admin/administer.js';
import { everyRow } from '../admin/page.js';
import { generatePassword } from '../admin/passwords.js';
import { createUser, setUserActive, setUserPassword, setUserRole, unlockUser } from '../admin/user-changes.js';
import { findUsers, type ListedUser, userIdOf } from '../admin/users.js';
import type { User } from '../db/entities/user.js';
import { ROLES } from '../roles.js';
import { type Command, command } from './command.js';
import type { Contexts } from './context.js';
import { flag, oneOf, required, text, UsageError, word } from './parameters.js';
import { askHidden, type Printable, readAll, type Terminal } from './terminal.js';

const USER = word('EMAIL|ID', 'name one user, by --email or --id', 'email', 'id');
const ROLE = required(ROLES.join('|'), oneOf(ROLES));

export const userCommands: Record<string, Command> = {
  'user create': command({
    on: 'database',
    takes: { email: required('E', text), role: ROLE, 'password-stdin': flag },
    run: async (context, { email, role, 'password-stdin': fromStdin }) => {
      const { password, made } = await newPassword(context.terminal, fromStdin);
      const user = await createUser(context, COMMAND_LINE, { email, password, role });
      return { id: user.id, email: user.email, role: user.role, ...(made ? { password } : {}) };
    },
  }),
  'user list': command({
    on: 'database',
    run: async (context) => (await everyRow((page) => findUsers(context, {}, page))).map(printable),
  }),
  'user set-role': command({
    on: 'database',
    takes: { user: USER, role: ROLE },
    run: async (context, { user, role }) =>
      printable(await setUserRole(context, COMMAND_LINE, await userIdOf(context, user), role)),
  }),
  'user activate': changing(async (context, id) => (await setUserActive(context, COMMAND_LINE, id, true)).user),
  'user deactivate': changing(async (context, id) => (await setUserActive(context, COMMAND_LINE, id, false)).user),
  'user unlock': changing((context, id) => unlockUser(context, COMMAND_LINE, id)),
  'user set-password': command({
    on: 'database',
    takes: { user: USER, 'password-stdin': flag },
    run: async (context, { user, 'password-stdin': fromStdin }) => {
      const id = await userIdOf(context, user);
      const { password, made } = await newPassword(context.terminal, fromStdin);
      const { user: changed } = await setUserPassword(context, COMMAND_LINE, id, password);
      return { ...printable(changed), ...(made ? { password } : {}) };
    },
  }),
};

/** A command that takes no more than the user whom it changes, and prints. */
function changing(change: (context: Contexts['database'], id: string) => Promise<User>): Command {
  return command({
    on: 'database',
    takes: { user: USER },
    run: async (context, { user }) => printable(await change(context, await userIdOf(context, user))),
  });
}

/** From standard input, or asked for on a terminal, or made. */
async function newPassword(terminal: Terminal, fromStdin: boolean): Promise<{ password: string; made: boolean }> {
  if (fromStdin) return { password: await readAll(terminal), made: false };
  if (!terminal.stdin.isTTY) return { password: generatePassword(), made: true };
  const password = await askHidden(terminal, 'New password: ');
  if ((await askHidden(terminal, 'The same again: ')) !== password) throw new UsageError('the two passwords differ');
  return { password, made: false };
}

function printable(user: ListedUser): Printable {
  return {
    id: user.id,
    email: user.email,
    role: user.role,
    is_active: user.isActive,
    failed_login_attempts: user.failedLoginAttempts,
    locked_until: user.lockedUntil?.toISOString() ?? null,
    last_login_at: user.lastLoginAt?.toISOString() ?? null,
    created_at: user.createdAt.toISOString(),
  };
}
