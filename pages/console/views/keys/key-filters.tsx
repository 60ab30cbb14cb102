/** Which keys are shown: by their state and their service, as the query of the page says. */
import { useEffect, useRef } from 'preact/hooks';
import { place, setQuery } from '../../../kit/location.js';
import { Select } from '../../../kit/select.js';
import { useUniqueId } from '../../../kit/unique-id.js';
import type { ApiKeyFilter } from '../../operations.js';

const STATES: ReadonlyArray<[value: string, name: string]> = [
  ['', 'Valid'],
  ['revoked', 'Revoked or expired'],
  ['all', 'All'],
];

/** The filter of both lists of keys. Without a state in the query only valid keys are shown. */
export function keyFilter(): ApiKeyFilter {
  const { query } = place.value;
  const state = query.get('state');
  const service = query.get('service');
  return {
    ...(state === 'all' ? {} : { live: state !== 'revoked' }),
    ...(service === null ? {} : { serviceName: service }),
  };
}

export function KeyFilters() {
  const id = useUniqueId();
  const { query } = place.value;
  const state = query.get('state') ?? '';
  const service = query.get('service') ?? '';
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current !== null) input.current.value = service;
  }, [service]);
  const filterByService = (): void => {
    const wanted = input.current?.value.trim() ?? '';
    // As it is by now: Enter changes the field and submits the form.
    if (wanted !== (place.peek().query.get('service') ?? '')) setQuery({ service: wanted });
  };
  return (
    <search aria-label="Keys">
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          filterByService();
        }}
      >
        <div class="field">
          <Select label="State" value={state} options={STATES} onChoose={(chosen) => setQuery({ state: chosen })} />
        </div>
        <div class="field">
          <label for={`${id}-service`}>Service</label>
          <input
            id={`${id}-service`}
            ref={input}
            type="search"
            placeholder="The exact name"
            autocomplete="off"
            spellcheck={false}
            defaultValue={service}
            onChange={filterByService}
          />
        </div>
      </form>
    </search>
  );
}
