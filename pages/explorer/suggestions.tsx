/** The fields or arguments that may stand at the cursor, as buttons that insert them. */
import type { GraphQLSchema } from 'graphql';
import type { RefObject } from 'preact';
import { completionsAt } from './completions.js';
import { insert } from './editor.js';

interface Props {
  schema: GraphQLSchema;
  query: string;
  cursor: number;
  editor: RefObject<HTMLTextAreaElement>;
}

export function Suggestions({ schema, query, cursor, editor }: Props) {
  const place = completionsAt(schema, query, cursor);
  const fitting = place?.options.filter(({ name }) => name.startsWith(place.begun)) ?? [];
  const take = (name: string): void => {
    if (editor.current !== null) insert(editor.current, name, cursor - (place?.begun.length ?? 0));
  };
  return (
    <div class="suggestions">
      <p class="quiet">
        {place === undefined
          ? 'Put the cursor inside braces to see the fields that fit there.'
          : fitting.length === 0
            ? `No field or argument of ${place.of} fits at the cursor.`
            : `Fields or arguments of ${place.of}:`}
      </p>
      <ul class="row" aria-label="At the cursor">
        {fitting.map(({ name, type, description }) => (
          <li key={name}>
            <button type="button" class="small" title={description ?? ''} onClick={() => take(name)}>
              {name} <span class="quiet">{String(type)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Takes the only suggestion, or goes to the first, from which Tab and Enter choose. */
export function suggestIn(form: HTMLFormElement): void {
  const buttons = form.querySelectorAll<HTMLButtonElement>('.suggestions button');
  if (buttons.length === 1) buttons[0]?.click();
  else buttons[0]?.focus();
}
