/** The view Users: a list with filters, and the invitation of a new one. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAnswer, usePages } from '../../kit/answer.js';
import { can } from '../../kit/auth.js';
import { Foreign } from '../../kit/foreign.js';
import { Heading } from '../../kit/heading.js';
import { go, Link, pathTo, place, setQuery } from '../../kit/location.js';
import { type Column, countText, List } from '../../kit/table.js';
import { MaybeTime, Time } from '../../kit/time.js';
import { useAskedFor } from '../asked-for.js';
import {
  CountUsers,
  ListUsers,
  type OrderDirection,
  type UserFilter,
  type UserOrderField,
  type UserOrdering,
} from '../operations.js';
import { pathOfUser, USERS } from '../paths.js';
import { isRole, ROLES, type UserFacts, UserState } from './user/facts.js';
import { InviteDialog } from './user/invite.js';

/** The states that can be asked for, with their filters. */
const STATES: Record<string, [name: string, filter: UserFilter]> = {
  active: ['Active', { isActive: true, isLocked: false }],
  deactivated: ['Deactivated', { isActive: false }],
  locked: ['Locked', { isLocked: true }],
};

/** What the list can be sorted by: the direction at first, and the name of its column. */
const ORDERS: Record<UserOrderField, [first: OrderDirection, name: string]> = {
  email: ['asc', 'E-mail'],
  last_login_at: ['desc', 'Last login'],
  created_at: ['desc', 'Created'],
};

function columns(order: UserOrdering): Column<UserFacts>[] {
  const sorted = (field: UserOrderField) => {
    const [first, name] = ORDERS[field];
    const direction = order.field === field ? order.direction : undefined;
    const next = direction === undefined ? first : direction === 'asc' ? 'desc' : 'asc';
    const onSort = (): void => setQuery({ order: `${field}:${next}`, orderBy: undefined });
    return { name, sort: { direction, onSort } };
  };
  return [
    {
      ...sorted('email'),
      isTarget: true,
      cell: ({ id, email }) => (
        <Link to={pathOfUser(id)} title={email}>
          <Foreign text={email} />
        </Link>
      ),
    },
    { name: 'Role', width: 'narrow', cell: ({ role }) => role },
    { name: 'State', width: 'time', cell: (user) => <UserState user={user} /> },
    {
      ...sorted('last_login_at'),
      width: 'time',
      cell: ({ lastLoginAt }) => <MaybeTime at={lastLoginAt} none="Never" />,
    },
    { ...sorted('created_at'), width: 'time', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
}

interface Asked {
  search: string;
  role: string;
  state: string;
  order: UserOrdering;
}

/** The filters in the query. What is none is left out. */
function askedIn(query: URLSearchParams): Asked {
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

function filterOf({ search, role, state }: Asked): UserFilter {
  return { ...(search !== '' && { search }), ...(isRole(role) && { role }), ...STATES[state]?.[1] };
}

export function Users() {
  const asked = askedIn(place.value.query);
  const filter = filterOf(asked);
  const read = usePages(ListUsers, { first: 50, filter, order: asked.order }, (data) => data.users);
  const count = useAnswer(CountUsers, { filter });
  const [isInviting, setInviting] = useState(false);
  useAskedFor(() => setInviting(can('users:write')));
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <div class="bar">
        <Heading text="Users" />
        {can('users:write') && (
          <button type="button" class="main" onClick={() => setInviting(true)}>
            Invite user
          </button>
        )}
      </div>
      <Filters asked={asked} />
      <p class="quiet user-count" role="status">
        {count.problem === undefined ? countText(count.data?.users?.totalCount, 'user') : 'Not counted'}
      </p>
      <div class="user-list">
        <List
          caption="Users"
          columns={columns(asked.order)}
          read={read}
          keyOf={({ id }) => id}
          empty={
            <>
              No user matches.{' '}
              {isFiltered && (
                <button type="button" class="small" onClick={() => go(USERS)}>
                  Show all users
                </button>
              )}
            </>
          }
        />
      </div>
      {isInviting && (
        <InviteDialog
          onCreated={() => {
            read.reload();
            count.reload();
          }}
          onClose={() => setInviting(false)}
        />
      )}
    </>
  );
}

function Filters({ asked }: { asked: Asked }) {
  return (
    <search aria-label="Users" class="user-filters">
      <SearchField search={asked.search} />
      <Choice
        name="role"
        label="Role"
        value={asked.role}
        options={[['', 'All roles'], ...Object.keys(ROLES).map((role): Option => [role, role])]}
      />
      <Choice
        name="state"
        label="State"
        value={asked.state}
        options={[['', 'All states'], ...Object.entries(STATES).map(([state, [name]]): Option => [state, name])]}
      />
    </search>
  );
}

type Option = [value: string, name: string];

interface ChoiceProps {
  /** Of the field of the query */
  name: string;
  label: string;
  value: string;
  /** An empty value leaves the field out of the query. */
  options: Option[];
}

function Choice({ name, label, value, options }: ChoiceProps) {
  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      <select
        id={`filter-${name}`}
        value={value}
        onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
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
