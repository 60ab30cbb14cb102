/** Interface 9: `user …`. */
import { COMMAND_LINE } from '../admin/administer.js';
import { generatePassword, PASSWORD_RULE } from '../admin/passwords.js';
import {
  createUser,
  deleteUser,
  setUserActive,
  setUserPassword,
  setUserRole,
  unlockUser,
} from '../admin/user-changes.js';
import { findUsers, type ListedUser, userIdOf } from '../admin/users.js';
import type { User } from '../db/entities/user.js';
import { ROLES } from '../domain/roles.js';
import { everyRow } from '../listing/page.js';
import { type Command, command } from './command.js';
import type { Contexts } from './context.js';
import { oneOf, text, UsageError } from './kinds.js';
import { flag, required, word } from './parameters.js';
import { askHidden, type Printable, readAll, type Terminal } from './terminal.js';
import { tellLimited, userExplain } from './user-explain.js';
import { USER } from './user-word.js';

const EMAIL = word(text('EMAIL'), 'the e-mail that they log in with', 'name one e-mail', 'email');
const ROLE = required(oneOf(ROLES), 'what they may do');
const FROM_STDIN = flag(
  `read the password, ${PASSWORD_RULE}, from standard input; else a terminal is asked, and without one a password is made and printed`,
);

export const userCommands: Record<string, Command> = {
  'user create': command({
    does: 'makes a user',
    example: 'user create ada@example.com --role viewer',
    on: 'database',
    takes: { email: EMAIL, role: ROLE, 'password-stdin': FROM_STDIN },
    run: async (context, { email, role, 'password-stdin': fromStdin }) => {
      const { password, made } = await newPassword(context.terminal, fromStdin);
      const user = await createUser(context, COMMAND_LINE, { email, password, role });
      return { id: user.id, email: user.email, role: user.role, ...(made ? { password } : {}) };
    },
  }),
  'user list': command({
    does: 'lists every user, by e-mail',
    on: 'database',
    run: async (context) => (await everyRow((page) => findUsers(context, {}, page))).map(printable),
  }),
  'user set-role': command({
    does: 'gives a user another role',
    on: 'database',
    takes: { user: USER, role: ROLE },
    run: async (context, { user, role }) =>
      printable(await setUserRole(context, COMMAND_LINE, await userIdOf(context, user), role)),
  }),
  'user activate': changing(
    'lets a deactivated user log in again',
    async (context, id) => (await setUserActive(context, COMMAND_LINE, id, true)).user,
  ),
  'user deactivate': changing(
    'lets a user log in no more, and ends every session of theirs',
    async (context, id) => (await setUserActive(context, COMMAND_LINE, id, false)).user,
  ),
  'user unlock': command({
    does: 'lets a user who is locked by failed logins try again; a limit of addresses stays, and is told',
    on: 'database and limits',
    takes: { user: USER },
    run: async (context, { user }) => {
      const unlocked = await unlockUser(context, COMMAND_LINE, await userIdOf(context, user));
      await tellLimited(context, unlocked);
      return printable(unlocked);
    },
  }),
  'user explain': userExplain,
  'user set-password': command({
    does: 'sets a password, and ends every session of the user',
    on: 'database',
    takes: { user: USER, 'password-stdin': FROM_STDIN },
    run: async (context, { user, 'password-stdin': fromStdin }) => {
      const id = await userIdOf(context, user);
      const { password, made } = await newPassword(context.terminal, fromStdin);
      const { user: changed } = await setUserPassword(context, COMMAND_LINE, id, password);
      return { ...printable(changed), ...(made ? { password } : {}) };
    },
  }),
  'user delete': command({
    does: 'deletes a user, and ends every session of theirs; the audit log stays',
    on: 'database',
    takes: { user: USER },
    destroys: () => 'the user will be deleted for good',
    run: async (context, { user }) => ({
      deleted_id: await deleteUser(context, COMMAND_LINE, await userIdOf(context, user)),
    }),
  }),
};

/** A command that takes no more than the user whom it changes, and prints. */
function changing(does: string, change: (context: Contexts['database'], id: string) => Promise<User>): Command {
  return command({
    does,
    on: 'database',
    takes: { user: USER },
    run: async (context, { user }) => printable(await change(context, await userIdOf(context, user))),
  });
}

/** From standard input, or asked for on a terminal, or made. */
async function newPassword(terminal: Terminal, fromStdin: boolean): Promise<{ password: string; made: boolean }> {
  if (fromStdin) return { password: await readAll(terminal), made: false };
  if (!terminal.stdin.isTTY) return { password: generatePassword(), made: true };
  const password = await askHidden(terminal, `New password, ${PASSWORD_RULE}: `);
  if ((await askHidden(terminal, 'The same again: ')) !== password) throw new UsageError('the two passwords differ');
  return { password, made: false };
}

/** `isActive` is printed as `is_active`. */
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name;

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
  } satisfies { [Name in keyof ListedUser as Snake<Name>]: unknown };
}
