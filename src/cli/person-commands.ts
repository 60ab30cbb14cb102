/**
 * The commands `user export` and `user erase`, for people who ask what is stored about them, or to be forgotten.
 * (Interface 9 and 15)
 */
import { once } from 'node:events';
import { COMMAND_LINE } from '../admin/administer.js';
import { type Person, personIdOf, readPerson } from '../admin/person.js';
import { eraseUser } from '../admin/user-erasure.js';
import { type Command, command } from './command.js';
import { CliRefusal } from './refusal.js';
import { jsonLine, READER_CLOSED, type Terminal } from './terminal.js';
import { USER } from './user-parameter.js';

export const userExport: Command = command({
  summary: 'print all that is stored about a user, also a deleted one by ID, as JSON',
  example: 'user export ada@example.com',
  prints:
    'one document, also without `--json`: `{exported_at, id, user, emails, password_link, requested_link, known_devices, factors, recovery_codes, sessions, events, events_as_operator, failed_logins}`; `user` and the links are null if there is none, `recovery_codes` is the number of unused ones, a session has its `refresh_tokens`',
  on: 'database',
  takes: { user: USER },
  run: async (context, { user }) => {
    const id = await personIdOf(context, user);
    const exportedAt = context.clock.now();
    await write(context.terminal, documentOf(exportedAt, id, await readPerson(context, id)));
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

/** One JSON document; each row of a list has a line. */
async function* documentOf(exportedAt: Date, id: string, person: Person): AsyncGenerator<string> {
  const { user, emails, passwordLink, requestedLink, knownDevices, factors, recoveryCodes } = person;
  const links = { password_link: passwordLink, requested_link: requestedLink, known_devices: knownDevices };
  const second = { factors, recovery_codes: recoveryCodes };
  const single = { exported_at: exportedAt, id, user, emails, ...links, ...second };
  yield `${json(single).slice(0, -1)},\n`; // the lists are members of the same object
  yield* listOf('sessions', person.sessions);
  yield ',\n';
  yield* listOf('events', person.events);
  yield ',\n';
  yield* listOf('events_as_operator', person.eventsAsOperator);
  yield ',\n';
  yield* listOf('failed_logins', person.failedLogins);
  yield '}\n';
}

async function* listOf(name: string, pages: AsyncIterable<object[]>): AsyncGenerator<string> {
  yield `"${name}":[`;
  let separator = '\n';
  for await (const rows of pages) {
    yield separator + rows.map(json).join(',\n');
    separator = ',\n';
  }
  yield ']';
}

function json(value: object): string {
  return jsonLine(value).trimEnd();
}

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
