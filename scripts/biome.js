/**
 * Biome, the linter and formatter: `npm run lint`, `npm run format`. The first run installs it in dist/biome, because
 * `npm ci` would bring its 64 MiB to everybody who only starts or tests the gateway.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LOCKED = join(import.meta.dirname, 'biome');
const PLACE = join(import.meta.dirname, '../dist/biome');
/** npm writes it last, so that an installation that was cut off begins again. */
const DONE = join(PLACE, 'node_modules/.package-lock.json');
const versionIn = (lock) => JSON.parse(readFileSync(lock, 'utf8')).packages['node_modules/@biomejs/biome'].version;

if (!existsSync(DONE) || versionIn(DONE) !== versionIn(join(LOCKED, 'package-lock.json'))) {
  cpSync(LOCKED, PLACE, { recursive: true });
  run('npm', ['ci', '--loglevel=error', '--no-fund', '--no-audit', '--ignore-scripts', '--prefix', PLACE]);
}
run(process.execPath, [join(PLACE, 'node_modules/@biomejs/biome/bin/biome'), ...process.argv.slice(2)]);

/** Ends with its exit code if it fails. */
function run(command, words) {
  const { status, error } = spawnSync(command, words, { stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
