/** `audit tail` over many pages, and `--follow`: every event once, until somebody has read enough. (Interface 9) */
import { spawn } from 'node:child_process';
import { Writable } from 'node:stream';
import pg from 'pg';
import { listAuditEvents, oldestTransaction } from '../../src/audit/log.js';
import { messagesOf, type Ran, runHere } from '../support/gateway/cli.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login } from '../support/gateway/routes.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

const environment = () => ({ DATABASE_URL: gateway.database.url, KEYRING_FILE: required(KEYRING_FILE) });

/** Events with the names `from` to `to`; `seconds` is when the last one happened, and `apart` is between two. */
function insert(client: Pick<pg.Client, 'query'>, from: number, to: number, seconds = 0, apart = 1): Promise<unknown> {
  return client.query(
    `insert into audit_events (event_type, ip_address, metadata, created_at)
     select 'login_failure', '127.0.0.1', jsonb_build_object('email', 'n' || n),
       now() + make_interval(secs => $3 + (n - $2) * $4::float)
     from generate_series($1::int, $2::int) as n`,
    [from, to, seconds, apart],
  );
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** The names of events that were printed as JSON. */
function names(events: Array<{ metadata: { email: string } }>): number[] {
  return events.map(({ metadata }) => Number(metadata.email.slice(1)));
}

async function connected<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: gateway.database.url });
  await client.connect();
  return work(client).finally(() => client.end());
}

function here(args: string[], changes: Parameters<typeof runHere>[3] = {}): Promise<Ran> {
  return runHere(args, () => ({ ...gateway.config, databaseUrl: gateway.database.url }), '', changes);
}

test('Interface 9: audit tail reads as many pages as it needs, and takes --since as a span or an instant', async () => {
  await connected((client) => insert(client, 1, 350));
  const tail = async (...args: string[]) =>
    names(JSON.parse((await here(['audit', 'tail', '--json', ...args])).stdout));
  expect(await tail()).toEqual(numbers(331, 350));
  expect(await tail('--lines', '250')).toEqual(numbers(101, 350));
  expect(await tail('--lines', '1000')).toEqual(numbers(1, 350));
  expect(await tail('--since', '1h')).toEqual(numbers(1, 350));
  expect(await tail('--since', '1h', '--lines', '5')).toEqual(numbers(346, 350));
  expect((await tail('--since', '2m'))[0]).toBeGreaterThan(200);
  expect((await tail('--since', '120'))[0]).toBeGreaterThan(200);
  const [row] = await gateway.rows<{ created_at: Date }>(
    `select created_at from audit_events where metadata ->> 'email' = 'n300'`,
  );
  const utc = row?.created_at.toISOString() ?? '';
  expect(await tail('--since', utc.replace('Z', '+00:00'))).toEqual(numbers(300, 350));
});

/** Follows in this process; `stop` ends it. */
function following(...args: string[]) {
  const stopped = new AbortController();
  let text = '';
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  const ended = here(['audit', 'tail', '--follow', ...args], { stdout, stopSignal: () => stopped.signal });
  return {
    lines: () => text.split('\n').slice(0, -1),
    stop: (): Promise<Ran> => {
      stopped.abort();
      return ended;
    },
  };
}

test('Interface 9: audit tail --follow --json prints each event once, one a line, also those that come late or in crowds', async () => {
  await connected(async (client) => {
    await insert(client, 1, 130, -1);
    const tail = following('--json', '--lines', '3');
    const shown = () => names(tail.lines().map((line) => JSON.parse(line)));
    await until('the latest are shown', () => shown().length === 3);
    expect(shown()).toEqual(numbers(128, 130));

    await connected(async (slow) => {
      await slow.query('begin');
      await insert(slow, 131, 131, -20); // its time is before that of others which are committed before it
      await insert(client, 132, 134);
      await until('the next are shown', () => shown().length === 6);
      expect(shown().slice(3)).toEqual(numbers(132, 134));
      await slow.query('commit');
    });
    await until('the late one is shown', () => shown().includes(131));

    await insert(client, 135, 384, 0, 0);
    await until('the crowd is shown', () => shown().length >= 257);
    await insert(client, 385, 385);
    await until('the last is shown', () => shown().includes(385));
    expect(shown().toSorted((a, b) => a - b)).toEqual(numbers(128, 385));

    const ran = await tail.stop();
    expect([ran.code, messagesOf(ran)]).toEqual([0, '']);
  });
});

test('Interface 9: a look reads what was committed since the last one, and what was not yet then; the rest is left out', async () => {
  const { db } = gateway.app;
  const since = new Date(Date.now() - 3_600_000);
  const newSince = async (fromTransaction: string): Promise<number[]> => {
    const { rows } = await listAuditEvents({ db }, { since, fromTransaction }, { first: 100 });
    return rows.map(({ row }) => Number(String(row.metadata['email']).slice(1))).sort((a, b) => a - b);
  };
  await connected(async (client) => {
    await insert(client, 1, 20);
    await connected(async (slow) => {
      await slow.query('begin');
      await insert(slow, 21, 21, -60);
      const { rows } = await slow.query<{ id: string }>('select pg_current_xact_id()::xid::text as id');
      const id = rows[0]?.id ?? '';
      await slow.query('savepoint one'); // whose number is another
      await insert(slow, 22, 22, -60);
      await insert(client, 23, 24);
      expect(await newSince(id)).toEqual([23, 24]);
      const compared = await client.query('select age($1::xid) >= age($2::xid) as is_as_old', [
        await oldestTransaction({ db }),
        id,
      ]);
      expect(compared.rows).toEqual([{ is_as_old: true }]); // another test may write on this server, too
      await slow.query('commit');
      expect(await newSince(id)).toEqual([21, 22, 23, 24]);
    });
  });
});

test('Interface 9: audit tail --follow keeps to its filter, and to one heading', async () => {
  const tail = following('--type', 'login_failure', '--since', '1h');
  await login(gateway, 'first@example.com', 'wrong');
  await until('the first is shown', () => tail.lines().length === 2);
  await gateway.user(); // an event of another type
  await login(gateway, 'second@example.com', 'wrong');
  await until('the second is shown', () => tail.lines().length > 2);
  const { code } = await tail.stop();
  const [heading, first, second, ...more] = tail.lines();
  expect([code, more]).toEqual([0, []]);
  expect(heading).toMatch(/^created_at +event_type +user_id/);
  expect([first, second]).toEqual([
    expect.stringContaining('first@example.com'),
    expect.stringContaining('second@example.com'),
  ]);
});

test('Interface 9: audit tail --follow ends with exit code 0 on SIGINT and SIGTERM', async () => {
  await login(gateway, 'first@example.com', 'wrong');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const args = ['dist/program/main.js', 'audit', 'tail', '--follow', '--json'];
    const child = spawn(process.execPath, args, { env: environment() });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.stdout.once('data', () => child.kill(signal));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([signal, code, stderr]).toEqual([signal, 0, expect.stringMatching(/^database: [^\n]+\n$/)]);
  }
});

test.each(['audit tail --follow --lines 1', 'audit tail --lines 5000'])(
  'Interface 9: %s ends in silence when its reader has read enough',
  async (words) => {
    await connected((client) => insert(client, 1, 5000));
    const script = `"$0" dist/program/main.js ${words} --json 2>&1 | head -c 90 >/dev/null; exit \${PIPESTATUS[0]}`;
    const child = spawn('bash', ['-c', script, process.execPath], {
      env: { PATH: process.env['PATH'], ...environment() },
    });
    let isOver = false;
    const code = new Promise((resolve) => child.once('close', resolve)).finally(() => {
      isOver = true;
    });
    await until('the command has ended', async () => {
      if (!isOver) await login(gateway, 'more@example.com', 'wrong'); // which it tries to print
      return isOver;
    });
    expect(await code).toBe(0);
  },
);
