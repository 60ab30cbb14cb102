/** What is stored about a person, as one JSON document. (Interface 15 and 21) */
import type { Person } from './person.js';

/**
 * One JSON document; each row of a list has a line.
 * @param json the JSON of a row
 */
export async function* documentOf(
  exportedAt: Date,
  id: string,
  person: Person,
  json: (row: object) => string = JSON.stringify,
): AsyncGenerator<string> {
  const { user, emails, passwordLink, requestedLink, emailChange, emailUndos } = person;
  const links = { password_link: passwordLink, requested_link: requestedLink };
  const changes = { email_change: emailChange, email_undos: emailUndos };
  const proofs = {
    known_devices: person.knownDevices,
    factors: person.factors,
    recovery_codes: person.recoveryCodes,
  };
  const single = { exported_at: exportedAt, id, user, emails, ...links, ...changes, ...proofs };
  yield `${json(single).slice(0, -1)},\n`; // the lists are members of the same object
  yield* listOf('sessions', person.sessions, json);
  yield ',\n';
  yield* listOf('events', person.events, json);
  yield ',\n';
  yield* listOf('events_as_operator', person.eventsAsOperator, json);
  yield ',\n';
  yield* listOf('failed_logins', person.failedLogins, json);
  yield '}\n';
}

async function* listOf(
  name: string,
  pages: AsyncIterable<object[]>,
  json: (row: object) => string,
): AsyncGenerator<string> {
  yield `"${name}":[`;
  let separator = '\n';
  for await (const rows of pages) {
    yield separator + rows.map((row) => json(row)).join(',\n');
    separator = ',\n';
  }
  yield ']';
}
