/**
 * `npm run build:argon2 [FOLDER OF THE PACKAGE]`: builds argon2 (RFC 9106) with every instruction that this processor
 * has, by the package's own build, and puts it in the folder that the package tries first. What was there stays unless the new one
 * makes the same hashes. Needs a C++ compiler, make and Python.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const { stdout, stderr, env, execPath } = process;
const require = createRequire(import.meta.url);
const folder = resolve(process.argv[2] ?? dirname(require.resolve('argon2/package.json')));
const BUILT = 'build/Release/argon2.node';
const FLAGS = '-O3 -march=native';
/** Number of verifications that are timed */
const VERIFICATIONS = 20;

// Next to the package, so that it finds its dependencies; renamed at the end, so that no start meets half of it.
const copy = mkdtempSync(join(dirname(folder), '.argon2-'));
try {
  process.exitCode = await main();
} finally {
  rmSync(copy, { recursive: true, force: true });
}

async function main() {
  for (const part of ['argon2', 'argon2.cjs', 'argon2.cpp', 'binding.gyp', 'package.json']) {
    cpSync(join(folder, part), join(copy, part), { recursive: true });
  }
  const { status, error } = spawnSync('node-gyp', ['rebuild', `--nodedir=${dirname(dirname(execPath))}`], {
    cwd: copy,
    env: { ...env, CFLAGS: FLAGS, CXXFLAGS: FLAGS },
    stdio: ['ignore', stderr.fd, stderr.fd],
  });
  if (error !== undefined || status !== 0)
    return failed('it cannot be built: a C++ compiler, make and Python are needed');
  // In a process of its own, since a wrong instruction ends it.
  const tried = spawnSync(execPath, [join(import.meta.dirname, 'try-argon2.js'), folder, copy, String(VERIFICATIONS)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', stderr.fd],
  });
  if (tried.status !== 0) return failed('what was built does not make the hashes that it should');
  mkdirSync(dirname(join(folder, BUILT)), { recursive: true });
  renameSync(join(copy, BUILT), join(folder, BUILT));
  stdout.write(tried.stdout);
  return 0;
}

function failed(why) {
  stderr.write(`argon2 is left as it was: ${why}\n`);
  return 1;
}
