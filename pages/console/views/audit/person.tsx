/** A field for a person: by e-mail, of which a part is enough to choose from. An id can be pasted. */
import { useState } from 'preact/hooks';
import { useAsked } from '../../../kit/answer.js';
import { ask } from '../../../kit/graphql.js';
import { AuditSuggested } from '../../operations.js';

/** Below so many characters nobody is suggested */
const LEAST = 2;

export function PersonField({ id, onInput }: { id: string; onInput(): void }) {
  const [text, setText] = useState('');
  const { data } = useAsked(`suggested ${text}`, async (signal) =>
    text.length < LEAST ? [] : (await ask(AuditSuggested, { search: text }, signal)).users?.nodes,
  );
  return (
    <>
      <input
        id={id}
        name="value"
        list={`${id}-people`}
        placeholder="E-mail or id"
        autocomplete="off"
        spellcheck={false}
        required
        aria-describedby={`${id}-problem`}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value.trim());
          onInput();
        }}
      />
      <datalist id={`${id}-people`}>
        {data?.map((person) => (
          <option key={person.id} value={person.email} />
        ))}
      </datalist>
    </>
  );
}

/** @returns the id of who has the e-mail, or of the only one whose e-mail has the text; undefined if there is none */
export async function idOfPerson(text: string): Promise<string | undefined> {
  const people = (await ask(AuditSuggested, { search: text })).users?.nodes ?? [];
  const exact = people.find(({ email }) => email === text.toLowerCase());
  return (exact ?? (people.length === 1 ? people[0] : undefined))?.id;
}
