/** `audit export` and the script of docs/audit-export.md, which resumes at its cursor. (Interface 9) */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import pg from 'pg';
import { readConfig } from '../../src/config/config.js';
import { testedBlock } from '../documents/printed.js';
import { messagesOf, type Ran, run, runHere } from '../support/gateway/cli.js';
import { createDatabase, KEYRING_FILE, required, type TestDatabase } from '../support/postgres/postgres.js';
import { canMount, mountDisk } from '../support/postgres/small-disk.js';

const cleanUp = new AsyncDisposableStack();
let database: TestDatabase;
let client: pg.Client;
let folder: string;
beforeAll(async () => {
  database = await createDatabase();
  cleanUp.defer(database.drop);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  cleanUp.defer(() => client.end());
  folder = mkdtempSync(join(tmpdir(), 'audit-export-'));
  cleanUp.defer(async () => rmSync(folder, { recursive: true }));
});
afterAll(() => cleanUp.disposeAsync());
beforeEach(() => client.query('delete from audit_events'));

const environment = () => ({ DATABASE_URL: database.url, KEYRING_FILE: required(KEYRING_FILE) });

/** Events with the names `from` to `to`, a second apart, the last one so many seconds ago. */
function insert(from: number, to: number, secondsAgo = 60): Promise<unknown> {
  return client.query(
    `insert into audit_events (event_type, ip_address, metadata, created_at, written_at)
     select 'login_failure', '192.0.2.7', jsonb_build_object('email', 'n' || n), at, at
     from generate_series($1::int, $2::int) as n, lateral (select now() - make_interval(secs => $3 + $2 - n) as at) as times`,
    [from, to, secondsAgo],
  );
}

interface Line {
  metadata: { email: string };
  created_at: string;
  cursor: string;
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const names = (lines: Line[]): number[] => lines.map(({ metadata }) => Number(metadata.email.slice(1)));
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

function auditExport(...args: string[]): Promise<Ran> {
  return runHere(['audit', 'export', ...args], () => readConfig(environment()));
}

async function exported(...args: string[]): Promise<Line[]> {
  const ran = await auditExport(...args);
  expect([ran.code, messagesOf(ran)]).toEqual([0, '']);
  return linesOf(ran.stdout);
}

test('Interface 9: audit export prints the oldest event first, and goes on behind a cursor, also of an event that is gone', async () => {
  await insert(1, 5);
  const lines = await exported();
  expect(names(lines)).toEqual(numbers(1, 5));
  expect(Object.keys(lines[0] ?? {}).join()).toBe(
    'id,event_type,entity_type,user_id,ip_address,user_agent,metadata,created_at,cursor',
  );
  const { stdout } = await run(['audit', 'export', '--json'], { env: environment() });
  expect(linesOf(stdout)).toEqual(lines);

  const [, , third, , fifth] = lines as [Line, Line, Line, Line, Line];
  await client.query(`delete from audit_events where metadata ->> 'email' < 'n4'`);
  expect(names(await exported('--after', third.cursor))).toEqual([4, 5]);
  expect(await exported('--after', fifth.cursor)).toEqual([]);
});

test('Interface 9: audit export --since includes its instant, and with --after the later of the two counts', async () => {
  await insert(1, 5);
  const lines = await exported();
  const [, second, third] = lines as [Line, Line, Line];
  const toTheMillisecond = Math.floor(Date.parse(third.created_at));
  expect(names(await exported('--since', new Date(toTheMillisecond).toISOString()))).toEqual([3, 4, 5]);
  expect(names(await exported('--since', third.created_at, '--after', second.cursor))).toEqual([3, 4, 5]);
  expect(names(await exported('--since', '1h', '--after', third.cursor))).toEqual([4, 5]);
  expect(names(await exported('--since', '0001-01-01T00:00:00Z'))).toEqual(numbers(1, 5));
});

const textCursor = (...key: unknown[]) => Buffer.from(JSON.stringify(key)).toString('base64url');
const ID = '019ab000-0000-7000-8000-000000000001';

test.each([
  ['an empty text', ''],
  ['a text', 'yesterday'],
  ['an id', ID],
  ['a cursor of another listing', textCursor('2026-11-22T00:00:00.000000Z', ID)],
  ['a cursor of a listing with other keys', textCursor('2026-11-22T00:00:00.000000Z', ID, 'read')],
  ['a time that does not exist', textCursor('2026-02-30T00:00:00.000000Z', ID, 'written')],
])('Interface 9: audit export refuses %s as cursor, and prints nothing', async (_what, cursor) => {
  const ran = await auditExport('--after', cursor);
  expect([ran.code, ran.stdout]).toEqual([2, '']);
  expect(messagesOf(ran)).toMatch(/^--after is not a cursor of audit export\nusage: /);
});

test('Interface 9: audit export refuses a format that it does not have', async () => {
  const ran = await auditExport('--format', 'csv');
  expect([ran.code, ran.stdout]).toEqual([2, '']);
  expect(ran.stderr).toContain('--format must be one of jsonl, ocsf');
});

test('Interface 9: audit export escapes what a terminal would obey, and the JSON stays the same', async () => {
  await client.query(
    `insert into audit_events (event_type, ip_address, user_agent, metadata, written_at)
     values ('login_failure', '', E'\\u001b[2J\\u202e\\u2028', '{"email": "a"}', now() - interval '1 minute')`,
  );
  const { stdout } = await auditExport();
  expect(stdout.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
  expect(JSON.parse(stdout)).toMatchObject({ user_agent: '\u001b[2J\u202e\u2028' });
});

/** What a shell prints and how it ends. */
async function shell(script: string, env: Record<string, string> = {}): Promise<Ran> {
  const child = spawn('sh', ['-c', script], { env: { ...environment(), PATH: process.env['PATH'], ...env } });
  const ran: Ran = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (ran.stdout += chunk));
  child.stderr.on('data', (chunk) => (ran.stderr += chunk));
  [ran.code] = await once(child, 'close');
  return ran;
}

const PROGRAM = `"${process.execPath}" dist/program/main.js`;

test('Interface 9: audit export ends in silence when its reader has enough, and fails where nothing can be written', async () => {
  await insert(1, 5_000);
  const head = await shell(`(${PROGRAM} audit export; echo $? >&2) | head -n 3`);
  expect(names(linesOf(head.stdout))).toEqual([1, 2, 3]);
  expect(messagesOf(head)).toBe('0\n');
  const full = await shell(`${PROGRAM} audit export > /dev/full`);
  expect(full.code).toBe(1);
  expect(messagesOf(full)).toBe('cannot write (ENOSPC)\n');
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'Interface 9: audit export ends with exit code 1 on %s, and its last line has the cursor to go on with',
  async (signal) => {
    await insert(1, 5_000);
    const child = spawn(process.execPath, ['dist/program/main.js', 'audit', 'export'], { env: environment() });
    const ran: Ran = { code: null, stdout: '', stderr: '' };
    child.stderr.on('data', (chunk) => (ran.stderr += chunk));
    child.stdout.once('data', () => child.kill(signal)); // more than the pipe holds is still to come
    child.stdout.on('data', (chunk) => (ran.stdout += chunk));
    [ran.code] = await once(child, 'close');
    expect([ran.code, messagesOf(ran)]).toEqual([
      1,
      'cancelled; resume with --after CURSOR, the cursor of the last line\n',
    ]);
    const before = linesOf(ran.stdout);
    const behind = await exported('--after', before.at(-1)?.cursor ?? '');
    expect(names([...before, ...behind])).toEqual(numbers(1, 5_000));
  },
);

describe('the script of docs/audit-export.md', () => {
  let log: string;
  let state: string;
  let work: (more?: Record<string, string>) => Promise<Ran>;
  beforeEach(() => {
    const home = mkdtempSync(join(folder, 'home-'));
    const [bin, logs] = [join(home, 'bin'), join(home, 'logs')];
    [state, log] = [join(home, 'state'), join(logs, 'audit.jsonl')];
    for (const path of [bin, logs, state]) mkdirSync(path);
    writeFileSync(join(bin, 'script'), `${testedBlock('docs/audit-export.md', 'audit-script')}\n`, { mode: 0o755 });
    const program = resolve('dist/program/main.js');
    const stub = `#!/bin/sh\n\${BEFORE:-true}\n"${process.execPath}" ${program} "$@"; code=$?\n\${BEHIND:-true} && exit $code\n`;
    writeFileSync(join(bin, 'auth-gateway'), stub, { mode: 0o755 });
    const env = { STATE_DIRECTORY: state, LOGS_DIRECTORY: logs, PATH: `${bin}:${process.env['PATH']}` };
    work = (more = {}) => shell(join(bin, 'script'), { ...env, ...more });
  });
  const done = async (...more: Parameters<typeof work>) => {
    const ran = await work(...more);
    expect([ran.code, messagesOf(ran)]).toEqual([0, '']);
  };
  const written = () => names(linesOf(readFileSync(log, 'utf8')));

  test('Interface 9: it appends what is new, also after it has failed, and whatever the log file is called by then', async () => {
    await done();
    expect(existsSync(log)).toBe(false);
    await insert(1, 3, 300);
    await done();
    expect(written()).toEqual([1, 2, 3]);
    await done();
    expect(written()).toEqual([1, 2, 3]);
    await insert(4, 6, 200);
    expect((await work({ BEHIND: 'false' })).code).not.toBe(0); // all is printed, and the program fails all the same
    expect(written()).toEqual([1, 2, 3]);
    await done();
    expect(written()).toEqual(numbers(1, 6));
    await insert(7, 8, 100);
    rmSync(log); // renamed
    await done();
    expect(written()).toEqual([7, 8]);
  });

  test('Interface 9: a line that was cut is not glued to the next, and one run at a time is enough', async () => {
    await insert(1, 3);
    appendFileSync(log, '{"id":"019');
    await done();
    const [torn, ...lines] = readFileSync(log, 'utf8').split('\n');
    expect(torn).toBe('{"id":"019');
    expect(names(linesOf(lines.join('\n')))).toEqual([1, 2, 3]);

    await insert(4, 4, 30);
    const lock = spawn('flock', [join(state, 'lock'), 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
    lock.stdin.write('locked');
    await once(lock.stdout, 'data');
    await done();
    expect(readFileSync(log, 'utf8')).not.toContain('"n4"');
    lock.stdin.end();
    await once(lock, 'close');
    await done();
    expect(readFileSync(log, 'utf8')).toContain('"n4"');
  });
  (canMount ? test : test.skip)(
    'Interface 9: a full disk leaves the log as it was, and the next run has all',
    async () => {
      using disk = mountDisk(dirname(log), '64k');
      await insert(1, 3, 900);
      await done();
      await insert(4, 400, 30);
      for (const run of [work, work]) {
        const ran = await run();
        expect([ran.code, messagesOf(ran)]).toEqual([1, expect.stringContaining('No space left on device')]);
        expect(written()).toEqual([1, 2, 3]);
      }
      disk.grow('4m');
      await done();
      expect(written()).toEqual(numbers(1, 400));
    },
  );
});
