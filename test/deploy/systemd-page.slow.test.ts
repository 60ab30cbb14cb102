/** docs/deploy-systemd.md: its commands, run as printed but for the places, the account and systemd itself, install what then starts. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testedBlock } from '../documents/printed.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres.js';

let gateway: TestGateway;
let database: TestDatabase;
let root: string;
beforeAll(async () => {
  gateway = await startGateway();
  database = await createDatabase('empty');
  root = await mkdtemp(join(tmpdir(), 'systemd-page-'));
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
  await rm(root, { recursive: true });
});

/**
 * Leaves out what only root may do, and puts all places into the folder of this test.
 * @throws {Error} if a path of this machine is left
 */
function here(block: string): string {
  const placed = block
    .replaceAll(/(?<![\w.])\/(etc|var\/lib|usr\/local\/sbin)\//g, 'ROOT/$1/')
    .replaceAll('/opt/auth-gateway', 'CHECKOUT')
    .replaceAll(/^(systemd-sysusers|systemctl daemon-reload)$/gm, '')
    .replaceAll(/ -[og] auth-gateway/g, '')
    .replace('--reuid auth-gateway --regid auth-gateway --init-groups ', '');
  const left = placed.match(/(?<![\w./])\/(?!dev\/null|bin\/sh|metrics)\w+/);
  if (left !== null) throw new Error(`not in the folder of the test: ${left[0]}`);
  return placed.replaceAll('ROOT', root).replaceAll('CHECKOUT', process.cwd());
}

/** What the shell of root may have of another installation: each would change, or break, what a command does. */
const OF_ROOT = {
  DATABASE_URL: 'postgresql://other@127.0.0.1:1/other',
  KEYRING_FILE: '/nowhere/keyring.json',
  LOG_LEVEL: 'loud',
  NODE_OPTIONS: '--require=/nowhere.js',
  PGPASSWORD: 'other',
  REDIS_URL: 'redis://127.0.0.1:1',
};

test('docs/deploy-systemd.md: the commands install the units and the settings, by which alone every command runs', async () => {
  const tested = (name: string) => here(testedBlock('docs/deploy-systemd.md', name));
  for (const folder of ['etc/sysctl.d', 'etc/systemd/system', 'usr/local/sbin', 'var/lib'])
    await mkdir(join(root, folder), { recursive: true });
  const env = { ...OF_ROOT, PATH: `${join(root, 'usr/local/sbin')}:${process.env['PATH']}` };
  const run = (script: string): string =>
    execFileSync('sh', ['-euc', script], { env, input: '', encoding: 'utf8', stdio: 'pipe' });

  run(tested('install'));
  const at = (path: string) => join(root, path);
  await writeFile(at('etc/auth-gateway/database-url'), `${database.url}\n`);
  const settings = await readFile(at('etc/auth-gateway/environment'), 'utf8');
  await writeFile(at('etc/auth-gateway/environment'), here(settings));
  const word = tested('command');
  run(word);
  const program = join(process.cwd(), 'bin/auth-gateway');
  const seen = run(word.replace(program, 'env').replaceAll('sbin/auth-gateway', 'sbin/see')).concat(run('see'));
  const given = Object.fromEntries(seen.split('\n').map((line) => line.split(/=(.*)/, 2)));
  expect(given).toMatchObject({ DATABASE_URL_FILE: at('etc/auth-gateway/database-url'), METRICS_PORT: '9464' });
  expect(Object.entries(OF_ROOT).filter(([name, value]) => given[name] === value)).toEqual([]);
  const printed = run(tested('first'));
  expect(printed).toMatch(/email: you@example\.com/);
  run(tested('several'));

  const modeOf = async (path: string) => ((await stat(at(path))).mode & 0o777).toString(8);
  expect(
    await Promise.all(
      ['var/lib/auth-gateway', 'var/lib/auth-gateway/keyring.json', 'etc/auth-gateway/database-url'].map(modeOf),
    ),
  ).toEqual(['700', '600', '640']);
  expect(await readFile(at('etc/sysctl.d/auth-gateway.conf'), 'utf8')).toBe('net.ipv4.tcp_migrate_req=1\n');
  const unit = await readFile('deploy/systemd/auth-gateway@.service', 'utf8');
  expect(await readFile(at('etc/systemd/system/auth-gateway@.service'), 'utf8')).toBe(unit);
  // What the unit names is what was made.
  const named = unit.matchAll(/^EnvironmentFile=([^-%\n]+)$/gm);
  for (const [, file = ''] of named) expect((await stat(here(file))).isFile()).toBe(true);
});
