/** Imports users of another system from JSON lines. Either all of them are imported, or none. (Interface 9 and 15) */
import * as z from 'zod';
import { takenEmails } from '../auth/email/rows.js';
import type { Argon2Parameters } from '../config/config.js';
import { importFaultFinder } from '../credentials/passwords/hash-fault.js';
import { sql } from '../db/sql.js';
import { emailSchema } from '../domain/email.js';
import { ROLES } from '../domain/roles.js';
import { AdminRefusal } from '../listing/refusal.js';
import { hasFourDigitYear } from '../platform/clock.js';
import { uuidInTimeOrder } from '../platform/ids.js';
import type { Deps } from '../services.js';
import { administer, authorize, type Change, type Needs, type Operator } from './administer.js';
import { requireAllScopes } from './user-changes.js';
import { type ListedUser, usersById } from './users.js';

const A_TIME = 'must be a time such as 2026-01-31T09:00:00Z';

/** One line; `null` is the same as a missing member. */
function importedUserOf(own: Argon2Parameters) {
  const faultOf = importFaultFinder(own);
  const passwordHash = z.string('must be a string').superRefine(async (text, context) => {
    const fault = await faultOf(text);
    if (fault !== undefined) context.addIssue(`${fault}; import the user without it, and send a link`);
  });
  return z.strictObject(
    {
      email: emailSchema,
      role: z.enum(ROLES, `must be one of ${ROLES.join(', ')}`).nullish(),
      password_hash: passwordHash.nullish(),
      is_active: z.boolean('must be true or false').nullish(),
      created_at: z.iso
        .datetime({ offset: true, error: A_TIME, abort: true })
        .refine((text) => hasFourDigitYear(new Date(text)), A_TIME)
        .nullish(),
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys' ? `has unknown members: ${issue.keys.join(', ')}` : 'must be a JSON object',
    },
  );
}

type ImportedUser = z.infer<ReturnType<typeof importedUserOf>>;

export interface ImportLine {
  /** From 1 */
  line: number;
  user: ImportedUser;
}

export interface ImportFault {
  line: number;
  /** What is wrong with it; never a hash */
  message: string;
}

/**
 * The users in these lines, and every fault. Empty lines are ignored.
 * @param own parameters of the gateway, by which the costs of hashes are judged
 */
export async function readImport(
  lines: AsyncIterable<string> | Iterable<string>,
  own: Argon2Parameters,
): Promise<{ users: ImportLine[]; faults: ImportFault[] }> {
  const importedUser = importedUserOf(own);
  const users: ImportLine[] = [];
  const faults: ImportFault[] = [];
  const lineOfEmail = new Map<string, number>();
  let line = 0;
  for await (const text of lines) {
    line += 1;
    const json = line === 1 ? text.replace(/^\uFEFF/, '') : text;
    if (json.trim() === '') continue;
    const parsed = await importedUser.safeParseAsync(parseJson(json));
    if (!parsed.success) {
      faults.push(...parsed.error.issues.map((issue) => ({ line, message: sentenceOf(issue) })));
      continue;
    }
    const first = lineOfEmail.get(parsed.data.email);
    if (first !== undefined) faults.push({ line, message: `email is that of line ${first}` });
    else {
      lineOfEmail.set(parsed.data.email, line);
      users.push({ line, user: parsed.data });
    }
  }
  return { users, faults };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sentenceOf({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? `the line ${message}` : `${path.join('.')} ${message}`;
}

/** Lines of one request, whose body may have 64 KiB */
const MAX_LINES = 100;

/** Rows of one statement, which may have 65,535 parameters */
const BATCH = 1_000;

/**
 * Imports all users in one transaction, with `user_created` for each.
 * @param isTrial true: only looks for faults
 * @param report receives the number of users so far
 * @returns the faults that only the database knows, and then nothing is imported; and the new users by line
 */
export function importUsers(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  users: readonly ImportLine[],
  isTrial: boolean,
  report: (done: number) => void = () => undefined,
): Promise<{ faults: ImportFault[]; ids: string[] }> {
  return administer(deps, operator, importUsers.needs, async (change) => {
    if (users.some(({ user }) => user.role === 'admin')) requireAllScopes(change.scopes);
    const faults = await faultsOfTaken(change, users);
    const ids: string[] = [];
    if (faults.length > 0 || isTrial) return { faults, ids };
    for (let start = 0; start < users.length; start += BATCH) {
      ids.push(...(await writeUsers(change, users.slice(start, start + BATCH))));
      report(ids.length);
    }
    return { faults, ids };
  });
}
importUsers.needs = { scope: 'users:write' } satisfies Needs;

export interface Imported {
  /** By line; if there is one, nobody was imported */
  faults: ImportFault[];
  users: ListedUser[];
  /** Number of lines without a fault, and of those with a password */
  userCount: number;
  withPasswordCount: number;
}

/**
 * Imports the users of these lines, all or none.
 * @param isTrial true: only looks for faults
 * @throws {AdminRefusal} `invalid_lines`
 */
export async function importLines(
  deps: Deps<'clock' | 'config' | 'db'>,
  operator: Operator,
  lines: readonly string[],
  isTrial: boolean,
): Promise<Imported> {
  if (lines.length > MAX_LINES) {
    throw new AdminRefusal('invalid_lines', `lines has at most ${MAX_LINES} lines`, { argument: 'lines' });
  }
  await authorize(deps.db.admin, operator, importLines.needs); // before anything is said about hashes
  const { users, faults } = await readImport(lines, deps.config.argon2);
  const { faults: taken, ids } = await importUsers(deps, operator, users, isTrial || faults.length > 0);
  const found = [...faults, ...taken].toSorted((one, other) => one.line - other.line);
  const imported = await usersById(deps, ids);
  const faulty = new Set(taken.map(({ line }) => line));
  const right = users.filter(({ line }) => !faulty.has(line));
  return {
    faults: found,
    users: ids.flatMap((id) => imported.get(id) ?? []),
    userCount: right.length,
    withPasswordCount: right.filter(({ user }) => user.password_hash != null).length,
  };
}
importLines.needs = importUsers.needs;

async function faultsOfTaken({ db, now }: Change, users: readonly ImportLine[]): Promise<ImportFault[]> {
  const imported = users.map(({ user }) => user.email);
  const emails = new Set(await takenEmails(db, imported, now));
  const lines = users.filter(({ user }) => emails.has(user.email));
  return lines.map(({ line }) => ({ line, message: 'email is that of an existing user' }));
}

async function writeUsers({ now, secrets, audit }: Change, lines: readonly ImportLine[]): Promise<string[]> {
  const users = lines.map(({ user: { email, role, password_hash: passwordHash, is_active, created_at } }) => ({
    id: uuidInTimeOrder(now),
    email,
    role: role ?? 'viewer',
    passwordHash: passwordHash ?? null,
    passwordChosenByUser: passwordHash != null,
    isActive: is_active ?? true,
    createdAt: created_at == null ? now : sql<Date>`${created_at}::timestamptz`, // a Date has no microseconds
  }));
  await secrets.insertInto('users').values(users).execute();
  const created = ({ id, email, role }: (typeof users)[number]) =>
    ({ eventType: 'user_created', userId: id, metadata: { email, role } }) as const;
  await audit(...users.map(created));
  return users.map(({ id }) => id);
}
