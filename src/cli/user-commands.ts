/** The commands `user …`. (Interface 9) */
import { COMMAND_LINE } from '../admin/administer.js';
import { issuePasswordLink, mailPasswordLink } from '../admin/password-links.js';
import { generatePassword, PASSWORD_RULE } from '../admin/passwords.js';
import {
  createUser,
  deleteUser,
  setUserActive,
  setUserEmail,
  setUserPassword,
  setUserRole,
  unlockUser,
} from '../admin/user-changes.js';
import { findUser, findUsers, type ListedUser, unknownUser, userIdOf } from '../admin/users.js';
import type { LinkPurpose } from '../domain/link-purpose.js';
import { ROLES } from '../domain/roles.js';
import { everyRow } from '../listing/page.js';
import { SILENT } from '../platform/logger.js';
import { type Command, command } from './command.js';
import type { Contexts } from './context.js';
import { userDevices, userForgetDevice } from './device-commands.js';
import { userResetFactors } from './factor-commands.js';
import { oneOf, text, UsageError } from './parameter-types.js';
import { flag, required, word } from './parameters.js';
import { userErase, userExport } from './person-commands.js';
import { CliRefusal } from './refusal.js';
import { askHidden, type Printable, readAll, type Terminal } from './terminal.js';
import { reportLimits, userExplain } from './user-explain.js';
import { userImport } from './user-import.js';
import { USER } from './user-parameter.js';

const EMAIL = word(text('EMAIL'), 'the e-mail to log in with', 'name one e-mail', 'email');
const ROLE = required(oneOf(ROLES), 'the role');
const MAIL = flag('mail the link to the user instead of printing it; MAIL must be on');
const FROM_STDIN = flag(
  `read the password, ${PASSWORD_RULE}, from standard input; by default ask on a terminal, or generate and print one without a terminal`,
);

const USER_JSON =
  '`{id, email, role, is_active, has_password, failed_login_attempts, locked_until, last_login_at, created_at}`';
const LINK_JSON =
  '`{id, email, role, purpose, link, expires_at}`; with `--mail` `mailed: true` in the place of `link`. A user without a password gets an invitation';

export const userCommands: Record<string, Command> = {
  'user create': command({
    summary: 'create a user',
    example: 'user create ada@example.com --role viewer',
    prints:
      '`{id, email, role}`, and `password` if it was generated: without `--password-stdin` and without a terminal',
    on: 'database',
    takes: { email: EMAIL, role: ROLE, 'password-stdin': FROM_STDIN },
    run: async (context, { email, role, 'password-stdin': fromStdin }) => {
      const { password, made } = await newPassword(context.terminal, fromStdin);
      const user = await createUser(context, COMMAND_LINE, { email, password, role });
      return { id: user.id, email: user.email, role: user.role, ...(made ? { password } : {}) };
    },
  }),
  'user invite': command({
    summary: 'create a user without a password, and print a link by which they choose one',
    example: 'user invite ada@example.com --role viewer',
    prints: LINK_JSON,
    on: 'database',
    takes: { email: EMAIL, role: ROLE, mail: MAIL },
    run: async (context, { email, role, mail }) => {
      if (mail) requireMail(context);
      const user = await createUser(context, COMMAND_LINE, { email, role });
      return linkFor(context, user, 'invitation', mail);
    },
  }),
  'user reset-link': command({
    summary: 'print a link by which a user sets a new password, or the first one if they have none',
    example: 'user reset-link ada@example.com',
    prints: LINK_JSON,
    on: 'database',
    takes: { user: USER, mail: MAIL },
    run: async (context, { user: name, mail }) => {
      const user = await findUser(context, await userIdOf(context, name));
      if (user === undefined) throw unknownUser(); // deleted at this moment
      const purpose = user.hasPassword ? 'reset' : 'invitation';
      return linkFor(context, user, purpose, mail);
    },
  }),
  'user import': userImport,
  'user list': command({
    summary: 'list all users, by e-mail',
    prints: USER_JSON,
    on: 'database',
    run: async (context) => (await everyRow((page) => findUsers(context, {}, page))).map(printable),
  }),
  'user set-role': command({
    summary: 'change the role of a user',
    prints: USER_JSON,
    on: 'database',
    takes: { user: USER, role: ROLE },
    run: async (context, { user, role }) =>
      printable(await setUserRole(context, COMMAND_LINE, await userIdOf(context, user), role)),
  }),
  'user set-email': command({
    summary: 'change the e-mail of a user; sessions stay, and a password link ends',
    example: 'user set-email ada@example.com --to ada.lovelace@example.com',
    prints: USER_JSON,
    on: 'database',
    takes: { user: USER, to: required(text('EMAIL'), 'the new e-mail') },
    run: async (context, { user, to }) =>
      printable(await setUserEmail(context, COMMAND_LINE, await userIdOf(context, user), to)),
  }),
  'user activate': changing(
    'allow a deactivated user to log in again',
    async (context, id) => (await setUserActive(context, COMMAND_LINE, id, true)).user,
  ),
  'user deactivate': changing(
    'prevent a user from logging in, and end all their sessions',
    async (context, id) => (await setUserActive(context, COMMAND_LINE, id, false)).user,
  ),
  'user unlock': command({
    summary: 'unlock a user after failed logins; address limits stay and are reported',
    prints: USER_JSON,
    on: 'database and limits',
    takes: { user: USER },
    run: async (context, { user }) => {
      const unlocked = await unlockUser(context, COMMAND_LINE, await userIdOf(context, user));
      await reportLimits(context, unlocked);
      return printable(unlocked);
    },
  }),
  'user explain': userExplain,
  'user devices': userDevices,
  'user forget-device': userForgetDevice,
  'user reset-factors': userResetFactors,
  'user set-password': command({
    summary: 'set the password of a user in an emergency, and end all their sessions',
    prints: `${USER_JSON}, and \`password\` if it was generated`,
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
    summary: 'delete a user, and end all their sessions; the audit log stays',
    prints: '`{deleted_id}`',
    on: 'database',
    takes: { user: USER },
    destroys: () => 'the user will be deleted; this cannot be undone',
    run: async (context, { user }) => ({
      deleted_id: await deleteUser(context, COMMAND_LINE, await userIdOf(context, user)),
    }),
  }),
  'user export': userExport,
  'user erase': userErase,
};

/** A command that changes a user and prints them. */
function changing(
  summary: string,
  change: (context: Contexts['database'], id: string) => Promise<ListedUser>,
): Command {
  return command({
    summary,
    prints: USER_JSON,
    on: 'database',
    takes: { user: USER },
    run: async (context, { user }) => printable(await change(context, await userIdOf(context, user))),
  });
}

/** Reads the password from standard input, asks on a terminal, or generates one. */
async function newPassword(terminal: Terminal, fromStdin: boolean): Promise<{ password: string; made: boolean }> {
  if (fromStdin) return { password: await readAll(terminal), made: false };
  if (!terminal.stdin.isTTY) return { password: generatePassword(), made: true };
  const password = await askHidden(terminal, `New password, ${PASSWORD_RULE}: `);
  if ((await askHidden(terminal, 'Repeat the password: ')) !== password)
    throw new UsageError('the passwords do not match');
  return { password, made: false };
}

/** @throws {CliRefusal} before anything is changed */
function requireMail({ config }: Pick<Contexts['database'], 'config'>): void {
  if (config.mail.kind === 'off') throw new CliRefusal('MAIL is off', 'set MAIL, or leave --mail out');
}

/** Prints a link, or has the running gateway mail it. */
async function linkFor(
  context: Contexts['database'],
  { id, email, role }: Pick<ListedUser, 'id' | 'email' | 'role'>,
  purpose: LinkPurpose,
  isMailed: boolean,
): Promise<Printable> {
  if (!isMailed) {
    const { link, expiresAt } = await issuePasswordLink(context, COMMAND_LINE, id, purpose);
    return { id, email, role, purpose, link, expires_at: expiresAt.toISOString() };
  }
  requireMail(context);
  const { openKeyring } = await import('../credentials/keyring/keyring.js');
  const keyring = await openKeyring(context.config.keyringFile, context.clock, SILENT);
  try {
    const expiresAt = await mailPasswordLink({ ...context, keyring }, COMMAND_LINE, id, purpose);
    return { id, email, role, purpose, mailed: true, expires_at: expiresAt.toISOString() };
  } finally {
    await keyring.close();
  }
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
    has_password: user.hasPassword,
    failed_login_attempts: user.failedLoginAttempts,
    locked_until: user.lockedUntil?.toISOString() ?? null,
    last_login_at: user.lastLoginAt?.toISOString() ?? null,
    created_at: user.createdAt.toISOString(),
  } satisfies { [Name in keyof Omit<ListedUser, 'isLocked'> as Snake<Name>]: unknown };
}
