/** The view Users: a list with filters, what can be done with those who are selected, and adding new ones. */
import { useState } from 'preact/hooks';
import { useAnswer, usePages } from '../../kit/answer.js';
import { can } from '../../kit/auth.js';
import { ExportAll } from '../../kit/export-all.js';
import { Foreign } from '../../kit/foreign.js';
import { ask } from '../../kit/graphql.js';
import { Heading } from '../../kit/heading.js';
import { go, Link, place, setQuery } from '../../kit/location.js';
import { type Column, countText, List } from '../../kit/table.js';
import { MaybeTime, Time } from '../../kit/time.js';
import { useAskedFor } from '../asked-for.js';
import { CountUsers, ListUsers, type UserOrderField, type UserOrdering } from '../operations.js';
import { pathOfUser, USERS } from '../paths.js';
import { type UserFacts, UserState } from './user/facts.js';
import { InviteDialog } from './user/invite.js';
import { AddManyDialog } from './users/add-many.js';
import { FORMATS } from './users/export-users.js';
import { askedIn, Filters, filterOf, ORDERS } from './users/filters.js';
import { SelectionBar, tickColumn, useSelection } from './users/selection.js';

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

type Adding = 'user' | 'invite' | 'import';

export function Users() {
  const asked = askedIn(place.value.query);
  const filter = filterOf(asked);
  const read = usePages(ListUsers, { first: 50, filter, order: asked.order }, (data) => data.users);
  const counted = useAnswer(CountUsers, { filter });
  const total = counted.problem === undefined ? counted.data?.users?.totalCount : undefined;
  const selection = useSelection(filter, read.rows);
  const [adding, setAdding] = useState<Adding>();
  useAskedFor((what) => can('users:write') && setAdding(what === 'invite' || what === 'import' ? what : 'user'));
  const isFiltered = Object.keys(filter).length > 0;
  const again = (): void => {
    read.reload();
    counted.reload();
  };
  const close = (): void => setAdding(undefined);
  return (
    <>
      <div class="bar">
        <Heading text="Users" />
        {can('users:write') && (
          <div class="row-actions">
            <button type="button" onClick={() => setAdding('import')}>
              Import
            </button>
            <button type="button" onClick={() => setAdding('invite')}>
              Invite many
            </button>
            <button type="button" class="main" onClick={() => setAdding('user')}>
              Invite user
            </button>
          </div>
        )}
      </div>
      <Filters asked={asked} />
      <p class="quiet user-count" role="status">
        {counted.problem === undefined ? countText(total, 'user') : 'Not counted'}
      </p>
      <SelectionBar selection={selection} total={total} onChanged={again} />
      <div class="user-list">
        <List
          caption="Users"
          columns={[can('users:write') && tickColumn(selection), ...columns(asked.order)]}
          read={read}
          keyOf={({ id }) => id}
          isMarked={({ id }) => selection.chosen.has(id)}
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
      <ExportAll
        formats={FORMATS}
        name="users"
        noun="user"
        command="auth-gateway user list --json"
        isDisabled={read.rows === undefined || read.rows.length === 0 || read.isLoading}
        total={total}
        read={async (page, signal) => (await ask(ListUsers, { ...page, filter, order: asked.order }, signal)).users}
      />
      {adding === 'user' && <InviteDialog onCreated={again} onClose={close} />}
      {(adding === 'invite' || adding === 'import') && <AddManyDialog kind={adding} onAdded={again} onClose={close} />}
    </>
  );
}
