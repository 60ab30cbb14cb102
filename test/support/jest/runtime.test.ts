/** Test files that share a worker, as Jest runs those of this repository. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const JEST = resolve('node_modules/jest/bin/jest.js');

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'jest-')));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs them one after the other in one process. @returns what Jest prints, and the tests that passed, by file */
async function run(files: Record<string, string>): Promise<{ printed: string; passed: Record<string, string[]> }> {
  const config = {
    rootDir: folder,
    testEnvironment: resolve('test/support/jest/environment.js'),
    runtime: resolve('test/support/jest/runtime.js'),
    testRegex: 'file\\.js$',
    transform: {},
  };
  const all = { ...files, 'package.json': '{ "type": "module" }', 'jest.config.json': JSON.stringify(config) };
  for (const [name, text] of Object.entries(all)) await writeFile(join(folder, name), text);
  const words = ['--experimental-vm-modules', JEST, '--runInBand', '--json', '--outputFile=results.json'];
  const running = promisify(execFile)(process.execPath, words, { cwd: folder });
  const { stderr: printed } = await running.catch((error: { stderr: string }) => error);
  const { testResults } = JSON.parse(await readFile(join(folder, 'results.json'), 'utf8')) as Results;
  const passed = testResults.map(({ name, assertionResults }) => [
    name.slice(folder.length + 1),
    assertionResults.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName),
  ]);
  return { printed, passed: Object.fromEntries(passed) };
}

interface Results {
  testResults: Array<{ name: string; assertionResults: Array<{ fullName: string; status: string }> }>;
}

const TESTS = `
  import { group } from './shared.js';
  group('group', () => {
    test('test', () => undefined);
  });`;

test('files that share a module each have the tests that it makes for them', async () => {
  const shared = 'export const group = (name, work) => describe(name, work);';
  const { passed } = await run({ 'shared.js': shared, 'a-file.js': TESTS, 'b-file.js': TESTS });
  expect(passed).toEqual({ 'a-file.js': ['group test'], 'b-file.js': ['group test'] });
});

test.each([
  ['describe', "('group', () => undefined)"],
  ['test', "('test', () => undefined)"],
  ['beforeEach', '(() => undefined)'],
])('a shared module that keeps %s of the first file fails the second', async (name, words) => {
  const shared = `const kept = ${name}; export const group = () => kept${words};`;
  const tests = `
    import { group } from './shared.js';
    group();
    test('test', () => undefined);`;
  const { passed, printed } = await run({ 'shared.js': shared, 'a-file.js': tests, 'b-file.js': tests });
  expect(
    Object.values(passed)
      .map((names) => names.length > 0)
      .toSorted(),
  ).toEqual([false, true]);
  expect(printed).toContain('A module that test files share keeps');
});
