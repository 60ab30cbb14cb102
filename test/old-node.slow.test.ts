/** On a Node that is too old the program says so in one line, and loads nothing that it could not read. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Commands of somebody who has not read how it is started, and of npm without optional packages. */
const PROGRAMS = ['dist/program/main.js', 'dist/src/main.js', 'scripts/build.js'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-node-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function lineFor(version: string): RegExp {
  return new RegExp(`^auth-gateway needs Node 24 or newer, and this is Node ${version}: [^\\n]*npm [^\\n]*\\n$`);
}

describe.each(PROGRAMS)('%s', (program) => {
  test.each(['12.22.0', '20.20.2', '23.11.0'])('ends with one line on Node %s, and loads nothing else', (version) => {
    const loadedFile = join(mkdtempSync(join(folder, 'run-')), 'loaded');
    const pretend = `${loadedFile}.cjs`;
    writeFileSync(pretend, `Object.defineProperty(process.versions, 'node', { value: '${version}' });`);
    const hook = resolve('test/support/jest/report-loaded.js');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--require', pretend, '--import', hook, program, '--version'],
      { encoding: 'utf8', env: { LOADED_FILE: loadedFile } },
    );
    expect([status, stdout]).toEqual([78, '']);
    expect(stderr).toMatch(lineFor(version));
    const loaded = readFileSync(loadedFile, 'utf8').trim().split('\n');
    expect(loaded.filter((url) => url.startsWith('file:'))).toEqual([`file://${resolve(program)}`]);
  });

  const old = oldNode();
  (old === undefined ? test.skip : test)('ends with that line on the Node of this machine, which is old', () => {
    const { node = '', version = '' } = old ?? {};
    const { status, stdout, stderr } = spawnSync(node, [program], { encoding: 'utf8', env: {} });
    expect([status, stdout]).toEqual([78, '']);
    expect(stderr).toMatch(lineFor(version));
  });
});

/** The Node of the system, if it is too old */
function oldNode(): { node: string; version: string } | undefined {
  const node = '/usr/bin/node';
  if (!existsSync(node)) return undefined;
  const version = execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
  return Number.parseInt(version, 10) < 24 ? { node, version } : undefined;
}
