/** Every list in every order: how its rows are stored, and how they are ordered by definition. (Interface 24) */
import fc from 'fast-check';
import type { TestGateway } from '../support/gateway/gateway.js';
import { type As, dataOf } from '../support/gateway/graphql.js';

export interface On {
  gateway: TestGateway;
  /** An administrator, whose token stays valid when the tables are emptied */
  as: As;
}

export const USER = '00000000-0000-7000-8000-000000000001';
export const SESSION = '00000000-0000-7000-8000-000000000002';

/** What a row has to be ordered by. Times are some microseconds after `START`, so that no Date could tell them apart. */
export interface Row {
  id: string;
  email: string;
  service: string;
  early: number;
  late: number | null;
}

const START = '2026-01-01T00:00:00.000';
export const timeOf = (micros: number) => `${START}${String(100 + micros)}Z`;
const never = (micros: number | null) => (micros === null ? 'never' : timeOf(micros));

export interface List {
  type: string;
  /** The query of the list */
  query(args: string, fields: string): string;
  table: string;
  /** Inserts rows, of the table `rows` (id, email, service, early, late) */
  insert: string;
  /** Deletes those with the ids $1 */
  remove: string;
  /** By field: the direction in which cursors are older, their key, and the name with which they end */
  orders: Record<string, ['asc' | 'desc', (row: Row) => string[], string?]>;
  /** Of the order without the argument */
  usual: string;
}

const root = (field: string) => (args: string, fields: string) => `{ data: ${field}${args} { ${fields} } }`;

const keyList = (field: string, table: string, columns: string, values: string): List => ({
  type: 'KeyOrdering',
  query: root(field),
  table,
  insert: `insert into ${table} (key_id, service_name, scopes, created_at, last_used_at, ${columns})
    select id, service, '{}', early, late, ${values} from rows`,
  remove: `delete from ${table} where key_id = any($1)`,
  orders: {
    created_at: ['asc', ({ early, id }) => [timeOf(early), id]],
    service_name: ['asc', ({ service, id }) => [service, id], 'service_name'],
    last_used_at: ['desc', ({ late, id }) => [never(late), id], 'last_used_at'],
  },
  usual: 'created_at',
});

export const TOKEN = `insert into refresh_tokens (jti, user_id, family_id, user_agent, ip_address, created_at, session_started_at,
  expires_at, revoked, revoked_reason)`;

export const LISTS: Record<string, List> = {
  users: {
    type: 'UserOrdering',
    query: root('users'),
    table: 'users',
    insert: `insert into users (id, email, role, created_at, last_login_at)
      select id::uuid, email, 'viewer', early, late from rows`,
    remove: 'delete from users where id = any($1::uuid[])',
    orders: {
      email: ['asc', ({ email }) => [email]],
      created_at: ['desc', ({ early, id }) => [timeOf(early), id], 'created_at'],
      last_login_at: ['desc', ({ late, id }) => [never(late), id], 'last_login_at'],
    },
    usual: 'email',
  },
  sessions: {
    type: 'SessionOrdering',
    query: root('sessions'),
    table: 'refresh_tokens',
    insert: `${TOKEN} select gen_random_uuid(), gen_random_uuid(), id::uuid, '', '', early, early, '2100-01-01', false, null from rows`,
    remove: 'delete from refresh_tokens where family_id = any($1::uuid[])',
    orders: { started_at: ['desc', ({ id }) => [id]] },
    usual: 'started_at',
  },
  'sessions of a user': {
    type: 'UserSessionOrdering',
    query: (args, fields) => `{ user(id: "${USER}") { data: sessions${args} { ${fields} } } }`,
    table: 'refresh_tokens',
    insert: `${TOKEN}
      select gen_random_uuid(), '${USER}'::uuid, id::uuid, '', '', early, early, '2100-01-01'::timestamptz, true, 'rotated' from rows
      union all
      select gen_random_uuid(), '${USER}', id::uuid, '', '', coalesce(late, early), early, '2100-01-01', false, null from rows`,
    remove: 'delete from refresh_tokens where family_id = any($1::uuid[])',
    orders: {
      last_used_at: ['desc', ({ early, late, id }) => [timeOf(late ?? early), id]],
      started_at: ['desc', ({ early, id }) => [timeOf(early), id], 'started_at'],
    },
    usual: 'last_used_at',
  },
  apiKeys: keyList('apiKeys', 'api_keys', 'rate_limit, sealed_secret', `1, 'x'`),
  cronKeys: keyList('cronKeys', 'cron_keys', 'secret_sha256', `'x'`),
  webhooks: {
    type: 'WebhookOrdering',
    query: root('webhooks'),
    table: 'webhooks',
    insert: `with stored as (
        insert into webhooks (id, url, include_emails, sealed_secret, created_at)
        select id::uuid, 'https://example.com/', false, 'x', early from rows returning id
      )
      insert into outbox_cursors (id, kind, front_at, front_id, settled_at, settled_id, paused_at, paused_by)
      select id, 'webhook', now(), id, now(), id, now(), 'operator' from stored`,
    remove: `with gone as (delete from outbox_cursors where id = any($1::uuid[]))
      delete from webhooks where id = any($1::uuid[])`,
    orders: { created_at: ['asc', ({ early, id }) => [timeOf(early), id]] },
    usual: 'created_at',
  },
  auditEvents: {
    type: 'AuditEventOrdering',
    query: root('auditEvents'),
    table: 'audit_events',
    insert: `insert into audit_events (id, event_type, ip_address, metadata, created_at)
      select id::uuid, case when late is null then 'logout' else 'login_failure' end, '', '{}', early from rows`,
    remove: 'delete from audit_events where id = any($1::uuid[])',
    orders: { created_at: ['desc', ({ early, id }) => [timeOf(early), id]] },
    usual: 'created_at',
  },
  'events of a session': {
    type: '',
    query: (args, fields) => `{ session(id: "${SESSION}") { data: events${args} { ${fields} } } }`,
    table: 'refresh_tokens',
    insert: `${TOKEN} select id::uuid, '${USER}', '${SESSION}', '', '', early, '${timeOf(0)}', '2100-01-01', late is not null,
      case when late is not null then 'rotated' end from rows`,
    remove: 'delete from refresh_tokens where jti = any($1::uuid[])',
    orders: { at: ['asc', ({ early, late, id }) => [timeOf(early), late === null ? '1' : '0', id]] },
    usual: 'at',
  },
};
export const NAMES = Object.keys(LISTS);
export const listOf = (name: string): List => LISTS[name] as List;

/** Each list with each field and direction. */
export const ORDERS = Object.entries(LISTS).flatMap(([name, { type, orders }]) =>
  Object.entries(orders).flatMap(([field, [usual]]) =>
    (type === '' ? [usual] : (['asc', 'desc'] as const)).map((direction) => [name, field, direction] as const),
  ),
);

export async function store(on: On, list: List, rows: Row[]): Promise<void> {
  const times = rows.map((row) => ({
    ...row,
    early: timeOf(row.early),
    late: row.late === null ? null : timeOf(row.late),
  }));
  await on.gateway.rows(
    `with rows as (select * from jsonb_to_recordset($1) as r (id text, email text, service text, early timestamptz, late timestamptz))
     ${list.insert.startsWith('with ') ? list.insert.replace('with ', ', ') : list.insert}`,
    [JSON.stringify(times)],
  );
}

export async function empty(on: On, list: List): Promise<void> {
  if (list.table === 'webhooks') await on.gateway.rows(`delete from outbox_cursors where kind = 'webhook'`);
  await on.gateway.rows(`delete from ${list.table}`);
  if (list.type === 'UserSessionOrdering') {
    await on.gateway.rows(
      `insert into users (id, email, role) values ('${USER}', 'u@example.com', 'viewer') on conflict do nothing`,
    );
  }
}

export interface Shown {
  edges: Array<{ cursor: string; node: { id: string } }>;
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

export type Args = Record<string, string | number | null>;

export const literal = (args: Args, order?: string) => {
  const given = Object.entries(args).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  if (order !== undefined) given.push(`order: ${order}`);
  return given.length > 0 ? `(${given.join(', ')})` : '';
};
export const FIELDS = 'edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

export async function read(on: On, list: List, args: Args, order?: string): Promise<Shown> {
  const data = await dataOf(on.gateway, on.as, list.query(literal(args, order), FIELDS));
  return data.data ?? data.user?.data ?? data.session.data;
}

export const orderText = (list: List, field: string, direction: string) =>
  list.type === '' ? undefined : `{field: ${field}, direction: ${direction}}`;

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The order by definition: by each part of the key, what has never been is last. */
function compare(list: List, field: string, direction: 'asc' | 'desc'): (a: Row, b: Row) => number {
  const keyOf = list.orders[field]?.[1] ?? (() => []);
  const sign = direction === 'asc' ? 1 : -1;
  return (a, b) => {
    const [these, those] = [keyOf(a), keyOf(b)];
    const last = Number(these[0] === 'never') - Number(those[0] === 'never');
    return last || sign * (these.map((part, i) => compareTexts(part, those[i] ?? '')).find((c) => c !== 0) ?? 0);
  };
}

/** The cursor of a row, as clients hold it. */
export function cursorOf(list: List, field: string, direction: string, row: Row): string {
  const [usual, keyOf, named] = list.orders[field] ?? ['asc', () => []];
  const name = direction === usual ? named : `${field} ${direction}`;
  return Buffer.from(JSON.stringify([...keyOf(row), ...(name === undefined ? [] : [name])])).toString('base64url');
}

/** Distinct rows; some have equal times and names. */
const someRows = fc
  .array(fc.record({ service: fc.constantFrom('a', 'b', 'B'), early: fc.nat(3), late: fc.option(fc.nat(3)) }), {
    minLength: 12,
    maxLength: 12,
  })
  .map((rows) =>
    rows.map((row, n): Row => {
      const scattered = ((n * 7919) % 4096).toString(16).padStart(8, '0');
      return { ...row, id: `${scattered}-0000-4000-8000-000000000000`, email: `u${(n * 31) % 97}x@example.com` };
    }),
  );

const steps = fc.array(
  fc.record({ isBackward: fc.boolean(), size: fc.integer({ min: 1, max: 4 }), changed: fc.nat(11) }),
  { minLength: 7, maxLength: 7 },
);

/** An event that is no rotation is the newest record of its session; only one is. */
export const fitting = (name: string, rows: Row[]): Row[] =>
  name === 'events of a session' ? rows.map((row, i) => ({ ...row, late: i === 0 ? null : 1 })) : rows;

const idIn = (name: string, { node }: Shown['edges'][number]) =>
  name === 'events of a session' ? node.id.slice(0, 36) : node.id;

export type OrderOfList = (typeof ORDERS)[number];

/** Pages of any size, forward and backward, have each row once, with the cursor that clients hold. */
export async function expectWholeWalks(on: On, [name, field, direction]: OrderOfList, numRuns: number): Promise<void> {
  const list = listOf(name);
  await fc.assert(
    fc.asyncProperty(someRows, fc.integer({ min: 1, max: 6 }), async (drawn, size) => {
      const rows = fitting(name, drawn);
      await empty(on, list);
      await store(on, list, rows);
      const expected = rows
        .toSorted(compare(list, field, direction))
        .map((row) => [row.id, cursorOf(list, field, direction, row)]);
      for (const isBackward of [false, true]) {
        const found: string[][] = [];
        let cursor: string | null = null;
        for (let hasMore = true; hasMore; ) {
          const args: Args = isBackward ? { last: size, before: cursor } : { first: size, after: cursor };
          const { edges, pageInfo } = await read(on, list, args, orderText(list, field, direction));
          const page = edges.map((edge) => [idIn(name, edge), edge.cursor]);
          found.splice(isBackward ? 0 : found.length, 0, ...page);
          hasMore = isBackward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage;
          cursor = isBackward ? pageInfo.startCursor : pageInfo.endCursor;
        }
        expect({ isBackward, found }).toEqual({ isBackward, found: expected });
      }
      if (field === list.usual && direction === list.orders[field]?.[0]) {
        const { edges } = await read(on, list, {});
        expect(edges.map((edge) => [idIn(name, edge), edge.cursor])).toEqual(expected);
      }
    }),
    { numRuns },
  );
}

/** To and fro while rows come and go, each page is next to the one before it. */
export async function expectToAndFro(on: On, [name, field, direction]: OrderOfList, numRuns: number): Promise<void> {
  const list = listOf(name);
  const sorted = compare(list, field, direction);
  await fc.assert(
    fc.asyncProperty(someRows, steps, async (drawn, taken) => {
      const rows = fitting(name, drawn);
      const present = new Set(rows.slice(0, 9)); // the others come later
      await empty(on, list);
      await store(on, list, [...present]);
      let ends: { start: Row; end: Row } | undefined;
      for (const { isBackward, size, changed } of taken) {
        const cursor = ends && (isBackward ? ends.start : ends.end);
        const all = [...present].toSorted(sorted);
        const beyond = all
          .filter((row) => cursor === undefined || sorted(row, cursor) < 0 === isBackward)
          .filter((row) => row !== cursor);
        const expected = isBackward ? beyond.slice(-size) : beyond.slice(0, size);
        const at = cursor === undefined ? null : cursorOf(list, field, direction, cursor);
        const args: Args = isBackward ? { last: size, before: at } : { first: size, after: at };
        const { edges, pageInfo } = await read(on, list, args, orderText(list, field, direction));
        expect(edges.map((edge) => idIn(name, edge))).toEqual(expected.map(({ id }) => id));
        const isMore = beyond.length > size;
        expect(pageInfo).toEqual({
          hasNextPage: isBackward ? cursor !== undefined : isMore,
          hasPreviousPage: isBackward ? isMore : cursor !== undefined,
          startCursor: edges[0]?.cursor ?? null,
          endCursor: edges.at(-1)?.cursor ?? null,
        });
        const [start, end] = [expected[0], expected.at(-1)];
        ends = start && end && { start, end };
        const row = rows[changed];
        if (row === undefined || (name === 'events of a session' && row.late === null)) continue;
        if (present.delete(row)) await on.gateway.rows(list.remove, [[row.id]]);
        else {
          present.add(row);
          await store(on, list, [row]);
        }
      }
    }),
    { numRuns },
  );
}
