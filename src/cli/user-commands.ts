/** CONTRACT 9: `user …`. */
import { COMMAND_LINE } from '../admin/administer.js';
import { generatePassword } from '../admin/passwords.js';
import {
  createUser,
  listUsers,
  setUserActive,
  setUserPassword,
  setUserRole,
  unlockUser,
  userIdOf,
} from '../admin/users.js';
import type { User } from '../db/entities/user.js';
import { isRole, ROLES, type Role } from '../roles.js';
import { UsageError, type Words } from './arguments.js';
import { type Command, command } from './command.js';
import type { Contexts } from './context.js';
import { askHidden, type Printable, readAll, type Terminal } from './terminal.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** Whom a command is about: `--email E`, `--id ID`, or either by itself. */
const WHO = { options: { email: text, id: text }, positionals: 1 };
const WHO_USAGE = '--email E | --id ID';
const PASSWORD_USAGE = '[--password-stdin]';

export const userCommands: Record<string, Command> = {
  'user create': command({
    on: 'database',
    usage: `--email E --role ${ROLES.join('|')} ${PASSWORD_USAGE}`,
    options: { email: text, role: text, 'password-stdin': flag },
    run: async (context, words) => {
      const email = words.required('email');
      const role = roleOf(words);
      const { password, made } = await newPassword(words, context.terminal);
      const user = await createUser(context, COMMAND_LINE, { email, password, role });
      return { id: user.id, email: user.email, role: user.role, ...(made ? { password } : {}) };
    },
  }),
  'user list': command({
    on: 'database',
    usage: '',
    run: async (context) => (await listUsers(context)).map(printable),
  }),
  'user set-role': command({
    on: 'database',
    usage: `${WHO_USAGE} --role ${ROLES.join('|')}`,
    ...WHO,
    options: { ...WHO.options, role: text },
    run: async (context, words) => {
      const role = roleOf(words);
      return printable(await setUserRole(context, COMMAND_LINE, await who(context, words), role));
    },
  }),
  'user activate': command({
    on: 'database',
    usage: WHO_USAGE,
    ...WHO,
    run: async (context, words) =>
      printable(await setUserActive(context, COMMAND_LINE, await who(context, words), true)),
  }),
  'user deactivate': command({
    on: 'database',
    usage: WHO_USAGE,
    ...WHO,
    run: async (context, words) =>
      printable(await setUserActive(context, COMMAND_LINE, await who(context, words), false)),
  }),
  'user unlock': command({
    on: 'database',
    usage: WHO_USAGE,
    ...WHO,
    run: async (context, words) => printable(await unlockUser(context, COMMAND_LINE, await who(context, words))),
  }),
  'user set-password': command({
    on: 'database',
    usage: `${WHO_USAGE} ${PASSWORD_USAGE}`,
    ...WHO,
    options: { ...WHO.options, 'password-stdin': flag },
    run: async (context, words) => {
      const id = await who(context, words);
      const { password, made } = await newPassword(words, context.terminal);
      const user = await setUserPassword(context, COMMAND_LINE, id, password);
      return { ...printable(user), ...(made ? { password } : {}) };
    },
  }),
};

function who(context: Contexts['database'], words: Words): Promise<string> {
  const named = [words.option('email'), words.option('id'), ...words.positionals].filter((name) => name !== undefined);
  const [name] = named;
  if (name === undefined || named.length > 1) throw new UsageError('name one user, by --email or --id');
  return userIdOf(context, name);
}

function roleOf(words: Words): Role {
  const role = words.required('role');
  if (!isRole(role)) throw new UsageError(`--role is one of ${ROLES.join(', ')}`);
  return role;
}

/** From standard input, or asked for on a terminal, or made. */
async function newPassword(words: Words, terminal: Terminal): Promise<{ password: string; made: boolean }> {
  if (words.flag('password-stdin')) return { password: await readAll(terminal), made: false };
  if (!terminal.stdin.isTTY) return { password: generatePassword(), made: true };
  const password = await askHidden(terminal, 'New password: ');
  if ((await askHidden(terminal, 'The same again: ')) !== password) throw new UsageError('the two passwords differ');
  return { password, made: false };
}

function printable(user: User): Printable {
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
