/** The command `user import`. (Interface 9) */
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { COMMAND_LINE } from '../admin/administer.js';
import type { ImportFault } from '../admin/user-import.js';
import { type Command, command } from './command.js';
import { file as fileType } from './parameter-types.js';
import { flag, word } from './parameters.js';
import { CliRefusal } from './refusal.js';
import { printMessage } from './terminal.js';

/** Faults that are printed; all are counted. */
const PRINTED_FAULTS = 1_000;

export const userImport: Command = command({
  summary: 'import users of another system from JSON lines, all of them or none',
  example: 'user import users.jsonl --dry-run',
  prints: '`{imported, with_password, without_password}`; each faulty line, with its number, on standard error',
  on: 'database',
  takes: {
    file: word(
      fileType,
      'one {email, role?, password_hash?, is_active?, created_at?} a line; - reads standard input',
      'name one file',
    ),
    'dry-run': flag('look for faults only'),
  },
  run: async (context, { file, 'dry-run': isTrial }) => {
    const { importUsers, readImport } = await import('../admin/user-import.js'); // with the libraries of hashes
    const { terminal } = context;
    const lines = file === '-' ? createInterface({ input: terminal.stdin }) : (await open(file)).readLines();
    const { users, faults } = await readImport(lines, context.config.argon2);
    const report = (done: number): void => {
      if (terminal.stderr.isTTY) printMessage(terminal, `${done} of ${users.length} users`);
    };
    const tried = await importUsers(context, COMMAND_LINE, users, isTrial || faults.length > 0, report);
    const found = [...faults, ...tried.faults];
    if (found.length > 0) refuse(found, (line) => printMessage(terminal, line));
    const withPassword = users.filter(({ user }) => user.password_hash != null).length;
    return {
      imported: isTrial ? 0 : users.length,
      with_password: withPassword,
      without_password: users.length - withPassword,
    };
  },
});

/** Reports each fault by its line. @throws {CliRefusal} */
function refuse(faults: ImportFault[], print: (line: string) => void): never {
  const sorted = faults.toSorted((one, other) => one.line - other.line);
  for (const { line, message } of sorted.slice(0, PRINTED_FAULTS)) print(`line ${line}: ${message}`);
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  throw new CliRefusal(`${count}; nothing was imported`);
}
