/** What work costs PostgreSQL, in figures that neighbours do not change much: bytes of log, CPU, statements, pages. */
import { cpuMicros } from '../bench/cpu.js';
import { refresh } from '../evidence/lab/browser.js';
import { inLanes } from '../evidence/lab/lanes.js';
import { postmasterOf } from '../evidence/lab/postgres-kills.js';
import type { PostgresServer } from '../evidence/lab/postgres-server.js';
import { withDescendants } from '../evidence/lab/program.js';

/** How many requests are in flight */
export const AT_ONCE = 64;

/** For `startPostgresServer`, if statements and pages are to be counted */
export const COUNTED = { shared_preload_libraries: 'pg_stat_statements' };

export interface Counts {
  /** Bytes of write-ahead log since the beginning of the cluster */
  walBytes: number;
  /** Of the gateways' */
  statements: number;
  /** Of the log, what these statements have written themselves, without commits */
  ownWalBytes: number;
  /** Pages that these statements have touched, in memory or not */
  pages: number;
}

/** @param db with the settings of `COUNTED` and the extension pg_stat_statements */
export async function readCounts(db: Pick<PostgresServer, 'query'>): Promise<Counts> {
  const [row] = await db.query<Counts>(
    `select (pg_current_wal_insert_lsn() - '0/0')::float8 as "walBytes", coalesce(sum(calls), 0)::float8 as statements,
       coalesce(sum(wal_bytes), 0)::float8 as "ownWalBytes",
       coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as pages
     from pg_stat_statements where userid = 'gateway'::regrole`,
  );
  if (row === undefined) throw new Error('PostgreSQL counts nothing');
  return row;
}

export function since(before: Counts, now: Counts, items: number): Counts {
  const each = (name: keyof Counts): number => (now[name] - before[name]) / items;
  return {
    walBytes: each('walBytes'),
    statements: each('statements'),
    ownWalBytes: each('ownWalBytes'),
    pages: each('pages'),
  };
}

/** Bytes of write-ahead log and microseconds of PostgreSQL, for each of the items. */
export async function costOf<T>(db: PostgresServer, items: T[], work: (item: T) => Promise<unknown>, atOnce = AT_ONCE) {
  const wal = async (): Promise<number> => {
    const [row] = await db.query<{ at: string }>(`select pg_current_wal_insert_lsn() - '0/0' as at`);
    return Number(row?.at);
  };
  const cpu = (): number => cpuMicros(withDescendants(postmasterOf(db)));
  const before = { wal: await wal(), cpu: cpu() };
  await inLanes(items, atOnce, async (item) => void (await work(item)));
  return { walBytes: ((await wal()) - before.wal) / items.length, postgresUs: (cpu() - before.cpu) / items.length };
}

/** With its indexes, in bytes a row */
export async function bytesOf(db: PostgresServer, table: string): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(
    `select pg_total_relation_size('${table}')::float8 / (select count(*) from ${table}) as bytes`,
  );
  return row?.bytes ?? Number.NaN;
}

/** Presents each token once, and keeps its successor. @throws if one is refused */
export async function rotate(url: string, tokens: string[], i: number): Promise<void> {
  const { status, cookie } = await refresh(url, tokens[i] ?? '');
  if (status !== 200 || cookie === undefined) throw new Error(`a refresh was answered ${status}`);
  tokens[i] = cookie;
}
