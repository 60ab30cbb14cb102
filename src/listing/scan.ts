/** Every row of a large table that a filter leaves, oldest first, for exports. (Interface 24) */
import { type RawBuilder, type Reads, sql } from '../db/sql.js';
import { exactTime } from './keyset.js';

/** A row in the order of a time and the id */
interface Place {
  /** In microseconds, as `exactTime` has it */
  at: string;
  id: string;
}

const BEGINNING: Place = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

interface Scan {
  table: 'audit_events' | 'users';
  /** Its column that orders the rows, before the id; both have an index and never change */
  time: 'written_at' | 'created_at';
  columns: RawBuilder<unknown>;
  after?: Place;
  /** A condition on time and id: up to where */
  until: RawBuilder<unknown>;
  where: RawBuilder<unknown>;
}

const PAGE_ROWS = 1_000;
/** Rows that one statement examines: a filter that leaves few rows of many must not run into the time limit. */
const EXAMINED_ROWS = 10_000;

/** Yields pages in one statement each, also empty ones, so that its reader can stop in between. */
export async function* scan<Row>(db: Reads, asked: Scan): AsyncGenerator<Array<Row & Place>> {
  const { table, time, columns, until, where } = asked;
  const exact = exactTime(sql.ref(time));
  const order = sql`order by ${sql.ref(time)}, id`;
  for (let after: Place | undefined = asked.after ?? BEGINNING; after !== undefined; ) {
    const { at, id }: Place = after;
    const examined = (selected: RawBuilder<unknown>) => sql`select ${selected} from ${sql.table(table)}
      where (${sql.ref(time)}, id) > (${at}::timestamptz, ${id}::uuid) and ${until} ${order}`;
    // One snapshot for rows and end: the sweeper may delete rows at any time, by which a later statement would skip others.
    const rows: Array<Row & Place & { lastExamined: Place | null }> = await db.read(sql`
      select found.*, (
        select json_build_object('at', ${exact}, 'id', id)
        from (${examined(sql`${sql.ref(time)}, id`)} offset ${EXAMINED_ROWS - 1} limit 1) as edge
      ) as "lastExamined"
      from (select) as page left join (
        select ${columns}, ${exact} as at
        from (${examined(sql`*`)} limit ${EXAMINED_ROWS}) as ${sql.table(table)}
        where ${where} ${order} limit ${PAGE_ROWS}
      ) as found on true
      order by found.at, found.id`);
    const lastExamined = rows[0]?.lastExamined ?? undefined;
    const found = rows.filter((row) => row.id !== null); // a row without an id has only where to go on
    yield found;
    after = found.length === PAGE_ROWS ? found.at(-1) : lastExamined;
  }
}
