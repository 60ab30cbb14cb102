/** `npm run build:argon2` on a copy of the package: its build is used, and a failed one changes nothing. Needs g++, make and Python. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const missing = ['g++', 'make', 'python3'].filter((program) => spawnSync('which', [program]).status !== 0);
const testHere = missing.length === 0 ? test : test.skip;
/** A compiler takes its time on a busy machine. */
const BUILD_MS = 300_000;

let folder: string;
let modules: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-argon2-'));
  modules = join(folder, 'node_modules');
  mkdirSync(modules);
  cpSync('node_modules/argon2', join(modules, 'argon2'), { recursive: true });
  rmSync(join(modules, 'argon2/build'), { recursive: true, force: true }); // of somebody who has built it
  for (const name of ['@phc', 'node-addon-api', 'node-gyp-build']) {
    symlinkSync(resolve('node_modules', name), join(modules, name));
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function build(env: Record<string, string> = {}): { status: number | null; stdout: string; stderr: string } {
  const args = ['run', '--silent', 'build:argon2', '--', join(modules, 'argon2')];
  return spawnSync('npm', args, { env: { ...process.env, ...env }, encoding: 'utf8' });
}

/** The binary that the package takes. */
function taken(): string {
  const path = createRequire(join(modules, 'argon2/argon2.cjs'))('node-gyp-build').path(join(modules, 'argon2'));
  return path.slice(modules.length);
}

testHere(
  'what is built for this processor makes the same hashes, and is taken from then on',
  () => {
    expect(taken()).toMatch(/^\/argon2\/prebuilds\//);
    const { status, stdout } = build();
    expect([status, stdout]).toEqual([0, expect.stringMatching(/on one core: [\d.]+ before, [\d.]+ now\n$/)]);
    expect(taken()).toBe('/argon2/build/Release/argon2.node');
    expect(readdirSync(modules).sort()).toEqual(['@phc', 'argon2', 'node-addon-api', 'node-gyp-build']);
  },
  BUILD_MS,
);

function expectLeft(why: string, env?: Record<string, string>): void {
  const { status, stdout, stderr } = build(env);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`argon2 is left as it was: ${why}`);
  expect(taken()).toMatch(/^\/argon2\/prebuilds\//);
  expect(readdirSync(modules).sort()).toEqual(['@phc', 'argon2', 'node-addon-api', 'node-gyp-build']);
}

test(
  'if it cannot be built, the package stays as it was',
  () => expectLeft('it cannot be built', { CC: 'false', CXX: 'false' }),
  BUILD_MS,
);

testHere(
  'if the build makes other hashes, the package stays as it was',
  () => {
    const file = join(modules, 'argon2/argon2/src/blake2/blake2b.c');
    const text = readFileSync(file, 'utf8');
    const wrong = text.replace('UINT64_C(0x6a09e667f3bcc908)', 'UINT64_C(0x6a09e667f3bcc909)');
    expect(wrong).not.toBe(text);
    writeFileSync(file, wrong);
    expectLeft('what was built does not make the hashes that it should');
  },
  BUILD_MS,
);
