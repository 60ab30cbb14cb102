/** Filters that a user has given a name, stored in this browser. */
import { useState } from 'preact/hooks';
import { announce } from '../../../kit/announce.js';
import { Link, place } from '../../../kit/location.js';
import { useUniqueId } from '../../../kit/unique-id.js';
import { AUDIT_LOG } from '../../paths.js';
import { readStored, store } from './stored.js';

const MOST = 20;
const NAME = 'filters';

type Saved = Array<[name: string, query: string]>;

function isSaved(stored: unknown): stored is Saved {
  return (
    Array.isArray(stored) &&
    stored.every((each) => Array.isArray(each) && each.length === 2 && each.every((text) => typeof text === 'string'))
  );
}

export function SavedFilters({ isSet }: { isSet: boolean }) {
  const id = useUniqueId();
  const [saved, setSaved] = useState(() => {
    const stored = readStored(NAME);
    return isSaved(stored) ? stored : [];
  });
  const change = (filters: Saved): void => {
    setSaved(filters);
    store(NAME, filters);
  };
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const name = String(new FormData(form).get('name')).trim();
    if (name === '') return;
    change([...saved.filter(([other]) => other !== name), [name, place.peek().query.toString()]].slice(-MOST) as Saved);
    form.reset();
    announce(`Saved the filters as ${name}, in this browser.`);
  };
  return (
    <>
      {saved.length > 0 && (
        <ul class="row chips" aria-label="Saved filters">
          {saved.map(([name, query]) => (
            <li key={name} class="chip">
              <Link to={`${AUDIT_LOG}?${query}`}>{name}</Link>
              <button
                type="button"
                class="remove"
                aria-label={`Forget the saved filters ${name}`}
                onClick={({ currentTarget }) => {
                  currentTarget.closest<HTMLElement>('.filter-panel')?.querySelector('select')?.focus();
                  change(saved.filter(([other]) => other !== name));
                }}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {isSet && (
        <form class="stack save-filters" onSubmit={save}>
          <label for={id}>Save these filters as</label>
          <input id={id} name="name" maxLength={40} autocomplete="off" required />
          <button type="submit">Save</button>
        </form>
      )}
    </>
  );
}
