/** `database import` of rows of any length: its work grows with the file, and it stops at any time. (Interface 9) */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connected, contentOf, here, packed } from '../support/gateway/archives.js';
import { messagesOf } from '../support/gateway/cli.js';
import { asSuperuser, createDatabase, type TestDatabase } from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

const MIB = 2 ** 20;
const ROW_BYTES = 8 * MIB;

let folder: string;
let file: string;
const databases: TestDatabase[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-archive-'));
  file = join(folder, 'long.export');
  const source = await another();
  const insert = `insert into audit_events (event_type, ip_address, user_agent, metadata)
    values ('login_failure', '', repeat('x', ${ROW_BYTES}), '{}')`;
  await connected(source.url, (client) => client.query(insert));
  expect((await here(source, ['database', 'export', '--out', file])).code).toBe(0);
});
afterAll(async () => {
  for (const database of databases) await database.drop();
  await rm(folder, { recursive: true });
});

async function another(): Promise<TestDatabase> {
  const database = await createDatabase();
  databases.push(database);
  return database;
}

/** Counts all bytes that are joined or searched until the scope ends; beyond half a MiB asks for a stop. */
function countWork(stop?: AbortController): Disposable & { bytes: number } {
  const { concat } = Buffer;
  const { indexOf, lastIndexOf } = Buffer.prototype;
  const work = {
    bytes: 0,
    [Symbol.dispose]: () => {
      Buffer.concat = concat;
      Object.assign(Buffer.prototype, { indexOf, lastIndexOf });
    },
  };
  const count = (bytes: number): void => {
    work.bytes += bytes;
    if (work.bytes > MIB / 2) stop?.abort();
  };
  Buffer.concat = (...given) => {
    const joined = concat(...given);
    count(joined.length);
    return joined;
  };
  const counted = (search: typeof indexOf) =>
    function (this: Buffer, ...wanted: Parameters<typeof indexOf>): number {
      count(this.length);
      return search.apply(this, wanted);
    };
  Object.assign(Buffer.prototype, { indexOf: counted(indexOf), lastIndexOf: counted(lastIndexOf) });
  return work;
}

test('Interface 9: the work for a row of 8 MiB is linear in its length', async () => {
  const target = await another();
  using work = countWork();
  expect((await here(target, ['database', 'import', file])).code).toBe(0);
  expect(work.bytes).toBeGreaterThan(ROW_BYTES); // so it is counted
  expect(work.bytes).toBeLessThan(8 * ROW_BYTES); // each piece joined to all before it was some 500 times as much
  const [event] = (await contentOf(target))['audit_events'] ?? [];
  expect(event?.length).toBeGreaterThan(ROW_BYTES);
});

test('Interface 9: a stop in the middle of a row is obeyed there', async () => {
  const target = await another();
  const empty = await contentOf(target);
  await expectStopped(target, file);
  expect(await contentOf(target)).toEqual(empty);
});

test('Interface 9: a stop in a line before the first table is obeyed there', async () => {
  const long = join(folder, 'header.export');
  await writeFile(long, packed(`{"format":"${'x'.repeat(ROW_BYTES)}"}\n`));
  await expectStopped(await another(), long);
});

test('Interface 9: a stop is obeyed while PostgreSQL is waited for', async () => {
  const target = await another();
  const stop = new AbortController();
  const url = new URL(target.url);
  if (url.searchParams.has('user')) url.searchParams.set('user', 'postgres');
  else url.username = 'postgres'; // another user, so that the import does not refuse at once
  await connected(url.href, async (holder) => {
    await holder.query('begin; lock table audit_events in access share mode');
    const importing = here(target, ['database', 'import', file], {}, stop.signal);
    const waiting = `select from pg_stat_activity where datname = '${target.name}' and wait_event_type = 'Lock'`;
    await until('the import waits', async () => (await asSuperuser(waiting)).length > 0);
    stop.abort();
    const ran = await importing;
    // PostgreSQL still waits for the lock, for ten seconds in all: the import has not waited for that.
    expect((await asSuperuser(waiting)).length).toBeGreaterThan(0);
    expect([ran.code, messagesOf(ran)]).toEqual([1, 'cancelled; nothing was imported\n']);
  });
});

async function expectStopped(target: TestDatabase, from: string): Promise<void> {
  const stop = new AbortController();
  using work = countWork(stop);
  const ran = await here(target, ['database', 'import', from], {}, stop.signal);
  expect([ran.code, messagesOf(ran)]).toEqual([1, 'cancelled; nothing was imported\n']);
  expect(work.bytes).toBeLessThan(2 * MIB);
}
