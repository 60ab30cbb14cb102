/** A start builds only what has changed, and never runs what is older than its source. (Interface 1) */
import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { GATEWAY_VERSION } from '../src/platform/versions.js';
import { createDatabase, KEYRING_FILE, required } from './support/postgres/postgres.js';
import { freePort } from './support/programs/redis.js';

let folder: string;
/** The first builds: a file of the checkout has a wrong type, another file is added, and the first is taken away. */
let ofNewCheckout: SpawnSyncReturns<string>;
let ofChanged: SpawnSyncReturns<string>[];
let ofRight: SpawnSyncReturns<string>;
/** Builds take their time on a busy machine. */
const BUILDS_MS = 300_000;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-build-'));
  const made = ['bin', 'client', 'examples', 'pages', 'migrations', 'package.json', 'schema.graphql', 'scripts', 'src'];
  for (const path of [...made, 'tsconfig.json', 'tsconfig.build.json']) {
    cpSync(path, join(folder, path), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  chmodSync(inside('client/README.md'), 0o600);
  const wrong = inside('src/platform/wrong.ts');
  writeFileSync(wrong, "export const wrong: number = 'text';\n");
  ofNewCheckout = tryBuild();
  writeFileSync(inside('src/platform/right.ts'), 'export const right = 1;\n');
  ofChanged = [tryBuild(), tryBuild()];
  rmSync(wrong);
  ofRight = tryBuild();
}, BUILDS_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ENV = { PATH: `${resolve('node_modules/.bin')}:${process.env['PATH']}` };

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd: folder, env: ENV, encoding: 'utf8', stdio: 'pipe' });
}

const build = (): string => run('node', 'scripts/build.js');
const tryBuild = () => spawnSync('node', ['scripts/build.js'], { cwd: folder, env: ENV, encoding: 'utf8' });
const help = (): string => run('bin/auth-gateway', 'user', 'list', '--help');
const inside = (...path: string[]): string => join(folder, ...path);
const program = (): string[] => readdirSync(inside('dist/program'));
/** Of the program, by the last build alone */
const lastMade = (): string[] => {
  const { files } = JSON.parse(readFileSync(inside('dist/build.json'), 'utf8'));
  return files.flatMap((file: string) => (file.startsWith('dist/program/') ? [basename(file)] : []));
};
const madeMs = (): number => statSync(inside('dist/program/main.js')).mtimeMs;

/** Another text in the place of one as long, in a file that keeps its times. */
function edit(file: string, from: string, to: string): void {
  const { atime, mtime } = statSync(inside(file));
  const text = readFileSync(inside(file), 'utf8');
  expect(text).toContain(from);
  expect(to).toHaveLength(from.length);
  writeFileSync(inside(file), text.replace(from, to));
  utimesSync(inside(file), atime, mtime);
}

test('Interface 1: a second build without a change makes nothing', () => {
  const before = madeMs();
  expect(build()).toBe('');
  expect(madeMs()).toBe(before);
});

/** How many files a build reads at this time of its clock, and whether it makes anything. */
function look(atMs: number): { read: number; said: string } {
  const hook = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
    const { readFileSync } = fs; let read = 0;
    Date.now = () => ${atMs};
    fs.readFileSync = (...args) => { read += 1; return readFileSync(...args); };
    syncBuiltinESMExports();
    process.on('exit', () => console.log(read));`;
  const { stdout, stderr } = spawnSync(
    'node',
    ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, 'scripts/build.js'],
    { cwd: folder, env: ENV, encoding: 'utf8' },
  );
  return { read: Number(stdout), said: stderr };
}

test('Interface 1: sources are read again only if one may have changed: after a touch, and while a change is so young that another could have the same time', () => {
  const inAMinute = Date.now() + 60_000; // when what was copied or built just now is old
  const all = look(inAMinute).read;
  const few = look(inAMinute).read;
  expect(few).toBeLessThan(10);
  const { atime, mtime } = statSync(inside('src/main.ts'));
  utimesSync(inside('src/main.ts'), atime, mtime); // to the times that it has
  const { ctimeMs } = statSync(inside('src/main.ts'));
  const young = ctimeMs + 1_000;
  const seen = [look(young), look(young), look(ctimeMs + 60_000), look(young)];
  expect(seen.map(({ said }) => said)).toEqual(['', '', '', '']);
  const [first = 0, ...others] = seen.map(({ read }) => read);
  expect(first).toBeGreaterThan(100);
  expect([all >= few, ...others]).toEqual([true, first, first, few]);
});

test(
  'Interface 1: what is gone is made again; a build says first that it compiles, then how long each part took, to standard error; a command waits for it and says so',
  async () => {
    const said = 'Compiling, which takes a minute on a busy machine. Only a change makes it necessary again.\n';
    const parts = program().filter((name) => /^cli-.*\.js$/.test(name));
    expect(parts).not.toEqual([]);
    for (const name of parts) rmSync(inside('dist/program', name));
    const asJson = ['run', '--silent', 'cli', '--', '--version', '--json'];
    const building = spawn('npm', asJson, { cwd: folder, env: ENV });
    const ended = once(building, 'close');
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      building[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    }
    await once(building.stderr, 'data');
    expect(output.stderr).toBe(said);
    expect(existsSync(inside('dist/build.lock'))).toBe(true); // before it is done
    const waited = spawnSync('npm', asJson, { cwd: folder, env: ENV, encoding: 'utf8' });
    expect([Object.keys(JSON.parse(waited.stdout)), waited.stderr]).toEqual([
      ['version', 'node', 'revision'],
      'Waiting for another command, which is compiling.\n',
    ]);
    expect(await ended).toEqual([0, null]);
    expect(output).toEqual({
      stdout: waited.stdout,
      stderr: expect.stringMatching(new RegExp(`^${said}(?: {2}the [a-z ]+: [\\d.]+ s\n){4}$`)),
    });
    expect(spawnSync('npm', asJson, { cwd: folder, env: ENV, encoding: 'utf8' })).toMatchObject({
      stdout: waited.stdout,
      stderr: '',
    });
    expect(help()).toContain('usage: bin/auth-gateway user list');
  },
  BUILDS_MS,
);

test(
  'Interface 1 and 19: a change is built whatever the times of its file say, each file of the console is named by its content, and those of the build before are still there',
  () => {
    const read = (name: string): string => gunzipSync(readFileSync(inside('dist/console', `${name}.gz`))).toString();
    const style = (): string => /"\/console\/assets\/(page-\w+\.css)"/.exec(read('page.html'))?.[1] ?? '';
    const buildWith = (color: string): string => {
      writeFileSync(inside('pages/console/page.css'), `body { color: ${color} }`);
      build();
      expect(read(style())).toContain(`color:${color}`);
      return style();
    };
    const [made, original] = [lastMade(), style()];
    expect(help()).toContain('all users, by');
    expect(read(original)).not.toContain('color:red');

    edit('src/cli/user-commands.ts', 'all users, by', 'ALL USERS, by');
    const first = buildWith('red');
    expect(help()).toContain('ALL USERS, by');
    expect(program()).toEqual(expect.arrayContaining(made)); // which a gateway that runs may still load
    expect(read(original)).not.toBe('');

    edit('src/cli/user-commands.ts', 'ALL USERS, by', 'All Users, by');
    const second = buildWith('tan');
    expect(help()).toContain('All Users, by');
    expect(read(first)).toContain('color:red');
    // of two builds ago
    expect(made.filter((name) => !existsSync(inside('dist/program', name)))).not.toEqual([]);
    expect(existsSync(inside('dist/console', `${original}.gz`))).toBe(false);

    expect(buildWith('red')).toBe(first);
    expect(read(second)).toContain('color:tan');
  },
  BUILDS_MS,
);

test('Interface 1: types are checked of sources that are changed, and then of those too that were there before; what does not compile is not taken for built the next time', () => {
  expect(ofNewCheckout.status).toBe(0);
  for (const built of ofChanged)
    expect(built).toMatchObject({ status: 1, stdout: expect.stringContaining('wrong.ts') });
  expect(ofRight).toMatchObject({ status: 0, stderr: expect.stringMatching(/\n {2}the gateway: \d+\.\d s\n/) });
});

test('Interface 13: the client is the same bytes, wherever and whenever it is built', () => {
  for (const name of ['client.js.gz', 'client.tgz']) {
    const path = `dist/client-package/${name}`;
    expect(readFileSync(inside(path)).equals(readFileSync(path))).toBe(true);
  }
});

test('code that Node has compiled is cached next to the program; if it cannot be, nothing is said', () => {
  help();
  expect(existsSync(inside('dist/compiled'))).toBe(true);
  rmSync(inside('dist/compiled'), { recursive: true });
  writeFileSync(inside('dist/compiled'), ''); // no folder can be made there
  expect(help()).toContain('usage: bin/auth-gateway user list');
  expect(readFileSync(inside('dist/compiled'), 'utf8')).toBe('');
});

describe('the commit of the build', () => {
  const git = (...words: string[]): string =>
    run('git', '-c', 'user.name=x', '-c', 'user.email=x@example.com', ...words);
  const commit = (): string => {
    git('add', 'src', 'scripts', 'package.json');
    git('commit', '--quiet', '--allow-empty', '-m', 'x');
    return git('rev-parse', 'HEAD').trim();
  };
  const revision = (): string => JSON.parse(run('bin/auth-gateway', '--version', '--json')).revision;
  const rest = ['client', 'examples', 'pages', 'migrations', 'bin', 'schema.graphql', 'tsconfig*.json'];

  test('Interface 9: without a checkout it is that of REVISION, or unknown', () => {
    build();
    expect(revision()).toBe('unknown');
    execFileSync('node', ['scripts/build.js'], { cwd: folder, env: { ...ENV, REVISION: 'of-the-image' } });
    expect(revision()).toBe('of-the-image');
  });

  test(
    'Interface 9: a commit is named by the next build, which makes nothing anew for it; and whether a source differs from it',
    () => {
      git('init', '--quiet');
      try {
        git('add', ...rest);
        const [first, made] = [commit(), madeMs()];
        build();
        expect([revision(), madeMs()]).toEqual([first, made]);
        const second = commit();
        writeFileSync(inside('notes.txt'), 'of no source');
        build();
        expect([revision(), madeMs()]).toEqual([second, made]);
        git('rm', '--quiet', '--cached', 'src/main.ts');
        build();
        expect([revision(), madeMs()]).toEqual([`${second}-dirty`, made]);
        const third = commit();
        build();
        expect(revision()).toBe(third);
      } finally {
        rmSync(inside('.git'), { recursive: true });
      }
    },
    BUILDS_MS,
  );

  test('Interface 9 and 14: it is in `ready`, in the metric, and in the head of an export', async () => {
    execFileSync('node', ['scripts/build.js'], { cwd: folder, env: { ...ENV, REVISION: 'of-the-image' } });
    const database = await createDatabase();
    const port = String(await freePort());
    const env = { ...ENV, DATABASE_URL: database.url, KEYRING_FILE: required(KEYRING_FILE), PORT: port };
    const gateway = spawn('bin/auth-gateway', ['start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      let log = '';
      for await (const part of gateway.stdout.setEncoding('utf8')) {
        log += part;
        if (log.includes('"ready"')) break;
      }
      expect(log).toMatch(/"revision":"of-the-image".*"msg":"ready"/);
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      expect(metrics).toMatch(/^auth_gateway_build_info\{.*revision="of-the-image".*\} 1$/m);
      const file = inside('gateway.export');
      execFileSync('bin/auth-gateway', ['database', 'export', '--out', file], { cwd: folder, env, stdio: 'ignore' });
      const [head = ''] = gunzipSync(readFileSync(file)).toString('utf8').split('\n');
      expect(JSON.parse(head)).toMatchObject({ gateway_version: GATEWAY_VERSION, revision: 'of-the-image' });
    } finally {
      gateway.kill('SIGKILL');
      await database.drop();
    }
  });
});
