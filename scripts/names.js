/**
 * `npm run names` writes test/names.txt: of each test file the number of its tests and a hash of their names. It runs
 * nothing. `npm run names -- FOLDER` renews these lines alone. `npm run names -- --check` compares the list with the tests that the
 * fast and the slow tier ran, so that none is lost and none is skipped unseen; with `all`, that `npm run test:all` ran.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const LIST = 'test/names.txt';
const COLLECTED = 'dist/tests/names.json';

/** Files of which a machine may skip tests, and what it lacks then. Programs are never lacking: REQUIRE_PROGRAMS=1. */
const MAY_SKIP = {
  'test/archive/round-trip.slow.test.ts': 'the right to mount',
  'test/cli/audit-export.slow.test.ts': 'the right to mount',
  'test/cli/database.test.ts': 'the right to mount',
  'test/credentials/build-argon2.slow.test.ts': 'a compiler',
  'test/doctor/planted-faults.slow.test.ts': 'the right to mount, or an address that is not of loopback',
  'test/interface/10-full-disk.slow.test.ts': 'the right to mount',
  'test/interface/24-exports.slow.test.ts': 'pandas or LibreOffice',
  'test/interface/10-readiness.test.ts': 'the right to mount',
  'test/old-node.slow.test.ts': 'an old Node',
  'test/upgrade/next-to-older.slow.test.ts': 'OLDER=1, with which .ci/long runs it',
};

const words = process.argv.slice(2);
if (words[0] === '--check') check(words[1] === 'all' ? ['all'] : ['fast', 'slow']);
else write(words);

/** @param paths of the files whose lines are renewed; without any, of all */
function write(paths) {
  const old = paths.length === 0 ? new Map() : listed();
  const found = collect(paths, {});
  const lines = new Map([...old, ...Array.from(found, ([file, names]) => [file, lineOf(names)])]);
  const kept = [...lines].filter(([file]) => existsSync(file)).toSorted(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(LIST, kept.map(([file, line]) => `${file} ${line}\n`).join(''));
}

function check(tiers) {
  const ran = tiers.flatMap((tier) => JSON.parse(readFileSync(`dist/tests/${tier}.json`, 'utf8')));
  const names = new Map(ran.map(({ file, tests }) => [file, tests.map(([name]) => name)]));
  const list = listed();
  const files = new Set([...list.keys(), ...names.keys()]);
  const differing = [...files].filter((file) => list.get(file) !== lineOf(names.get(file) ?? []));
  // Jest as it comes has the names that the shared modules of a worker may have lost.
  const real =
    differing.length === 0
      ? new Map()
      : collect(
          differing.filter((file) => existsSync(file)),
          { PLAIN: '1' },
        );
  for (const file of differing) {
    const here = names.get(file) ?? [];
    const lost = (real.get(file) ?? []).filter((name) => !here.includes(name));
    for (const name of lost) report(`LOST    ${file}: ${name}`);
    if (lost.length === 0) report(`LISTED  ${file}: ${list.get(file) ?? 'not'}, and ${lineOf(here)} ran`);
  }
  for (const { file, tests } of ran) {
    const skipped = tests.filter(([, status]) => status === 'pending' || status === 'todo');
    if (skipped.length === 0) continue;
    if (file in MAY_SKIP) process.stdout.write(`skipped ${skipped.length} in ${file}: it may lack ${MAY_SKIP[file]}\n`);
    else for (const [name] of skipped) report(`SKIPPED ${file}: ${name}`);
  }
}

/** @returns of each file the line of the list, without its path */
function listed() {
  const lines = readFileSync(LIST, 'utf8').trim().split('\n');
  return new Map(lines.map((line) => /^(\S+) (.*)$/.exec(line)?.slice(1)));
}

function lineOf(names) {
  const hash = createHash('sha256').update(names.toSorted().join('\n')).digest('hex').slice(0, 8);
  return `${names.length} ${hash}`;
}

/** @returns of each file the names of its tests, on a machine that has every program */
function collect(paths, env) {
  mkdirSync('dist/tests', { recursive: true });
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const options = ['--testNamePattern=$^', '--json', `--outputFile=${COLLECTED}`];
  const { status } = spawnSync(process.execPath, [...flags, ...options, ...paths], {
    env: { ...process.env, TIER: 'all', REQUIRE_PROGRAMS: '1', REQUIRE_REDIS: '1', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  const { testResults } = JSON.parse(readFileSync(COLLECTED, 'utf8'));
  for (const { name, message, status: ended } of testResults) if (ended === 'failed') report(`${name}\n${message}`);
  if (status !== 0) process.exit(1);
  return new Map(
    testResults.map(({ name, assertionResults }) => [
      relative('.', name),
      assertionResults.map(({ fullName }) => fullName),
    ]),
  );
}

function report(line) {
  process.stdout.write(`${line}\n`);
  process.exitCode = 1;
}
