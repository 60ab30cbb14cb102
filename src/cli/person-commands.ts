/**
 * The commands `user export` and `user erase`, for people who ask what is stored about them, or to be forgotten.
 * (Interface 9 and 15)
 */
import { once } from 'node:events';
import { COMMAND_LINE } from '../admin/administer.js';
import { personIdOf, readPerson } from '../admin/person.js';
import { documentOf } from '../admin/person-document.js';
import { eraseUser } from '../admin/user-erasure.js';
import { type Command, command } from './command.js';
import { CliRefusal } from './refusal.js';
import { jsonLine, READER_CLOSED, type Terminal } from './terminal.js';
import { USER } from './user-parameter.js';

export const userExport: Command = command({
  summary: 'print all that is stored about a user, also a deleted one by ID, as JSON',
  example: 'user export ada@example.com',
  prints:
    'one document, also without `--json`: `{exported_at, id, user, emails, password_link, requested_link, email_change, email_undos, known_devices, factors, recovery_codes, sessions, events, events_as_operator, failed_logins}`; `user` and the links are null if there is none, `recovery_codes` is the number of unused ones, a session has its `refresh_tokens`',
  on: 'database',
  takes: { user: USER },
  run: async (context, { user }) => {
    const id = await personIdOf(context, user);
    const exportedAt = context.clock.now();
    await write(context.terminal, documentOf(exportedAt, id, await readPerson(context, id), json));
    return undefined;
  },
});

export const userErase: Command = command({
  summary: 'delete a user, and replace their e-mail, addresses and user agents in the audit log by a pseudonym',
  example: 'user erase ada@example.com',
  prints: '`{erased_id, pseudonym, events}`, the number of changed audit events',
  on: 'database',
  takes: { user: USER },
  destroys: () => 'the user will be deleted and erased from the audit log; this cannot be undone',
  run: async (context, { user }) => {
    const id = await personIdOf(context, user);
    const { pseudonym, events } = await eraseUser(context, COMMAND_LINE, id);
    return { erased_id: id, pseudonym, events };
  },
});

/** @throws {CliRefusal} if it is stopped before the end */
async function write(terminal: Terminal, texts: AsyncIterable<string>): Promise<void> {
  const { stdout } = terminal;
  const stopped = terminal.stopSignal();
  for await (const text of texts) {
    if (!stdout.write(text) && !stopped.aborted) {
      await once(stdout, 'drain', { signal: stopped }).catch((error: unknown) => {
        if (!stopped.aborted) throw error;
      });
    }
    if (stopped.reason === READER_CLOSED) return;
    if (stopped.aborted) throw new CliRefusal('cancelled; the document is not complete');
  }
}

function json(value: object): string {
  return jsonLine(value).trimEnd();
}
