/** The filters and the order of the list of users, which are in its address. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { go, pathTo, place, setQuery } from '../../../kit/location.js';
import { Select } from '../../../kit/select.js';
import type { OrderDirection, UserFilter, UserOrderField, UserOrdering } from '../../operations.js';
import { isRole, ROLES } from '../user/facts.js';

/** The states that can be asked for, with their filters. */
export const STATES: Record<string, [name: string, filter: UserFilter]> = {
  active: ['Active', { isActive: true, isLocked: false }],
  deactivated: ['Deactivated', { isActive: false }],
  locked: ['Locked', { isLocked: true }],
  'no-password': ['Active, no password yet', { isActive: true, hasPassword: false }],
};

/** What the list can be sorted by: the direction at first, and the name of its column. */
export const ORDERS: Record<UserOrderField, [first: OrderDirection, name: string]> = {
  email: ['asc', 'E-mail'],
  last_login_at: ['desc', 'Last login'],
  created_at: ['desc', 'Created'],
};

export interface Asked {
  search: string;
  role: string;
  state: string;
  order: UserOrdering;
}

/** The filters in the query. What is none is left out. */
export function askedIn(query: URLSearchParams): Asked {
  const one = (name: string, isKnown: (value: string) => boolean): string => {
    const value = query.get(name) ?? '';
    return isKnown(value) ? value : '';
  };
  return {
    search: query.get('search') ?? '',
    role: one('role', isRole),
    state: one('state', (value) => Object.hasOwn(STATES, value)),
    order: orderIn(query),
  };
}

/** Such as `order=created_at:desc`; links of earlier versions have `orderBy=created_at`. */
function orderIn(query: URLSearchParams): UserOrdering {
  const [field = '', direction] = (query.get('order') ?? query.get('orderBy') ?? '').split(':');
  if (!Object.hasOwn(ORDERS, field)) return { field: 'email', direction: 'asc' };
  const known = field as UserOrderField;
  return { field: known, direction: direction === 'asc' || direction === 'desc' ? direction : ORDERS[known][0] };
}

export function filterOf({ search, role, state }: Asked): UserFilter {
  return { ...(search !== '' && { search }), ...(isRole(role) && { role }), ...STATES[state]?.[1] };
}

export function Filters({ asked }: { asked: Asked }) {
  const roles = Object.keys(ROLES).map((role) => [role, role] as const);
  const states = Object.entries(STATES).map(([state, [name]]) => [state, name] as const);
  return (
    <search aria-label="Users" class="user-filters">
      <SearchField search={asked.search} />
      <div class="field">
        <Select
          label="Role"
          value={asked.role}
          options={[['', 'All roles'], ...roles]}
          onChoose={(role) => setQuery({ role })}
        />
      </div>
      <div class="field">
        <Select
          label="State"
          value={asked.state}
          options={[['', 'All states'], ...states]}
          onChoose={(state) => setQuery({ state })}
        />
      </div>
    </search>
  );
}

/** How long the typing has to pause before it is searched for: milliseconds */
const PAUSE_MS = 300;

/** Searches while it is typed. The address follows, and the field follows the address. */
function SearchField({ search }: { search: string }) {
  const [text, setText] = useState(search);
  const asked = useRef(search);

  useEffect(() => {
    if (search === asked.current) return;
    asked.current = search;
    setText(search);
  }, [search]);

  useEffect(() => {
    const wanted = text.trim();
    if (wanted === asked.current) return;
    const timer = setTimeout(() => {
      asked.current = wanted;
      const { path, query } = place.peek();
      go(pathTo(path, { ...Object.fromEntries(query), search: wanted }), { replace: true });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);

  return (
    <div class="field">
      <label for="filter-search">Part of the e-mail</label>
      <input
        id="filter-search"
        type="search"
        value={text}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </div>
  );
}
