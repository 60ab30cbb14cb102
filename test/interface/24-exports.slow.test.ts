/** Exports by a gateway of its own process: memory, downloads that break off, programs that read the files. (Interface 24) */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { begin, download, storeEvents, storeMany } from '../support/gateway/exports.js';
import { send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newCronKey } from '../support/gateway/graphql.js';
import { startProcess } from '../support/gateway/server-process.js';
import { until } from '../support/until.js';

const ROWS = 300_000;
/** How much more memory a process may take for an export, whatever its length: bytes */
const ROOM = 64_000_000;

let gateway: TestGateway;
let key: Record<string, string | string[]>;
beforeAll(async () => {
  gateway = await startGateway();
  key = (await newCronKey(gateway, ['audit:read'])).as('');
});
afterAll(() => gateway.close());
beforeEach(() => gateway.rows('truncate audit_events'));

async function start() {
  const server = await startProcess(gateway);
  server.process.stdout?.resume(); // its log
  const isReady = () =>
    send(server.url, 'GET', '/health/ready')
      .then(({ status }) => status === 200)
      .catch(() => false);
  await until('it is ready', isReady);
  return server;
}

/** Most memory that the process has had: bytes */
async function peakOf(pid = 0): Promise<number> {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** The number of bytes of the file, and its last bytes. */
async function measured(url: string, file: string): Promise<{ bytes: number; end: string }> {
  const [answer] = (await once(get(`${url}/export/${file}`, { headers: key, agent: false }), 'response')) as [
    IncomingMessage,
  ];
  let bytes = 0;
  let end = '';
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    end = (end + chunk.subarray(-100).toString('utf8')).slice(-100);
  }
  return { bytes, end };
}

test('Interface 24: an export of many events takes no more memory than one of a few', async () => {
  await using server = await start();
  await storeMany(gateway, ROWS / 10, 200);
  for (const file of ['audit.csv', 'audit.jsonl']) await measured(server.url, file);
  const before = await peakOf(server.process.pid);
  await storeMany(gateway, (ROWS / 10) * 9, 200);
  const { bytes, end } = await measured(server.url, 'audit.csv');
  const lines = await measured(server.url, 'audit.jsonl');
  const grown = (await peakOf(server.process.pid)) - before;
  expect(end).toContain(`"count","${ROWS}"`);
  expect(lines.end).toContain(`{"count":${ROWS}}`);
  expect(before).toBeGreaterThan(30_000_000);
  expect(bytes).toBeGreaterThan(ROOM);
  expect(grown).toBeLessThan(ROOM);
});

test('Interface 24: a download that a killed gateway breaks off has no last line, and the client notices', async () => {
  await using server = await start();
  await storeMany(gateway, 6_000, 4_000);
  const { rest } = await begin(server, 'audit.csv', key);
  server.process.kill('SIGKILL');
  const { text, isComplete } = await rest();
  expect([isComplete, text.includes('"count"')]).toEqual([false, false]);
});

describe('a file', () => {
  const AGENTS = ['=HYPERLINK("x")', 'a "quoted", one', 'of two\r\nlines', 'Caf\u00e9 \u{1f600}', "'1", '', null];
  const shown = AGENTS.map((agent) => (agent?.startsWith('=') ? `'${agent}` : (agent ?? '')));
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'exports-'));
    file = join(folder, 'audit.csv');
    await storeEvents(
      gateway,
      AGENTS.map((user_agent) => ({ user_agent, metadata: { name: 'd\u00e9j\u00e0, "vu"' } })),
    );
    await writeFile(file, (await download(gateway, 'audit.csv', key)).text);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
  const testIf = (is: boolean) => (is ? test : test.skip);
  const python = (script: string) => JSON.parse(execFileSync('python3', ['-c', script, file], { encoding: 'utf8' }));

  testIf(has('python3', '--version'))('Interface 24: is read by Python as it is', () => {
    const rows = python(`
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1], encoding='utf-8', newline=''), strict=True))
last = rows.pop()
print(json.dumps([[r['user_agent'] for r in rows], [json.loads(r['metadata'])['name'] for r in rows], last['id'], last['event_type']]))`);
    expect(rows).toEqual([shown, shown.map(() => 'd\u00e9j\u00e0, "vu"'), 'count', String(AGENTS.length)]);
  });

  testIf(has('python3', '-c', 'import pandas'))('Interface 24: is read by pandas as it is', () => {
    const rows = python(`
import json, pandas, sys
d = pandas.read_csv(sys.argv[1], dtype=str, keep_default_na=False)
print(json.dumps([list(d['user_agent'][:-1]), d['id'].iloc[-1], d['event_type'].iloc[-1]]))`);
    expect(rows).toEqual([shown, 'count', String(AGENTS.length)]);
  });

  testIf(has('soffice', '--version'))('Interface 24: is read by LibreOffice as it is, and runs nothing', async () => {
    const profile = `-env:UserInstallation=file://${folder}/profile`;
    // Comma, quote, UTF-8, from the first line, each column as text
    const form = `--infilter=CSV:44,34,76,1,${Array.from({ length: 9 }, (_, i) => `${i + 1}/2`).join('/')}`;
    execFileSync('soffice', ['--headless', profile, form, '--convert-to', 'fods', '--outdir', folder, file], {
      stdio: 'ignore',
    });
    const sheet = await readFile(join(folder, 'audit.fods'), 'utf8');
    expect(sheet).not.toContain('table:formula');
    for (const text of ['&apos;=HYPERLINK(&quot;x&quot;)', 'a &quot;quoted&quot;, one', 'Caf\u00e9 \u{1f600}']) {
      expect(sheet).toContain(`<text:p>${text}</text:p>`);
    }
  });
});
