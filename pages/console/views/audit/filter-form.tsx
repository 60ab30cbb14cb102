/** A filter to add: which one, and its value. */
import { useState } from 'preact/hooks';
import { problemOf } from '../../../kit/graphql.js';
import { place, setQuery } from '../../../kit/location.js';
import { Problem } from '../../../kit/problem.js';
import { Select } from '../../../kit/select.js';
import { useUniqueId } from '../../../kit/unique-id.js';
import { EVENT_TYPES, eventName } from '../../events.js';
import type { AuditEventType } from '../../operations.js';
import { FIELD_NAMES, FIELDS, type Field, isUuid, THEFTS, TYPE_GROUPS, withTypes } from './filters.js';
import { idOfPerson, PersonField } from './person.js';

/** Ids of API keys and cron keys, which may be actors too */
const KEY = /^[ac]k_/;
const OPTIONS = FIELDS.filter((field) => field !== 'isTheft').map((field) => [field, FIELD_NAMES[field]] as const);

export function FilterForm() {
  const [field, setField] = useState<Field>('eventTypes');
  const [problem, setProblem] = useState('');
  const id = useUniqueId();
  const isPerson = field === 'userId' || field === 'actorId';
  const choose = (chosen: Field): void => {
    setField(chosen);
    setProblem('');
  };
  const add = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const value = String(new FormData(form).get('value')).trim();
    if (value === '') return;
    setProblem('');
    if (isPerson && !isUuid(value) && !KEY.test(value)) {
      try {
        const found = await idOfPerson(value);
        if (found === undefined) return setProblem('No user, or more than one, has this in their e-mail.');
        setQuery({ [field]: found });
      } catch (error) {
        const known = problemOf(error);
        return setProblem(known instanceof Problem ? known.message : 'Something went wrong in this page.');
      }
    } else if (field !== 'eventTypes') setQuery({ [field]: queryValue(field, value) });
    else if (value in THEFTS) setQuery({ isTheft: value, eventTypes: undefined });
    else setQuery({ eventTypes: typesWith(value), isTheft: undefined });
    const input = form.elements.namedItem('value');
    if (input instanceof HTMLInputElement) input.value = '';
  };
  return (
    <form class="stack add-filter" onSubmit={add}>
      <div>
        <Select label="Filter by" value={field} options={OPTIONS} onChoose={choose} />
      </div>
      <div>
        <label for={`${id}-value`}>{FIELD_NAMES[field]}</label>
        {field === 'eventTypes' ? (
          <select id={`${id}-value`} name="value">
            {TYPE_GROUPS.map(([subject, types]) => (
              <optgroup key={subject} label={subject}>
                <option value={types.join(',')}>{subject}: all of these</option>
                {types.flatMap(optionsOf).map(([option, name]) => (
                  <option key={option} value={option}>
                    {name}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        ) : isPerson ? (
          <PersonField key={field} id={`${id}-value`} onInput={() => setProblem('')} />
        ) : (
          <input
            key={field}
            id={`${id}-value`}
            name="value"
            type={field === 'since' || field === 'until' ? 'datetime-local' : 'text'}
            autocomplete="off"
            spellcheck={false}
            required
          />
        )}
      </div>
      <button type="submit">Add filter</button>
      <p class="error" id={`${id}-value-problem`} role="alert">
        {problem}
      </p>
    </form>
  );
}

/** Values for the query, with their names. */
function optionsOf(type: AuditEventType): Array<[value: string, name: string]> {
  return type === 'token_theft' ? Object.entries(THEFTS) : [[type, eventName(type)]];
}

/** The chosen event types and others; none if those are all. */
function typesWith(added: string): string {
  const types = withTypes(place.value.query, added.split(','));
  return types.split(',').length >= EVENT_TYPES.length ? '' : types;
}

/** A time is that of the reader's clock. */
function queryValue(field: Field, value: string): string {
  if (field !== 'since' && field !== 'until') return value;
  return new Date(value).toISOString();
}
