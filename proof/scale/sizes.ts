/**
 * `npm run scale -- --rows`: what a refresh of a session that is anywhere in the table costs over a million records and over
 * ten million, alone and during a vacuum.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cpuMicros } from '../bench/cpu.js';
import { prepareGateways } from '../evidence/lab/gateways.js';
import { inLab, type Lab } from '../evidence/lab/lab.js';
import { type PostgresServer, startPostgresServer } from '../evidence/lab/postgres-server.js';
import { createUsers } from '../evidence/lab/users.js';
import { bytesOf, COUNTED, costOf, readCounts, rotate, since } from './cost.js';
import { fillRecords, RECORDS_OF_A_USER, tokensOf } from './fill.js';
import type { Index, Pass, Size } from './model.js';

const COUNTS = [1_000_000, 10_000_000];
/** The only vacuum is the one that is measured. */
const SETTINGS = {
  shared_buffers: '2GB',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  ...COUNTED,
};
const REFRESHES = 20_000;
/** Pauses of a vacuum as autovacuum makes them */
const GENTLE = "set vacuum_cost_delay = '2ms'";

/** One after the other, so that the disk holds one at a time */
export async function measureSizes(
  say: (line: string) => void,
  interrupted: AbortSignal,
  counts = COUNTS,
): Promise<Size[]> {
  const sizes: Size[] = [];
  for (const count of counts) sizes.push(await inLab(say, interrupted, (lab) => measureSize(lab, count)));
  return sizes;
}

async function measureSize(lab: Lab, records: number): Promise<Size> {
  const folder = join(lab.folder, 'gateways');
  await mkdir(folder);
  const db = await startPostgresServer(lab, undefined, SETTINGS);
  const gateways = await prepareGateways({ ...lab, folder }, db.urlAt(db.port), { SESSION_RATE_LIMIT: '1000000' });
  const { url } = await gateways.start(); // which migrates
  for (const extension of ['pg_stat_statements', 'pgstattuple']) await db.query(`create extension ${extension}`);
  await createUsers(gateways, db, records / RECORDS_OF_A_USER);
  await fillRecords(db, records);
  await db.query('vacuum (freeze) refresh_tokens'); // as old records are: otherwise the vacuums of the measurement do it
  lab.say(`${records.toLocaleString('en')} records are there`);
  const bytesOfRecord = await bytesOf(db, 'refresh_tokens');
  const indexes = await db.query<Index>(
    `select indexrelid::regclass::text as name, tree_level as level, leaf_pages::float8 as leaves, internal_pages::float8 as inner
     from pg_index, pgstatindex(indexrelid) where indrelid = 'refresh_tokens'::regclass order by 1`,
  );
  const tokens = await tokensOf(gateways, db, REFRESHES);
  const all = [...tokens.keys()];
  const pass = async (): Promise<Pass> => {
    const before = await readCounts(db);
    const { postgresUs } = await costOf(db, all, (i) => rotate(url, tokens, i));
    return { ...since(before, await readCounts(db), all.length), postgresUs };
  };
  await pass(); // compiles the gateway
  await db.query('checkpoint');
  const afterCheckpoint = await pass();
  const alone = await pass();
  const vacuum = await startVacuum(db);
  const together = await pass();
  const { times, micros } = await vacuum.stop();
  const duringVacuum = { ...together, postgresUs: together.postgresUs - micros / all.length };
  lab.say(`pages a refresh: ${[afterCheckpoint, alone, duringVacuum].map(({ pages }) => pages.toFixed(1)).join(', ')}`);
  return { records, bytesOfRecord, indexes, afterCheckpoint, alone, duringVacuum, vacuums: times };
}

/** One after the other, each of all indexes. `stop` waits for the end of the last and returns how many and their CPU. */
async function startVacuum(db: PostgresServer): Promise<{ stop(): Promise<{ times: number; micros: number }> }> {
  const client = await db.connect();
  const [{ pid } = { pid: 0 }] = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
  await client.query(GENTLE);
  let isOver = false;
  let times = 0;
  const running = (async () => {
    while (!isOver) {
      await client.query('vacuum (index_cleanup on, parallel 0) refresh_tokens');
      times += 1;
    }
  })();
  return {
    stop: async () => {
      const micros = cpuMicros([pid]); // until the last refresh
      isOver = true;
      await running;
      await client.end();
      return { times, micros };
    },
  };
}
