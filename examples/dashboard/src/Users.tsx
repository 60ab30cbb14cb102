/** All users: the gateway filters, sorts and cuts into pages, the table shows. */
import { useQuery } from '@apollo/client/react';
import {
  createColumnHelper,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useEffect, useState } from 'react';
import { UsersDocument, type UsersQuery, type UsersQueryVariables } from './generated';
import { say, timeOf } from './words';

type User = NonNullable<UsersQuery['users']>['edges'][number]['node'];
type Filter = NonNullable<UsersQueryVariables['filter']>;
type Order = NonNullable<UsersQueryVariables['order']>;

const ROLES: Record<string, Filter> = {
  'all roles': {},
  ...{ admin: { role: 'admin' }, analyst: { role: 'analyst' }, viewer: { role: 'viewer' } },
};
const STATES: Record<string, Filter> = {
  'all states': {},
  ...{ active: { isActive: true }, locked: { isLocked: true }, deactivated: { isActive: false } },
};
const BY_EMAIL: SortingState = [{ id: 'email', desc: false }];
const NONE: User[] = []; // the table draws itself again for each new list

const features = tableFeatures({ rowSortingFeature });
const column = createColumnHelper<typeof features, User>();
/** The id of a column that sorts is a field of `order`. */
const columns = column.columns([
  column.accessor('email', { header: 'E-mail' }),
  column.accessor('role', { header: 'Role', enableSorting: false }),
  column.accessor(stateOf, { id: 'state', header: 'State', enableSorting: false }),
  column.accessor(({ createdAt }) => timeOf(createdAt), { id: 'created_at', header: 'Created' }),
  column.accessor(({ lastLoginAt }) => timeOf(lastLoginAt), { id: 'last_login_at', header: 'Last login' }),
]);

function stateOf({ isActive, isLocked }: User): string {
  if (!isActive) return 'deactivated';
  return isLocked ? 'locked' : 'active';
}

export function Users() {
  const [search, setSearch] = useState('');
  const [filter, setFilter] = useState<Filter>({});
  const [sorting, setSorting] = useState(BY_EMAIL);
  const [failed, setFailed] = useState<{ after: unknown; why: string }>();
  const [order] = sorting.map(({ id, desc }) => ({ field: id, direction: desc ? 'desc' : 'asc' }) as Order);

  const query = useQuery(UsersDocument, { variables: { order, filter: { ...filter, search: useRest(search) } } });
  // Rows stay until others come, or are refused.
  const users = (query.error ? query.data : (query.data ?? query.previousData))?.users;
  const after = users?.pageInfo.endCursor;
  const loadMore = () =>
    query.fetchMore({ variables: { after } }).catch((error) => setFailed({ after, why: say(error) }));
  const table = useTable({
    ...{ features, columns, data: users?.edges.map(({ node }) => node) ?? NONE, getRowId: ({ id }: User) => id },
    ...{ state: { sorting }, onSortingChange: setSorting, manualSorting: true, enableSortingRemoval: false },
  });
  const { rows } = table.getRowModel();

  return (
    <section aria-labelledby="users">
      <h2 id="users">Users</h2>
      <p>
        <label htmlFor="search">E-mail has</label>{' '}
        <input id="search" type="search" value={search} onChange={(event) => setSearch(event.target.value)} />{' '}
        <Choice label="Role" of={ROLES} onChoose={(role) => setFilter({ ...filter, role: null, ...role })} />{' '}
        <Choice
          label="State"
          of={STATES}
          onChoose={(state) => setFilter({ ...filter, isActive: null, isLocked: null, ...state })}
        />
      </p>
      <p role="alert">{query.error && say(query.error)}</p>
      {query.error && (
        <button type="button" onClick={() => query.refetch().catch(() => {})}>
          Try again
        </button>
      )}
      <div className="scrolls">
        <table>
          <thead>
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id}>
                {group.headers.map((header) => {
                  const { column } = header;
                  const sorted = { asc: 'ascending', desc: 'descending', none: undefined } as const;
                  return (
                    <th key={header.id} scope="col" aria-sort={sorted[column.getIsSorted() || 'none']}>
                      {column.getCanSort() ? (
                        <button type="button" onClick={column.getToggleSortingHandler()}>
                          <table.FlexRender header={header} />
                        </button>
                      ) : (
                        <table.FlexRender header={header} />
                      )}
                    </th>
                  );
                })}
              </tr>
            ))}
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                {row.getAllCells().map((cell) => (
                  <td key={cell.id}>
                    <table.FlexRender cell={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p>
        <span role="status">{users ? `${rows.length} ${totalOf(users)}` : query.loading && 'One moment'}</span>{' '}
        {users?.pageInfo.hasNextPage && (
          <button type="button" disabled={query.loading || !query.data} onClick={loadMore}>
            Load more
          </button>
        )}
      </p>
      <p role="alert">{failed && failed.after === after && failed.why}</p>
    </section>
  );
}

function totalOf({ totalCount }: NonNullable<UsersQuery['users']>): string {
  if (!totalCount) return '';
  return `of ${totalCount.precision === 'exact' ? '' : 'at least '}${totalCount.count}`;
}

/** @returns the text once nobody has typed for a moment */
function useRest(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), 300);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

interface ChoiceProps {
  label: string;
  of: Record<string, Filter>;
  onChoose(filter: Filter | undefined): void;
}

function Choice({ label, of, onChoose }: ChoiceProps) {
  return (
    <select aria-label={label} onChange={(event) => onChoose(of[event.target.value])}>
      {Object.keys(of).map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
