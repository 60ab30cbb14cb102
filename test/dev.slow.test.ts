/** `npm run dev` on a copy of the project: it builds and starts again at every change, and an error does not end it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createDatabase, KEYRING_FILE, required, type TestDatabase } from './support/postgres/postgres.js';
import { freePort } from './support/programs/redis.js';

let database: TestDatabase;
let folder: string;
let dev: ChildProcess;
let port: number;
let said = '';
/** One chunk of output may have lines of several steps; each search begins at the end of the one before. */
let heard = 0;

beforeAll(async () => {
  database = await createDatabase();
  folder = mkdtempSync(join(tmpdir(), 'gateway-dev-'));
  const needed = [
    'bin',
    'client',
    'examples',
    'pages',
    'migrations',
    'package.json',
    'schema.graphql',
    'scripts',
    'src',
    'tsconfig.json',
  ];
  for (const path of [...needed, 'tsconfig.build.json']) cpSync(path, join(folder, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  port = await freePort();
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: database.url,
    KEYRING_FILE: required(KEYRING_FILE),
    PORT: String(port),
  };
  dev = spawn(process.execPath, ['scripts/dev.js'], { cwd: folder, env, stdio: 'pipe' });
  for (const stream of [dev.stdout, dev.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      dev.emit('said');
    });
  }
  dev.once('close', () => dev.emit('said'));
});
afterAll(async () => {
  if (dev.exitCode === null) {
    dev.kill();
    await once(dev, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

/** Resolves once it says so, however long that takes; the test has a limit of its own. */
async function hears(words: string): Promise<void> {
  while (!said.includes(words, heard)) {
    if (dev.exitCode !== null) throw new Error(`it has ended, and did not say ${words}:\n${said}`);
    await once(dev, 'said');
  }
  heard = said.indexOf(words, heard) + words.length;
}

const FILE = 'src/http/routes/health.ts';
const original = readFileSync(FILE, 'utf8');

/** As many editors save, and as git checks out: another file takes the place. */
function replace(text: string): void {
  writeFileSync(join(folder, 'saved'), text);
  renameSync(join(folder, 'saved'), join(folder, FILE));
}

test('it starts again at each change of a file, also of one that was replaced, and goes on after an error', async () => {
  await hears('"msg":"ready"');
  replace(`${original}\nconst wrong: number = 'text';\n`);
  await hears(`${FILE} has changed`);
  await hears('"msg":"stopped"');
  await hears("Type 'string' is not assignable to type 'number'");
  await hears('waiting for the next change');

  writeFileSync(join(folder, FILE), `${original}\n// written in its place\n`);
  await hears(`${FILE} has changed`);
  await hears('"msg":"ready"');
  expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);

  const exited = once(dev, 'close');
  dev.kill();
  expect(await exited).toEqual([0, null]);
  await hears('"msg":"stopped"');
});
