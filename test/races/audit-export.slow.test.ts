/** An export misses no event and has none twice, in whichever order transactions write, commit or are undone. (Interface 9) */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type ExportedEvent, type ExportRequest, exportAudit } from '../../src/audit/export.js';
import { writeAudit } from '../../src/audit/write.js';
import { type Database, openDatabase } from '../../src/db/database.js';
import { unprepared } from '../../src/db/run.js';
import { AdminRefusal } from '../../src/listing/refusal.js';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let db: Database;
beforeEach(async () => {
  database = await createDatabase();
  db = await openDatabase(database.url);
});
afterEach(async () => {
  await db.close();
  await database.drop();
});

/** Without the seconds for a clock that goes back, so that all that is complete comes at once. */
const AT_ONCE = { settledSeconds: 0 };
/** Of four instances: how far the clock is ahead, in seconds. */
const CLOCKS = [60, -60, 0, 31];

interface Writer {
  client: pg.Client;
  begin(): Promise<unknown>;
  /** Writes an event as an instance does that has this clock. */
  write(name: string, aheadSeconds?: number): Promise<void>;
  commit(): Promise<unknown>;
}

async function writing<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const own = unprepared((query) => client.query(query));
  const writer: Writer = {
    client,
    begin: () => client.query('begin'),
    write: (email, aheadSeconds = 0) => {
      const metadata = { reason: 'invalid_credentials', email } as const;
      const event = { eventType: 'login_failure', userId: null, ipAddress: '', userAgent: '', metadata } as const;
      return writeAudit(own, [event], new Date(Date.now() + aheadSeconds * 1000));
    },
    commit: () => client.query('commit'),
  };
  return work(writer).finally(() => client.end());
}

const nameOf = ({ metadata }: ExportedEvent) => String((metadata as { email: string }).email);

async function exported(after?: string, settings: Parameters<typeof exportAudit>[2] = AT_ONCE) {
  const events: ExportedEvent[] = [];
  const { pages } = await exportAudit({ db }, { after }, settings);
  for await (const page of pages) events.push(...page);
  return { names: events.map(nameOf), cursor: events.at(-1)?.cursor ?? after };
}

test('Interface 9: nothing is exported past an event that is not committed yet, however old or new its time is', async () => {
  await writing(async (slow) => {
    await slow.begin();
    await slow.write('slow', 60);
    await writing((quick) => quick.write('quick', -60));
    const refusal = await exported(undefined, { settledSeconds: 0, patienceMs: 0 }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AdminRefusal);
    const [{ pid }] = (await slow.client.query('select pg_backend_pid()::text as pid')).rows as [{ pid: string }];
    expect(String(refusal)).toContain(pid);
    await slow.commit();
  });
  expect((await exported()).names).toEqual(['slow', 'quick']);
});

test('Interface 9: an export waits until those who wrote have ended, and for nobody who comes later', async () => {
  let looks = 0;
  const run: typeof db.admin.run = (statement, values) => {
    looks += statement.name === 'audit_writers' ? 1 : 0;
    return db.admin.run(statement, values);
  };
  const watched = { ...db, admin: { ...db.admin, run } };
  await writing(async (first) => {
    await first.begin();
    await first.write('first');
    const page = exportAudit({ db: watched }, {}, AT_ONCE).then(({ pages }) => pages.next());
    await until('the export waits', () => looks >= 2);
    await writing(async (second) => {
      await second.begin();
      await second.write('second');
      await first.commit();
      expect((await page).value?.map(nameOf)).toEqual(['first']);
      await second.commit();
    });
  });
  expect((await exported()).names).toEqual(['first', 'second']);
});

test('Interface 9: a transaction that begins before an export and writes after it is in the next one; a rolled-back one is in none', async () => {
  await writing(async (slow) => {
    await slow.begin();
    await slow.client.query('select now()');
    await writing((quick) => quick.write('quick'));
    const { names, cursor } = await exported();
    expect(names).toEqual(['quick']);
    await slow.write('slow', -3600);
    await slow.commit();
    await slow.begin();
    await slow.write('undone');
    await slow.client.query('rollback');
    expect((await exported(cursor)).names).toEqual(['slow']);
  });
});

test('Interface 9: events of the last seconds are left to the next export, in case the clock goes back', async () => {
  await writing((writer) => writer.write('new'));
  expect((await exported(undefined, {})).names).toEqual([]);
  const { rows } = await writing(({ client }) =>
    client.query(`update audit_events set written_at = written_at - interval '1 minute' returning id`),
  );
  expect(rows).toHaveLength(1);
  expect((await exported(undefined, {})).names).toEqual(['new']);
});

/** Several instances write, and exports that stop anywhere and go on read, until both are done. */
async function writeAndResume(filter: ExportRequest): Promise<{ written: string[]; seen: string[]; runs: number }> {
  const written: string[] = [];
  let isWriting = true;
  const seen: string[] = [];
  let runs = 0;

  const instances = CLOCKS.flatMap((clock) => [clock, clock]).map((ahead, instance) =>
    writing(async (writer) => {
      for (let n = 0; n < 40; n += 1) {
        const names = Array.from({ length: 1 + Math.floor(Math.random() * 3) }, (_, i) => `${instance}-${n}-${i}`);
        await writer.begin();
        for (const name of names) {
          await writer.write(name, ahead);
          await sleep(Math.random() * 12);
        }
        const isUndone = Math.random() < 0.2;
        await writer.client.query(isUndone ? 'rollback' : 'commit');
        if (!isUndone) written.push(...names);
      }
    }),
  );
  const readUntilDone = async (): Promise<void> => {
    let cursor: string | undefined;
    for (let isLast = false; !isLast; ) {
      isLast = !isWriting;
      const most = isLast ? Number.POSITIVE_INFINITY : Math.ceil(Math.random() * 30);
      const events: ExportedEvent[] = [];
      const { pages } = await exportAudit({ db }, { ...filter, after: cursor }, AT_ONCE);
      for await (const page of pages) events.push(...page);
      const read = events.slice(0, most);
      seen.push(...read.map(nameOf));
      cursor = read.at(-1)?.cursor ?? cursor;
      runs += 1;
    }
  };
  await Promise.all([Promise.all(instances).then(() => (isWriting = false)), readUntilDone()]);
  return { written, seen, runs };
}

test('Interface 9: of instances whose clocks differ, exports that stop and go on anywhere have every event exactly once', async () => {
  const { written, seen, runs } = await writeAndResume({});
  expect(runs).toBeGreaterThan(5);
  expect(seen.length).toBeGreaterThan(300);
  expect(seen.toSorted()).toEqual(written.toSorted());
});

test('Interface 24: so do exports with a filter', async () => {
  const { written, seen, runs } = await writeAndResume({ eventTypes: ['login_failure', 'logout'] });
  expect(runs).toBeGreaterThan(5);
  expect(seen.length).toBeGreaterThan(300);
  expect(seen.toSorted()).toEqual(written.toSorted());
});

test('Interface 9: pages have no gaps or duplicates, even if a thousand events have the same time', async () => {
  await writing(({ client }) =>
    client.query(
      `insert into audit_events (event_type, ip_address, metadata, written_at)
       select 'login_failure', '', jsonb_build_object('email', n), now() - make_interval(secs => 60 + n / 1500)
       from generate_series(1, 3700) as n`,
    ),
  );
  const { names } = await exported();
  expect(names).toHaveLength(3700);
  expect(new Set(names).size).toBe(3700);
});
